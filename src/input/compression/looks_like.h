// LooksLike: what bytes that are no TFRecord file may be, for messages and for
// warnings of files that are left out.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_LOOKS_LIKE_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_LOOKS_LIKE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::compression {

// A noun for the file that begins with these bytes ("a Parquet file", "text"),
// empty when nothing is recognised. 64 bytes are plenty; fewer recognise less.
// It never decides how a file is read.
std::string_view LooksLike(const uint8_t* head, size_t size);

// Whether what LooksLike named may hold TFRecord after all: it is compressed,
// an archive, not fetched yet, or not recognised. Text and images do not.
bool MayHoldRecords(std::string_view noun);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_LOOKS_LIKE_H_
