// Only this file is compiled for processors with the CRC extension.

#include "src/input/crc32c/crc32c_arm.h"

#include <arm_acle.h>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include "src/base/little_endian.h"
#include "src/input/crc32c/crc32c_math.h"

namespace headrace::record {
namespace {

uint32_t Step8(uint32_t state, const uint8_t* p) {
  return __crc32cd(state, LoadLittle64(p));
}

// Returns the register after kBytes zero bytes.
template <size_t kBytes>
uint32_t Skip(uint32_t state) {
  constexpr uint32_t kFactor = CrcPowerOfX(8 * kBytes);
  return CrcMultiply(state, kFactor);
}

// Processes as many whole blocks of 3 * kPart bytes as there are, each as three
// chains side by side: a step has a latency of two or three cycles and a
// throughput of one.
template <size_t kPart>
uint32_t ThreeChains(uint32_t state, const uint8_t*& p, size_t& n) {
  for (; n >= 3 * kPart; n -= 3 * kPart, p += 3 * kPart) {
    uint32_t a = state, b = 0, c = 0;
    for (size_t i = 0; i < kPart; i += 8) {
      a = Step8(a, p + i);
      b = Step8(b, p + kPart + i);
      c = Step8(c, p + 2 * kPart + i);
    }
    state = Skip<2 * kPart>(a) ^ Skip<kPart>(b) ^ c;
  }
  return state;
}

}  // namespace

#if defined(__linux__)
// HWCAP_CRC32 of Linux, which not every C library defines.
const bool kArmHasCrc = (getauxval(AT_HWCAP) & (1ul << 7)) != 0;
#else
// All Apple processors have the instructions.
const bool kArmHasCrc = true;
#endif

uint32_t ArmCrcRegister(uint32_t state, const uint8_t* p, size_t n) {
  // Chains are combined in software, which pays off only in large blocks.
  state = ThreeChains<4096>(state, p, n);
  state = ThreeChains<512>(state, p, n);
  for (; n >= 8; n -= 8, p += 8) state = Step8(state, p);
  if ((n & 4) != 0) {
    state = __crc32cw(state, LoadLittle32(p));
    p += 4;
  }
  for (n &= 3; n != 0; --n, ++p) state = __crc32cb(state, *p);
  return state;
}

}  // namespace headrace::record
