// Finds text that JSON writes as it is, eight bytes at a time.

#ifndef HEADRACE_SRC_BASE_JSON_JSON_PLAIN_H_
#define HEADRACE_SRC_BASE_JSON_JSON_PLAIN_H_

#include <cstdint>

namespace headrace::json {

constexpr uint64_t InEachByte(uint64_t byte) {
  return byte * 0x0101'0101'0101'0101;
}
inline constexpr uint64_t kHighBits = InEachByte(0x80);

// Not 0 if a byte of the word is 0, and then at least in the lowest such byte
// (Henry Warren, "Hacker's Delight", section 6-1).
constexpr uint64_t ZeroBytes(uint64_t word) {
  return (word - InEachByte(1)) & ~word & kHighBits;
}

// Not 0 if AppendJsonString escapes an ASCII character among the eight.
constexpr uint64_t EscapedBytes(uint64_t word) {
  // Only bytes below 0x20 have none of the bits 0xe0.
  return ZeroBytes(word & InEachByte(0xe0)) |
         ZeroBytes(word ^ InEachByte('"')) |
         ZeroBytes(word ^ InEachByte('\\')) |
         ZeroBytes(word ^ InEachByte(0x7f));
}

// 0 if all eight bytes are ASCII characters that need no escape.
constexpr uint64_t OddBytes(uint64_t word) {
  return (word & kHighBits) | EscapedBytes(word);
}

}  // namespace headrace::json

#endif  // HEADRACE_SRC_BASE_JSON_JSON_PLAIN_H_
