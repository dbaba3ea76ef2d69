// Finds the index of a file by its name, and reads what readers need from it.

#ifndef HEADRACE_SRC_INPUT_INDEX_INDEX_BESIDE_H_
#define HEADRACE_SRC_INPUT_INDEX_INDEX_BESIDE_H_

#include <memory>
#include <optional>
#include <string>

#include "headrace/index.h"
#include "headrace/status.h"
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

// Returns the path of the file's index without its ending, or "" if the file
// cannot have one. The index is in `directory` or, if that is empty, beside its
// file; inputs that the caller opens have indexes only in a directory.
std::string NameBeside(const std::string& file, const std::string& directory,
                       const IndexOptions& options);

// Opens the index of a file; empty if there is none.
Result<std::optional<Index>> OpenBeside(const std::string& file,
                                        const std::string& directory,
                                        const IndexOptions& options);

// Like OpenBeside, but the index must be up to date. Fails with kNotFound if
// there is no index.
Result<Index> UsableBeside(const std::string& file,
                           const std::string& directory,
                           const IndexOptions& options);

// Returns the number of the record that begins at `offset` of the uncompressed
// stream, or the number of all records for the end of the stream; kUnknown if
// the index has no record there.
uint64_t NumberAt(const Index& index, uint64_t offset);

// Returns the error kNotFound, which says that `file` has no index.
Status HasNoIndex(const std::string& file);

// Reads only the seek table from the index of a compressed file. Returns null
// for a plain file or a missing index. With kRequired, fails with kNotFound if
// the index is missing, and with kBadIndex if it is of another file. With
// kAuto, an unusable index counts as missing.
Result<std::shared_ptr<const compression::SeekTable>> SeekTableBeside(
    const std::string& file, const std::string& directory, IndexUse use,
    const IndexOptions& options);

}  // namespace index
}  // namespace headrace

#endif  // HEADRACE_SRC_INPUT_INDEX_INDEX_BESIDE_H_
