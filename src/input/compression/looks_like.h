// Recognises files that are not TFRecord files, for messages and for warnings
// about files that are left out.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_LOOKS_LIKE_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_LOOKS_LIKE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::compression {

// Returns a noun for a file that begins with these bytes ("a Parquet file",
// "text"), empty if nothing is recognised. 64 bytes suffice, 262 for a tar
// archive. Never decides how a file is read.
std::string_view LooksLike(const uint8_t* head, size_t size);

// Whether a file of this noun may hold TFRecord after all: it is compressed, an
// archive, not fetched yet, or not recognised. Text and images do not.
bool MayHoldRecords(std::string_view noun);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_LOOKS_LIKE_H_
