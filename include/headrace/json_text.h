// Values as the JSON of headrace writes them, in feature specs and in JSON
// lines: text, floats that read back the same, bytes that are no text.
//
// For those who write or read such JSON next to their own parser. Nothing here
// fails but for memory, which ends in std::bad_alloc; any number of threads may
// call.

#ifndef HEADRACE_JSON_TEXT_H_
#define HEADRACE_JSON_TEXT_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <optional>
#include <string>
#include <string_view>

namespace headrace {

// Appends the text as a JSON string, in quotes. Control characters, also those
// above 0x7e, are escaped, so that the string never drives a terminal. The text
// may be anything (a path, a message): bytes that are no UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

// Appends the shortest decimal text that reads back as the same float, always
// with a '.' or an exponent. A value that is not finite is a JSON string: its
// name ("NaN", "Infinity", "-Infinity"), or the bits of a NaN that is not the
// canonical one ("0x7fc00001").
void AppendJsonFloat(float value, std::string* out);

// The float of a JSON number, without going through double: that would round
// twice. Empty where it is too large; what is too small is a zero.
std::optional<float> ParseJsonFloat(std::string_view number);

// The float of a name that AppendJsonFloat writes, given without its quotes, or
// of any other eight digits of bits. Empty for any other text.
std::optional<float> ParseJsonFloatName(std::string_view name);

// Appends the bytes in base64 (RFC 4648 section 4, with padding).
void AppendBase64(std::string_view bytes, std::string* out);

// The bytes of what AppendBase64 writes. Empty for anything else: other
// characters, missing padding, padding bits that are not zero.
std::optional<std::string> ParseBase64(std::string_view text);

}  // namespace headrace

#endif  // HEADRACE_JSON_TEXT_H_
