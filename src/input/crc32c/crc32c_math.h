// CRC32C computes with polynomials over GF(2) modulo Castagnoli's polynomial,
// in the reflected form in which the CRC is stored (bit 31 is x^0). All of this
// is portable and mostly runs at compile time.

#ifndef HEADRACE_SRC_INPUT_CRC32C_CRC32C_MATH_H_
#define HEADRACE_SRC_INPUT_CRC32C_CRC32C_MATH_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/base/record_header.h"

namespace headrace::record {

inline constexpr uint32_t kCrc32cPolynomial = 0x82F63B78u;
// The register before the first byte; the CRC is the register's complement.
inline constexpr uint32_t kCrc32cInit = 0xFFFFFFFFu;

constexpr uint32_t CrcTimesX(uint32_t a) {
  return (a >> 1) ^ ((a & 1) != 0 ? kCrc32cPolynomial : 0);
}

constexpr uint32_t CrcMultiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (int bit = 0; bit < 32; ++bit) {
    product ^= b & (0u - (a >> 31));
    a <<= 1;
    b = CrcTimesX(b);
  }
  return product;
}

constexpr uint32_t CrcPowerOfX(uint64_t n) {
  uint32_t result = 0x80000000u;  // x^0
  uint32_t square = 0x40000000u;  // x^1
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) result = CrcMultiply(result, square);
    square = CrcMultiply(square, square);
  }
  return result;
}

// The order of x: x^kCrcOrder is 1, so x^(kCrcOrder - n) is x^-n.
inline constexpr uint64_t kCrcOrder = (uint64_t{1} << 31) - 1;
static_assert(CrcPowerOfX(kCrcOrder) == CrcPowerOfX(0));

// A carry-less product that the crc32 instruction reduces is multiplied by
// x^33: by x because the product of reflected numbers is a bit short, and by
// x^32 because crc32 does that. So the factor is divided by x^33.
constexpr uint32_t CrcReducedFactor(uint32_t factor) {
  return CrcMultiply(factor, CrcPowerOfX(kCrcOrder - 33));
}

// [i][b] is x^(8 * b * 256^i), by which b * 256^i zero bytes multiply a
// register. The digits of a number in base 256 are looked up whole, because
// branches on their bits would be unpredictable.
using CrcZeroByteFactors = std::array<std::array<uint32_t, 256>, 8>;
inline constexpr CrcZeroByteFactors kCrcZeroBytes = [] {
  CrcZeroByteFactors factors{};
  uint32_t one = CrcPowerOfX(8);
  for (auto& digit : factors) {
    digit[0] = CrcPowerOfX(0);
    for (size_t b = 1; b < digit.size(); ++b) {
      digit[b] = CrcMultiply(digit[b - 1], one);
    }
    one = CrcMultiply(digit.back(), one);
  }
  return factors;
}();
inline constexpr CrcZeroByteFactors kCrcZeroBytesReduced = [] {
  CrcZeroByteFactors factors = kCrcZeroBytes;
  const uint32_t reduce = CrcReducedFactor(CrcPowerOfX(0));
  for (auto& digit : factors) {
    for (uint32_t& factor : digit) factor = CrcMultiply(factor, reduce);
  }
  return factors;
}();

// [k][b] is the register after byte b and k zero bytes, beginning at zero.
inline constexpr std::array<std::array<uint32_t, 256>, 8> kCrcTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{kCrc32cTable};
  for (size_t k = 1; k < 8; ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t last = tables[k - 1][b];
      tables[k][b] = (last >> 8) ^ tables[0][last & 0xFF];
    }
  }
  return tables;
}();

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_CRC32C_CRC32C_MATH_H_
