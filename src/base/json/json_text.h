// Reads and writes the values of headrace's JSON, in feature specs and JSON
// lines: text, floats that read back the same, bytes that are not text.

#ifndef HEADRACE_SRC_BASE_JSON_JSON_TEXT_H_
#define HEADRACE_SRC_BASE_JSON_JSON_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headrace {

// Appends the text as a JSON string, in quotes. Control characters, those from
// U+007F to U+009F included, are escaped, so that the string never drives a
// terminal. Bytes that are not UTF-8, which paths may have, become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

// Appends bytes that are UTF-8 as AppendJsonString does, any others as
// {"b64":"..."}.
void AppendJsonBytes(std::string_view bytes, std::string* out);

// Appends the shortest decimal text that reads back as the same float, always
// with a '.' or an exponent. A value that is not finite becomes a JSON string:
// "NaN", "Infinity", "-Infinity", or the bits of a NaN that is not the
// canonical one ("0x7fc00001").
void AppendJsonFloat(float value, std::string* out);

// Appends the shortest text that reads back as the same number, or "NaN",
// "Infinity" or "-Infinity" as a JSON string.
void AppendJsonDouble(double value, std::string* out);

// Returns the float of a JSON number; empty if it is too large, 0 if too small.
// Does not go through double, which would round twice.
std::optional<float> ParseJsonFloat(std::string_view number);

// Returns the float of a name that AppendJsonFloat writes, without the quotes,
// or of any bits ("0x" and eight digits); empty for any other text.
std::optional<float> ParseJsonFloatName(std::string_view name);

// Appends the bytes in base64 (RFC 4648 section 4, with padding).
void AppendBase64(std::string_view bytes, std::string* out);

// Returns the bytes of a text of AppendBase64; empty for anything else, such as
// other characters, missing padding or padding bits that are not zero.
std::optional<std::string> ParseBase64(std::string_view text);

namespace json {

// These find text that JSON writes without escapes, eight bytes at a time.

constexpr uint64_t InEachByte(uint64_t byte) {
  return byte * 0x0101'0101'0101'0101;
}
inline constexpr uint64_t kHighBits = InEachByte(0x80);

// Returns 0 if no byte of the word is 0; otherwise at least the lowest zero
// byte becomes nonzero in the result (Henry Warren, "Hacker's Delight", section
// 6-1).
constexpr uint64_t ZeroBytes(uint64_t word) {
  return (word - InEachByte(1)) & ~word & kHighBits;
}

// Returns nonzero if AppendJsonString escapes an ASCII character among the
// eight, otherwise 0.
constexpr uint64_t EscapedBytes(uint64_t word) {
  // Only bytes below 0x20 have none of the bits 0xe0.
  return ZeroBytes(word & InEachByte(0xe0)) |
         ZeroBytes(word ^ InEachByte('"')) |
         ZeroBytes(word ^ InEachByte('\\')) |
         ZeroBytes(word ^ InEachByte(0x7f));
}

// Returns 0 if all eight bytes are ASCII characters that need no escape.
constexpr uint64_t OddBytes(uint64_t word) {
  return (word & kHighBits) | EscapedBytes(word);
}

}  // namespace json
}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_JSON_JSON_TEXT_H_
