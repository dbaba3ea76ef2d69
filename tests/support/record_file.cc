#include "tests/support/record_file.h"

#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

constexpr size_t kLengthBytes = 8;
constexpr size_t kHeaderBytes = 12;
constexpr size_t kFooterBytes = 4;

uint64_t DeclaredLength(std::string_view bytes, size_t record_offset) {
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[record_offset + i]);
    length |= uint64_t{byte} << (8 * i);
  }
  return length;
}

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  constexpr uint32_t kReflectedCastagnoli = 0x82F63B78;
  uint32_t crc = ~uint32_t{0};
  for (char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedCastagnoli : 0);
    }
  }
  return ~crc;
}

uint32_t MaskedCrc32c(std::string_view bytes) {
  const uint32_t crc = Crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8;
}

std::string RecordHeader(uint64_t declared_length) {
  const std::string length = Fixed64(declared_length);
  return length + Fixed32(MaskedCrc32c(length));
}

std::string FramedRecord(std::string_view payload) {
  return RecordHeader(payload.size()) + std::string(payload) +
         Fixed32(MaskedCrc32c(payload));
}

std::string RecordFile(const std::vector<std::string>& payloads) {
  return DamagedFile(payloads).bytes();
}

DamagedFile::DamagedFile(const std::vector<std::string>& payloads) {
  for (const std::string& payload : payloads) {
    offsets_.push_back(bytes_.size());
    bytes_ += FramedRecord(payload);
  }
  offsets_.push_back(bytes_.size());
}

DamagedFile& DamagedFile::FlipBit(size_t bit) {
  return FlipByte(bit / 8, static_cast<uint8_t>(1u << (bit % 8)));
}

DamagedFile& DamagedFile::FlipByte(size_t offset, uint8_t mask) {
  const auto old = static_cast<uint8_t>(bytes_[offset]);
  return SetByte(offset, static_cast<uint8_t>(old ^ mask));
}

DamagedFile& DamagedFile::SetByte(size_t offset, uint8_t value) {
  bytes_[offset] = static_cast<char>(value);
  return *this;
}

DamagedFile& DamagedFile::Overwrite(size_t offset, std::string_view bytes) {
  bytes_.replace(offset, bytes.size(), bytes);
  return *this;
}

DamagedFile& DamagedFile::CutTo(size_t size) {
  bytes_.resize(size);
  return *this;
}

DamagedFile& DamagedFile::Insert(size_t offset, std::string_view bytes) {
  bytes_.insert(offset, bytes);
  return *this;
}

DamagedFile& DamagedFile::Delete(size_t offset, size_t count) {
  bytes_.erase(offset, count);
  return *this;
}

DamagedFile& DamagedFile::Append(std::string_view bytes) {
  bytes_ += bytes;
  return *this;
}

DamagedFile& DamagedFile::ResealHeader(size_t record_offset) {
  const std::string_view length(bytes_.data() + record_offset, kLengthBytes);
  return Overwrite(record_offset + kLengthBytes, Fixed32(MaskedCrc32c(length)));
}

DamagedFile& DamagedFile::ResealPayload(size_t record_offset) {
  const size_t begin = record_offset + kHeaderBytes;
  if (begin > bytes_.size()) return *this;
  const uint64_t length = DeclaredLength(bytes_, record_offset);
  const size_t available = bytes_.size() - begin;
  if (available < kFooterBytes || length > available - kFooterBytes) {
    return *this;  // without room for a footer nothing can be made right
  }
  const std::string_view payload(bytes_.data() + begin,
                                 static_cast<size_t>(length));
  return Overwrite(begin + payload.size(), Fixed32(MaskedCrc32c(payload)));
}

}  // namespace headrace::testing
