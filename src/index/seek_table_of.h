#ifndef HEADRACE_SRC_INDEX_SEEK_TABLE_OF_H_
#define HEADRACE_SRC_INDEX_SEEK_TABLE_OF_H_

#include <memory>

#include "headrace/index.h"
#include "src/compression/seek_table.h"

namespace headrace::index {

// Says where the compressed file of the index can be inflated from; null for a
// plain file.
std::shared_ptr<const compression::SeekTable> SeekTableOf(const Index& index);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INDEX_SEEK_TABLE_OF_H_
