// TFRecord files in memory, right or damaged on purpose. Written from the
// format's description alone: nothing here comes from the library.

#ifndef HEADRACE_TESTS_SUPPORT_RECORD_FILE_H_
#define HEADRACE_TESTS_SUPPORT_RECORD_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::testing {

// Bit by bit, as the polynomial says.
uint32_t Crc32c(std::string_view bytes);
// As it is stored: rotated and shifted, so that a CRC of CRCs stays useful.
uint32_t MaskedCrc32c(std::string_view bytes);

// Length and its checksum: the first 12 bytes of a record, whatever follows.
std::string RecordHeader(uint64_t declared_length);
// Header, payload and footer.
std::string FramedRecord(std::string_view payload);
// Records one after another.
std::string RecordFile(const std::vector<std::string>& payloads);

// A file that remembers where its records begin, with verbs that damage it.
// Verbs chain and take effect at once; offsets are those of the bytes as they
// are at that moment.
class DamagedFile {
 public:
  explicit DamagedFile(const std::vector<std::string>& payloads);
  explicit DamagedFile(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  // Of record i as it was written; one more than there are records gives the
  // end.
  uint64_t offset(size_t record) const { return offsets_[record]; }

  // Inverts one bit; bits count from the first byte's lowest.
  DamagedFile& FlipBit(size_t bit);
  // Inverts the bits of `mask` in one byte.
  DamagedFile& FlipByte(size_t offset, uint8_t mask = 0xff);
  DamagedFile& SetByte(size_t offset, uint8_t value);
  DamagedFile& Overwrite(size_t offset, std::string_view bytes);
  // Keeps the first `size` bytes.
  DamagedFile& CutTo(size_t size);
  DamagedFile& Insert(size_t offset, std::string_view bytes);
  DamagedFile& Delete(size_t offset, size_t count);
  DamagedFile& Append(std::string_view bytes);

  // Makes a record's checksums right again after damage; `record_offset` is
  // where its header begins, and its payload ends where its length says.
  DamagedFile& ResealHeader(size_t record_offset);
  DamagedFile& ResealPayload(size_t record_offset);

 private:
  std::string bytes_;
  std::vector<uint64_t> offsets_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_RECORD_FILE_H_
