// Loads and stores integers at any alignment: little-endian ones, and the
// big-endian ones of a few formats.

#ifndef HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_
#define HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace headrace {

// wire/cursor.h says why the machine must be little-endian.
static_assert(std::endian::native == std::endian::little,
              "headrace needs a little-endian machine");

inline uint16_t LoadLittle16(const uint8_t* p) {
  uint16_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}
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

inline void StoreLittle16(uint8_t* p, uint16_t value) {
  std::memcpy(p, &value, sizeof(value));
}
inline void StoreLittle32(uint8_t* p, uint32_t value) {
  std::memcpy(p, &value, sizeof(value));
}
inline void StoreLittle64(uint8_t* p, uint64_t value) {
  std::memcpy(p, &value, sizeof(value));
}

inline uint32_t LoadBig32(const uint8_t* p) {
  return __builtin_bswap32(LoadLittle32(p));
}
inline void StoreBig32(uint8_t* p, uint32_t value) {
  StoreLittle32(p, __builtin_bswap32(value));
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_
