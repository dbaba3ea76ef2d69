// TFRecord files in memory are right or damaged on purpose. They follow the
// format's description alone: nothing here comes from the library.

#ifndef HEADRACE_TESTS_SUPPORT_RECORD_FILE_H_
#define HEADRACE_TESTS_SUPPORT_RECORD_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::testing {

// This goes bit by bit, as the polynomial says.
uint32_t Crc32c(std::string_view bytes);
// It is stored rotated and shifted, so that a CRC of CRCs stays useful.
uint32_t MaskedCrc32c(std::string_view bytes);

// Any bytes may follow these first 12 of a record.
std::string RecordHeader(uint64_t declared_length);
// A record has header, payload and footer.
std::string FramedRecord(std::string_view payload);
std::string RecordFile(const std::vector<std::string>& payloads);

// A DamagedFile remembers where its records begin, and has verbs that damage
// it. Verbs chain and take effect at once; offsets are those of the bytes at
// that moment.
class DamagedFile {
 public:
  explicit DamagedFile(const std::vector<std::string>& payloads);
  explicit DamagedFile(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  // Record i was written here; one more than there are records gives the end.
  uint64_t offset(size_t record) const { return offsets_[record]; }

  // Bits count from the first byte's lowest.
  DamagedFile& FlipBit(size_t bit);
  // The bits of `mask` are inverted.
  DamagedFile& FlipByte(size_t offset, uint8_t mask = 0xff);
  DamagedFile& SetByte(size_t offset, uint8_t value);
  DamagedFile& Overwrite(size_t offset, std::string_view bytes);
  DamagedFile& CutTo(size_t size);
  DamagedFile& Insert(size_t offset, std::string_view bytes);
  DamagedFile& Delete(size_t offset, size_t count);
  DamagedFile& Append(std::string_view bytes);

  // Makes a record's checksums right after damage. Its header begins at
  // `record_offset`, and its payload ends where its length says.
  DamagedFile& ResealHeader(size_t record_offset);
  DamagedFile& ResealPayload(size_t record_offset);

 private:
  std::string bytes_;
  std::vector<uint64_t> offsets_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_RECORD_FILE_H_
