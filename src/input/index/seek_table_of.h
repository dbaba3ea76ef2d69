#ifndef HEADRACE_SRC_INPUT_INDEX_SEEK_TABLE_OF_H_
#define HEADRACE_SRC_INPUT_INDEX_SEEK_TABLE_OF_H_

#include <memory>

#include "headrace/index.h"
#include "src/input/deflate/seek_table.h"

namespace headrace {

class IndexAccess {
 public:
  static std::shared_ptr<const compression::SeekTable> SeekTableOf(
      const Index& index);
};

namespace index {

// Returns the seek table of the index; null for a plain file.
inline std::shared_ptr<const compression::SeekTable> SeekTableOf(
    const Index& index) {
  return IndexAccess::SeekTableOf(index);
}

}  // namespace index
}  // namespace headrace

#endif  // HEADRACE_SRC_INPUT_INDEX_SEEK_TABLE_OF_H_
