// CRC32C (Castagnoli), as fast as the processor allows. The mask that TFRecord
// puts on it is in src/base/record_header.h.

#ifndef HEADRACE_SRC_RECORD_CRC32C_H_
#define HEADRACE_SRC_RECORD_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::record {

// CRC32C of n bytes; reads no others. "123456789" gives 0xe3069283.
uint32_t Crc32c(const void* data, size_t n);

// The CRC32C of A followed by the n bytes, where `crc` is that of A.
uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t n);

// The bare register, without inversion at either end: linear, so that ranges
// can be added and taken apart (range_crc.h).
uint32_t Crc32cRegister(uint32_t state, const void* data, size_t n);
// The register after n zero bytes, in a step for each byte of n.
uint32_t Crc32cZeros(uint32_t state, uint64_t n);

// How it is computed on this machine: "vpclmulqdq",
// "sse4.2+pclmul", "arm-crc", "table".
std::string_view Crc32cPath();

}  // namespace headrace::record

#endif  // HEADRACE_SRC_RECORD_CRC32C_H_
