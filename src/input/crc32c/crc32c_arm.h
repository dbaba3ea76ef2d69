// CRC32C by instructions of ARM that few of its processors of 64 bits lack.

#ifndef HEADRACE_SRC_INPUT_CRC32C_CRC32C_ARM_H_
#define HEADRACE_SRC_INPUT_CRC32C_CRC32C_ARM_H_

#include <cstddef>
#include <cstdint>

namespace headrace::record {

// Whether this processor has them. False until static data are made.
extern const bool kArmHasCrc;

// Crc32cRegister where kArmHasCrc is true; an illegal instruction elsewhere.
uint32_t ArmCrcRegister(uint32_t state, const uint8_t* p, size_t n);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_CRC32C_CRC32C_ARM_H_
