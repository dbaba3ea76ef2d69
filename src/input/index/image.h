// Image finds records in the bytes of an index, which may be any bytes.

#ifndef HEADRACE_SRC_INPUT_INDEX_IMAGE_H_
#define HEADRACE_SRC_INPUT_INDEX_IMAGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "headrace/index.h"
#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image_format.h"

namespace headrace::index {

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

// Thread-safe.
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

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_IMAGE_H_
