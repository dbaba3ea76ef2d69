#include "src/input/crc32c/crc32c.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/input/crc32c/crc32c.cc"  // this file
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "src/input/crc32c/crc32c-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::record {
namespace HWY_NAMESPACE {

uint32_t Register(uint32_t state, const uint8_t* p, size_t n) {
  return CrcRegister(state, p, n);
}

uint32_t Zeros(uint32_t state, uint64_t n) { return CrcSkip(state, n); }

std::string_view Path() {
#if HEADRACE_CRC_ARM
  if (kArmHasCrc) return "arm-crc";
#endif
  return HEADRACE_CRC_WIDE  ? "vpclmulqdq"
         : HEADRACE_CRC_X86 ? "sse4.2+pclmul"
                            : "table";
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::record
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::record {

HWY_EXPORT(Register);
HWY_EXPORT(Zeros);
HWY_EXPORT(Path);

uint32_t Crc32cRegister(uint32_t state, const void* data, size_t n) {
  return HWY_DYNAMIC_DISPATCH(Register)(state,
                                        static_cast<const uint8_t*>(data), n);
}

uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t n) {
  return ~Crc32cRegister(~crc, data, n);
}

uint32_t Crc32c(const void* data, size_t n) { return Crc32cExtend(0, data, n); }

uint32_t Crc32cZeros(uint32_t state, uint64_t n) {
  return HWY_DYNAMIC_DISPATCH(Zeros)(state, n);
}

std::string_view Crc32cPath() { return HWY_DYNAMIC_DISPATCH(Path)(); }

}  // namespace headrace::record
#endif  // HWY_ONCE
