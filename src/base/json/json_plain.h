// Finds text that JSON writes without escapes, eight bytes at a time.

#ifndef HEADRACE_SRC_BASE_JSON_JSON_PLAIN_H_
#define HEADRACE_SRC_BASE_JSON_JSON_PLAIN_H_

#include <cstdint>

namespace headrace::json {

constexpr uint64_t InEachByte(uint64_t byte) {
  return byte * 0x0101'0101'0101'0101;
}
inline constexpr uint64_t kHighBits = InEachByte(0x80);

// Returns 0 if no byte of the word is 0; otherwise at least the lowest such
// byte is not 0 in the result (Henry Warren, "Hacker's Delight", section 6-1).
constexpr uint64_t ZeroBytes(uint64_t word) {
  return (word - InEachByte(1)) & ~word & kHighBits;
}

// Returns 0 unless AppendJsonString escapes an ASCII character among the eight.
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

}  // namespace headrace::json

#endif  // HEADRACE_SRC_BASE_JSON_JSON_PLAIN_H_
