// The framing of TFRecord files: the header and footer around a record's
// payload, for code that writes or checks records without RecordReader and
// RecordWriter. src/input/crc32c/crc32c.cc has the code.
//
// A record is a header, its payload and a footer. The header is the payload's
// size (u64) and a checksum of these 8 bytes (u32); the footer is a checksum of
// the payload (u32). Numbers are little-endian. Checksums are CRC32C
// (Castagnoli) and stored masked.
//
// No function here fails, allocates or throws. All are thread-safe.

#ifndef HEADRACE_SRC_BASE_FRAMING_H_
#define HEADRACE_SRC_BASE_FRAMING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace {

inline constexpr size_t kRecordHeaderBytes = 12;
inline constexpr size_t kRecordFooterBytes = 4;

// Returns the CRC32C of `size` bytes, as fast as the processor allows; reads no
// other byte. The CRC of "123456789" is 0xe3069283; the CRC of no bytes is 0.
uint32_t Crc32c(const void* data, size_t size);
// Returns the CRC32C of a text A followed by these bytes, where `crc` is the
// CRC32C of A.
uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t size);

// Returns the checksum as TFRecord stores it: rotated right by 15 bits, plus
// 0xa282ead8. The masking is needed because a CRC of data that contains its own
// CRC detects fewer errors.
constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

// Return the header of a payload of this size, and the footer of this payload.
std::array<uint8_t, kRecordHeaderBytes> RecordHeader(uint64_t payload_size);
std::array<uint8_t, kRecordFooterBytes> RecordFooter(std::string_view payload);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_FRAMING_H_
