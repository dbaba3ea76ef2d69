// Dispatches checksums to the best SIMD target, and frames records with them
// (src/base/framing.h).

#include "src/input/crc32c/crc32c.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/input/crc32c/crc32c.cc"  // this file
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "headrace/record_reader.h"
#include "src/base/little_endian.h"
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
namespace headrace {
namespace record {

HWY_EXPORT(Register);
HWY_EXPORT(Zeros);
HWY_EXPORT(Path);

uint32_t Crc32cRegister(uint32_t state, const void* data, size_t n) {
  return HWY_DYNAMIC_DISPATCH(Register)(state,
                                        static_cast<const uint8_t*>(data), n);
}

uint32_t Crc32cZeros(uint32_t state, uint64_t n) {
  return HWY_DYNAMIC_DISPATCH(Zeros)(state, n);
}

std::string_view Crc32cPath() { return HWY_DYNAMIC_DISPATCH(Path)(); }

}  // namespace record

static_assert(kRecordOverhead == kRecordHeaderBytes + kRecordFooterBytes);

uint32_t Crc32c(const void* data, size_t size) {
  return Crc32cExtend(0, data, size);
}

uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t size) {
  return ~record::Crc32cRegister(~crc, data, size);
}

std::array<uint8_t, kRecordHeaderBytes> RecordHeader(uint64_t payload_size) {
  std::array<uint8_t, kRecordHeaderBytes> header;
  StoreLittle64(header.data(), payload_size);
  StoreLittle32(header.data() + 8, MaskCrc32c(Crc32c(header.data(), 8)));
  return header;
}

std::array<uint8_t, kRecordFooterBytes> RecordFooter(std::string_view payload) {
  std::array<uint8_t, kRecordFooterBytes> footer;
  StoreLittle32(footer.data(),
                MaskCrc32c(Crc32c(payload.data(), payload.size())));
  return footer;
}

}  // namespace headrace
#endif  // HWY_ONCE
