// The 12-byte header of a TFRecord and its checksum, without SIMD.
//
// src/input/compression uses it to tell a plain file from a compressed one,
// src/input/record to check single headers, and the fast CRC32C of
// src/input/crc32c builds on it.
//
// CRC32C is Castagnoli: reflected polynomial 0x82F63B78, initial value and
// final XOR 0xFFFFFFFF. TFRecord stores it masked, so that a checksum of data
// that contains checksums still detects errors (LevelDB's rule): rotate right
// by 15 bits, then add 0xa282ead8 modulo 2^32.

#ifndef HEADRACE_SRC_BASE_RECORD_HEADER_H_
#define HEADRACE_SRC_BASE_RECORD_HEADER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/base/framing.h"  // IWYU pragma: export
#include "src/base/little_endian.h"

namespace headrace {

// kCrc32cTable[b] is the register after byte b, if it was zero before.
inline constexpr std::array<uint32_t, 256> kCrc32cTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    }
    table[i] = crc;
  }
  return table;
}();

// Computes a CRC32C with one table look-up per byte.
constexpr uint32_t ScalarCrc32c(const uint8_t* data, size_t size) {
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = 0; i < size; ++i) {
    crc = (crc >> 8) ^ kCrc32cTable[(crc ^ data[i]) & 0xFFu];
  }
  return crc ^ 0xFFFFFFFFu;
}

// Whether `header`, of kRecordHeaderBytes bytes, has the right masked CRC32C of
// its length; the length itself may be absurd.
inline bool IsRecordHeader(const uint8_t* header) {
  return LoadLittle32(header + 8) == MaskCrc32c(ScalarCrc32c(header, 8));
}

// Returns true for kRecordHeaderBytes bytes of printable ASCII, tab, CR or LF:
// no valid header looks like that, because its first 8 bytes would declare a
// length beyond any limit (docs/formats/tfrecord.md).
constexpr bool IsTextHeader(const uint8_t* header) {
  for (size_t i = 0; i < kRecordHeaderBytes; ++i) {
    const uint8_t byte = header[i];
    const bool is_space = byte == '\t' || byte == '\r' || byte == '\n';
    if (!is_space && (byte < 0x20 || byte > 0x7e)) return false;
  }
  return true;
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_RECORD_HEADER_H_
