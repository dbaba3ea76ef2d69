// LooksLike: what bytes that are no TFRecord file may be, for messages.

#ifndef HEADRACE_SRC_COMPRESSION_LOOKS_LIKE_H_
#define HEADRACE_SRC_COMPRESSION_LOOKS_LIKE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::compression {

// A noun for the file that begins with these bytes ("a Parquet file", "text"),
// empty when nothing is recognised. 64 bytes are plenty; fewer recognise less.
// Decides nothing: only messages use it.
std::string_view LooksLike(const uint8_t* head, size_t size);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_COMPRESSION_LOOKS_LIKE_H_
