// Computes CRC32C with instructions that few 64-bit ARM processors lack.

#ifndef HEADRACE_SRC_INPUT_CRC32C_CRC32C_ARM_H_
#define HEADRACE_SRC_INPUT_CRC32C_CRC32C_ARM_H_

#include <cstddef>
#include <cstdint>

namespace headrace::record {

// Whether this processor has these instructions. False until static data is
// initialised.
extern const bool kArmHasCrc;

// Does what Crc32cRegister does. Must be called only if kArmHasCrc; otherwise
// it runs an illegal instruction.
uint32_t ArmCrcRegister(uint32_t state, const uint8_t* p, size_t n);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_CRC32C_CRC32C_ARM_H_
