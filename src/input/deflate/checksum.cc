#include "src/input/deflate/checksum.h"

#include <zlib.h>

#if HEADRACE_HAVE_ISAL
#include <isa-l/crc.h>
#endif

namespace headrace::compression {

uint32_t Crc32(uint32_t crc, std::span<const uint8_t> bytes) {
#if HEADRACE_HAVE_ISAL
  // Carry-less multiplication, an order of magnitude faster than zlib's tables.
  return crc32_gzip_refl(crc, bytes.data(), bytes.size());
#else
  return static_cast<uint32_t>(crc32_z(crc, bytes.data(), bytes.size()));
#endif
}

uint32_t Adler32(uint32_t adler, std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(adler32_z(adler, bytes.data(), bytes.size()));
}

}  // namespace headrace::compression
