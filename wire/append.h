// These functions append fields to a message, in the canonical encoding.

#ifndef HEADRACE_WIRE_APPEND_H_
#define HEADRACE_WIRE_APPEND_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/wire.h"

namespace headrace::wire {

// Returns the bytes of the varint, one per 7 bits: 1 to 10.
constexpr size_t VarintSize(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

inline void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

// Appends the tag and length of a field of wire type LEN that has `size` bytes.
inline void AppendHead(uint32_t number, size_t size, std::string* out) {
  AppendVarint(Tag(number, kLen), out);
  AppendVarint(size, out);
}

inline void AppendLen(uint32_t number, std::string_view bytes,
                      std::string* out) {
  AppendHead(number, bytes.size(), out);
  out->append(bytes);
}

// Returns the size of a LEN field of `size` bytes, including tag and length.
// The field's number must be below 16.
constexpr size_t LenSize(size_t size) { return 1 + VarintSize(size) + size; }

// Appends an entry of a map whose values have wire type LEN.
inline void AppendEntry(std::string_view key, std::string_view value,
                        std::string* map) {
  AppendHead(1, LenSize(key.size()) + LenSize(value.size()), map);
  AppendLen(1, key, map);
  AppendLen(2, value, map);
}

}  // namespace headrace::wire

#endif  // HEADRACE_WIRE_APPEND_H_
