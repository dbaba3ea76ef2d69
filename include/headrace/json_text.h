// Values as the JSON of headrace has them, in feature specs and JSON lines:
// text, floats that read back the same, bytes that are not text. Use it to
// write or read such JSON next to your own parser.
//
// Nothing here fails, except that it throws std::bad_alloc when allocation
// fails. Any number of threads may call.

#ifndef HEADRACE_JSON_TEXT_H_
#define HEADRACE_JSON_TEXT_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <optional>
#include <string>
#include <string_view>

#include "headrace/export.h"

namespace headrace {

// Appends the text as a JSON string, in quotes. Control characters, those from
// U+007F to U+009F included, are escaped, so that the string never drives a
// terminal. Bytes that are not UTF-8, as paths may have, become U+FFFD.
HEADRACE_EXPORT void AppendJsonString(std::string_view text, std::string* out);

// Appends bytes that are UTF-8 as AppendJsonString does, any others as
// {"b64":"..."}.
HEADRACE_EXPORT void AppendJsonBytes(std::string_view bytes, std::string* out);

// Appends the shortest decimal text that reads back as the same float, always
// with a '.' or an exponent. A value that is not finite becomes a JSON string:
// "NaN", "Infinity", "-Infinity", or the bits of a NaN that is not the
// canonical one ("0x7fc00001").
HEADRACE_EXPORT void AppendJsonFloat(float value, std::string* out);

// The float of a JSON number; empty if it is too large, 0 if too small. It does
// not go through double, which would round twice.
HEADRACE_EXPORT std::optional<float> ParseJsonFloat(std::string_view number);

// The float of a name that AppendJsonFloat writes, without quotes, or of any
// other eight digits of bits; empty for any other text.
HEADRACE_EXPORT std::optional<float> ParseJsonFloatName(std::string_view name);

// Appends the bytes in base64 (RFC 4648 section 4, with padding).
HEADRACE_EXPORT void AppendBase64(std::string_view bytes, std::string* out);

// The bytes of what AppendBase64 writes; empty for anything else, such as other
// characters, missing padding or padding bits that are not zero.
HEADRACE_EXPORT std::optional<std::string> ParseBase64(std::string_view text);

}  // namespace headrace

#endif  // HEADRACE_JSON_TEXT_H_
