// The bytes of an index are made of the headers of a file.

#ifndef HEADRACE_SRC_INDEX_INDEX_BUILDER_H_
#define HEADRACE_SRC_INDEX_INDEX_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/status.h"

namespace headrace::index {

// Gives the bytes of an Image.
Result<std::vector<uint8_t>> BuildImage(const std::string& path,
                                        const IndexOptions& options);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INDEX_INDEX_BUILDER_H_
