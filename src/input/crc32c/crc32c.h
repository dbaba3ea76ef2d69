// Computes CRC32C (Castagnoli) as fast as the processor allows. TFRecord masks
// it: see src/base/record_header.h.

#ifndef HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_
#define HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::record {

// Returns the CRC32C of n bytes, and reads no others. That of "123456789" is
// 0xe3069283.
uint32_t Crc32c(const void* data, size_t n);

// Returns the CRC32C of A followed by the n bytes, where `crc` is that of A.
uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t n);

// Returns the register after the n bytes. It is not inverted at either end, so
// it is linear: CRCs of ranges can be added and subtracted (range_crc.h).
uint32_t Crc32cRegister(uint32_t state, const void* data, size_t n);
// Returns the register after n zero bytes, in a step per byte of n itself.
uint32_t Crc32cZeros(uint32_t state, uint64_t n);

// Names the implementation on this machine: "vpclmulqdq", "sse4.2+pclmul",
// "arm-crc" or "table".
std::string_view Crc32cPath();

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_
