// CRC32C (Castagnoli) is computed as fast as the processor allows. TFRecord
// masks it: see src/base/record_header.h.

#ifndef HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_
#define HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::record {

// Reads n bytes and no others. "123456789" gives 0xe3069283.
uint32_t Crc32c(const void* data, size_t n);

// Gives the CRC32C of A followed by the n bytes, where `crc` is that of A.
uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t n);

// The register is not inverted at either end, so it is linear: CRCs of ranges
// can be added and taken apart (range_crc.h).
uint32_t Crc32cRegister(uint32_t state, const void* data, size_t n);
// Takes n zero bytes in a step per byte of the number n.
uint32_t Crc32cZeros(uint32_t state, uint64_t n);

// Names the way on this machine: "vpclmulqdq", "sse4.2+pclmul", "arm-crc" or
// "table".
std::string_view Crc32cPath();

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_
