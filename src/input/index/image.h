// The bytes of an index, in the format HRI that docs/formats/index.md
// describes: Image finds records in them, which may be any bytes, and
// ImageWriter writes them.

#ifndef HEADRACE_SRC_INPUT_INDEX_IMAGE_H_
#define HEADRACE_SRC_INPUT_INDEX_IMAGE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/index.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/index/file_identity.h"
#include "src/input/source/file_stream.h"

namespace headrace::index {

inline constexpr size_t kHeadBytes = 72;
inline constexpr size_t kEntryBytes = 32;  // of the directory
inline constexpr size_t kBlockRecords = 64;
inline constexpr size_t kMaxWidth = 8;
// Sums of a few numbers up to this one do not overflow.
inline constexpr uint64_t kMaxStreamBytes = uint64_t{1} << 61;

// The last block may have fewer than kBlockRecords records.
inline uint64_t NumBlocks(uint64_t records) {
  return records / kBlockRecords + (records % kBlockRecords != 0 ? 1 : 0);
}

// IndexBytes holds the bytes of an index file, in memory or mapped.
class IndexBytes {
 public:
  explicit IndexBytes(std::vector<uint8_t> bytes) {
    auto read = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
    bytes_ = *read;
    owner_ = std::move(read);
  }

  static constexpr uint64_t kMaxInMemory = uint64_t{48} << 20;

  // Reads files up to kMaxInMemory and maps larger ones. If a mapped file
  // shrinks, using its bytes ends the process. An index is therefore replaced
  // by renaming, which does not change the mapped file.
  static Result<IndexBytes> ReadOrMap(source::FileStream* file,
                                      const std::string& path);

  std::span<const uint8_t> bytes() const { return bytes_; }
  // Keeps the bytes alive, at the same address.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  bool is_mapped() const { return is_mapped_; }

 private:
  IndexBytes(const std::shared_ptr<const uint8_t>& mapped, size_t size)
      : owner_(mapped), bytes_(mapped.get(), size), is_mapped_(true) {}

  std::shared_ptr<const void> owner_;
  std::span<const uint8_t> bytes_;
  bool is_mapped_ = false;
};

// Whether other processes may change the bytes of an image.
enum class Bytes : uint8_t { kOurs, kMapped };

// The head, with which an index begins.
struct Head {
  FileIdentity identity;
  uint64_t num_records = 0;
  uint64_t stream_bytes = 0;
  uint64_t directory_at = 0;
  bool has_points = false;

  // Where the directory ends and the points begin, in an index that is not cut.
  uint64_t directory_end() const {
    return directory_at + NumBlocks(num_records) * kEntryBytes;
  }
  // Reads the head. Returns why the bytes do not begin an index, or "".
  std::string Read(std::span<const uint8_t> bytes);
};

// Image finds records in the bytes of an index. Thread-safe.
class Image {
 public:
  // Checks the head and that the number of bytes matches it. Blocks are checked
  // when they are used: once each, or every time if the bytes are mapped and so
  // may change. The bytes must live as long as the image; `owner` keeps them
  // alive for the seek table. `name` is the name of the index in errors and may
  // be empty.
  static Result<Image> Open(std::span<const uint8_t> bytes, Bytes whose,
                            const std::string& name,
                            std::shared_ptr<const void> owner = nullptr);

  Status Find(std::span<const uint64_t> records,
              std::span<RecordPlace> places) const;

  uint64_t num_records() const { return head_.num_records; }
  uint64_t stream_bytes() const { return head_.stream_bytes; }
  const FileIdentity& identity() const { return head_.identity; }
  // The seek table of a compressed file; null for a plain one.
  const std::shared_ptr<const compression::SeekTable>& seek_table() const {
    return seek_table_;
  }
  std::span<const uint8_t> bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

 private:
  struct Block;

  Image(std::span<const uint8_t> bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}
  Status ReadHead(std::shared_ptr<const void> owner);
  const uint8_t* EntryOf(uint64_t number) const;
  void PrefetchFor(std::span<const uint64_t> next) const;
  bool Load(uint64_t number, Block* block) const;
  bool Check(uint64_t number, const uint8_t* entry, Block* block) const;
  static RecordPlace Place(const Block& block, size_t row);
  Status Bad(const std::string& message) const;
  Status BadBlock(uint64_t number) const;

  std::span<const uint8_t> bytes_;
  std::string name_;
  Head head_;
  std::shared_ptr<const compression::SeekTable> seek_table_;
  // A bit per block that was checked and is right; null if the bytes may
  // change.
  std::unique_ptr<std::atomic<uint64_t>[]> checked_;
};

// ImageWriter writes the bytes of an index.
class ImageWriter {
 public:
  ImageWriter();

  // Adds a record with a payload of `length` bytes, which begins where the last
  // one ended. All records together have at most kMaxStreamBytes.
  void Add(uint64_t length);

  uint64_t num_records() const { return num_records_; }
  uint64_t stream_bytes() const { return end_; }
  // The offset of the last record; there must be one.
  uint64_t last_offset() const {
    return end_ - kRecordOverhead -
           lengths_[static_cast<size_t>((num_records_ - 1) % kBlockRecords)];
  }

  // Returns the index. Call it once, and last. `table` is the seek table of a
  // compressed file, or null.
  std::vector<uint8_t> Finish(const FileIdentity& identity,
                              const compression::SeekTable* table = nullptr);

 private:
  void CloseBlock();

  std::vector<uint8_t> image_;      // the head, then the lengths of all blocks
  std::vector<uint8_t> directory_;  // follows the lengths
  std::array<uint64_t, kBlockRecords> lengths_;  // of the open block
  uint64_t block_offset_ = 0;
  uint64_t num_records_ = 0;
  uint64_t end_ = 0;
};

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_IMAGE_H_
