// Little-endian numbers at any address.

#ifndef HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_
#define HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace headrace {

constexpr uint32_t LittleEndian32(uint32_t value) {
  return std::endian::native == std::endian::little ? value
                                                    : __builtin_bswap32(value);
}
constexpr uint64_t LittleEndian64(uint64_t value) {
  return std::endian::native == std::endian::little ? value
                                                    : __builtin_bswap64(value);
}

inline uint32_t LoadLittle32(const uint8_t* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return LittleEndian32(value);
}
inline uint64_t LoadLittle64(const uint8_t* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return LittleEndian64(value);
}

inline void StoreLittle32(uint8_t* p, uint32_t value) {
  value = LittleEndian32(value);
  std::memcpy(p, &value, sizeof(value));
}
inline void StoreLittle64(uint8_t* p, uint64_t value) {
  value = LittleEndian64(value);
  std::memcpy(p, &value, sizeof(value));
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_LITTLE_ENDIAN_H_
