// The checksums of gzip and zlib.

#ifndef HEADRACE_SRC_INPUT_DEFLATE_CHECKSUM_H_
#define HEADRACE_SRC_INPUT_DEFLATE_CHECKSUM_H_

#include <cstdint>
#include <span>

namespace headrace::compression {

// CRC-32 of gzip (not CRC32C). Begin with 0 and pass on the last result.
uint32_t Crc32(uint32_t crc, std::span<const uint8_t> bytes);

// Begin with 1 and pass on the last result.
uint32_t Adler32(uint32_t adler, std::span<const uint8_t> bytes);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_CHECKSUM_H_
