#include "src/base/framing.h"

#include "headrace/record_reader.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c.h"

namespace headrace {

static_assert(kRecordOverhead == kRecordHeaderBytes + kRecordFooterBytes);

uint32_t Crc32c(const void* data, size_t size) {
  return record::Crc32c(data, size);
}

uint32_t Crc32cExtend(uint32_t crc, const void* data, size_t size) {
  return record::Crc32cExtend(crc, data, size);
}

std::array<uint8_t, kRecordHeaderBytes> RecordHeader(uint64_t payload_size) {
  std::array<uint8_t, kRecordHeaderBytes> header;
  StoreLittle64(header.data(), payload_size);
  StoreLittle32(header.data() + 8, MaskCrc32c(Crc32c(header.data(), 8)));
  return header;
}

std::array<uint8_t, kRecordFooterBytes> RecordFooter(std::string_view payload) {
  std::array<uint8_t, kRecordFooterBytes> footer;
  StoreLittle32(footer.data(),
                MaskCrc32c(Crc32c(payload.data(), payload.size())));
  return footer;
}

std::optional<uint64_t> ReadRecordHeader(
    std::span<const uint8_t, kRecordHeaderBytes> header) {
  if (!IsRecordHeader(header.data())) return std::nullopt;
  return LoadLittle64(header.data());
}

bool IsRecordFooter(std::span<const uint8_t, kRecordFooterBytes> footer,
                    std::string_view payload) {
  return LoadLittle32(footer.data()) ==
         MaskCrc32c(Crc32c(payload.data(), payload.size()));
}

}  // namespace headrace
