// Loads and stores little-endian integers at any alignment.

#ifndef HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_
#define HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace headrace {

// wire/cursor.h says why.
static_assert(std::endian::native == std::endian::little);

inline uint32_t LoadLittle32(const uint8_t* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}
inline uint64_t LoadLittle64(const uint8_t* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

inline void StoreLittle32(uint8_t* p, uint32_t value) {
  std::memcpy(p, &value, sizeof(value));
}
inline void StoreLittle64(uint8_t* p, uint64_t value) {
  std::memcpy(p, &value, sizeof(value));
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_
