// The parts of Crc32c (src/base/framing.h), which computes CRC32C (Castagnoli)
// as fast as the processor allows.

#ifndef HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_
#define HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/base/framing.h"  // IWYU pragma: export

namespace headrace::record {

// Returns the register after the n bytes. It is not inverted at either end, so
// it is linear: CRCs of ranges can be added and subtracted (range_crc.h).
uint32_t Crc32cRegister(uint32_t state, const void* data, size_t n);
// Returns the register after n zero bytes. Takes one step for each byte of the
// number n, at most eight.
uint32_t Crc32cZeros(uint32_t state, uint64_t n);

// Names the implementation on this machine: "vpclmulqdq", "sse4.2+pclmul",
// "arm-crc" or "table".
std::string_view Crc32cPath();

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_CRC32C_CRC32C_H_
