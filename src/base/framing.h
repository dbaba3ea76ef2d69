// The framing of TFRecord files: what stands around a record's payload. Use it
// to write or check records by other means than RecordReader and RecordWriter.
// src/input/crc32c has the code.
//
// A record is a header, its payload and a footer. The header is the payload's
// size (u64) and a checksum of these 8 bytes (u32); the footer is a checksum of
// the payload (u32). Numbers are little-endian. Checksums are CRC32C
// (Castagnoli) and stored masked.
//
// Nothing here fails, allocates or throws; any number of threads may call.

#ifndef HEADRACE_SRC_BASE_FRAMING_H_
#define HEADRACE_SRC_BASE_FRAMING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headrace {

inline constexpr size_t kRecordHeaderBytes = 12;
inline constexpr size_t kRecordFooterBytes = 4;

// The CRC32C of `size` bytes, as fast as the processor allows; no other byte is
// read. That of "123456789" is 0xe3069283, that of no bytes 0.
uint32_t Crc32c(const void* data, size_t size);
// The CRC32C of A followed by these bytes, where `crc` is that of A.
uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t size);

// The checksum as TFRecord stores it: rotated right by 15 bits, plus
// 0xa282ead8, because a CRC of data that holds its own CRC finds less.
constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
constexpr uint32_t UnmaskCrc32c(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated << 15) | (rotated >> 17);
}

// The bytes before a payload of that size, and those behind this payload.
std::array<uint8_t, kRecordHeaderBytes> RecordHeader(uint64_t payload_size);
std::array<uint8_t, kRecordFooterBytes> RecordFooter(std::string_view payload);

// The payload's size that a header declares; empty if its checksum is wrong.
// The caller checks whether so many bytes are there, and allowed.
std::optional<uint64_t> ReadRecordHeader(
    std::span<const uint8_t, kRecordHeaderBytes> header);
// Whether the footer's checksum is that of the payload before it.
bool IsRecordFooter(std::span<const uint8_t, kRecordFooterBytes> footer,
                    std::string_view payload);

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_FRAMING_H_
