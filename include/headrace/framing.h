// The framing of TFRecord files: what stands around a record's payload. For
// those who write or check records by other means; RecordReader and
// RecordWriter know all of it.
//
// A record is a header, its payload and a footer. The header is the payload's
// size (u64) and a checksum of these 8 bytes (u32), the footer a checksum of
// the payload (u32), all little endian. Checksums are CRC32C (Castagnoli) and
// stored masked.
//
// Nothing here fails, takes memory or throws; any number of threads may call.

#ifndef HEADRACE_FRAMING_H_
#define HEADRACE_FRAMING_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headrace {

inline constexpr size_t kRecordHeaderBytes = 12;
inline constexpr size_t kRecordFooterBytes = 4;

// The CRC32C of `size` bytes, as fast as the processor allows; reads no others.
// That of "123456789" is 0xe3069283, that of nothing 0.
uint32_t Crc32c(const void* data, size_t size);
// The CRC32C of A followed by these bytes, where `crc` is that of A.
uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t size);

// As TFRecord stores it, so that a checksum of data that holds checksums stays
// a good one: rotated right by 15 bits, and 0xa282ead8 added.
constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
constexpr uint32_t UnmaskCrc32c(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated << 15) | (rotated >> 17);
}

// What stands before a payload of so many bytes, and behind this one.
std::array<uint8_t, kRecordHeaderBytes> RecordHeader(uint64_t payload_size);
std::array<uint8_t, kRecordFooterBytes> RecordFooter(std::string_view payload);

// The size of the payload behind a header; empty where its checksum is wrong.
// Whether there are so many bytes, and may be, is the caller's to check.
std::optional<uint64_t> ReadRecordHeader(
    std::span<const uint8_t, kRecordHeaderBytes> header);
// Whether the footer's checksum is that of the payload before it.
bool IsRecordFooter(std::span<const uint8_t, kRecordFooterBytes> footer,
                    std::string_view payload);

}  // namespace headrace

#endif  // HEADRACE_FRAMING_H_
