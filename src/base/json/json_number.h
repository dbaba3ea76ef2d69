// Writes the numbers of headrace's JSON to the caller's memory.

#ifndef HEADRACE_SRC_BASE_JSON_JSON_NUMBER_H_
#define HEADRACE_SRC_BASE_JSON_JSON_NUMBER_H_

#include <cstddef>
#include <cstdint>

namespace headrace::json {

// The bits of the NaN that is written as "NaN".
inline constexpr uint32_t kCanonicalNan = 0x7fc00000;

// Bytes of `out` that each of these functions may overwrite. Each returns the
// end of the number, which may be earlier.
inline constexpr size_t kNumberRoom = 32;

// Writes the text that AppendJsonFloat (json_text.h) appends.
char* WriteJsonFloat(float value, char* out);
char* WriteJsonInt64(int64_t value, char* out);

}  // namespace headrace::json

#endif  // HEADRACE_SRC_BASE_JSON_JSON_NUMBER_H_
