// Entries are records in memory or in temporary files. Buckets are temporary
// files, each with the records of a run of output positions, and each small
// enough for memory.

#ifndef HEADRACE_SRC_CLI_SHUFFLE_BUCKETS_H_
#define HEADRACE_SRC_CLI_SHUFFLE_BUCKETS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "src/base/framing.h"
#include "src/cli/shuffle/temporary_file.h"

namespace headrace::cli {

// The payload follows. The CRC of the payload makes sure that the output has
// the bytes that were read.
struct EntryHeader {
  uint64_t record;  // the number of the record in the whole input
  uint32_t size;
  uint32_t crc;

  static EntryHeader Of(uint64_t record, std::string_view payload) {
    return {record, static_cast<uint32_t>(payload.size()),
            Crc32c(payload.data(), payload.size())};
  }
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(this), sizeof(*this)};
  }
};
static_assert(sizeof(EntryHeader) == 16);

// EntryWriter collects entries in memory that the caller provides.
class EntryWriter {
 public:
  explicit EntryWriter(std::span<char> memory) : memory_(memory) {}

  // Returns false if fewer than `reserved` bytes of the memory would stay free.
  bool Add(const EntryHeader& header, std::string_view payload,
           size_t reserved = 0) {
    const size_t free = memory_.size() - used_;
    if (reserved > free || sizeof(header) > free - reserved ||
        payload.size() > free - reserved - sizeof(header)) {
      return false;
    }
    std::memcpy(memory_.data() + used_, &header, sizeof(header));
    used_ += sizeof(header);
    if (!payload.empty()) {
      std::memcpy(memory_.data() + used_, payload.data(), payload.size());
    }
    used_ += payload.size();
    return true;
  }
  // Appends the entries in the memory to the file. Then adds this entry to the
  // memory or, if it is too large, to the file.
  Status Spill(const EntryHeader& header, std::string_view payload,
               TemporaryFile* file);
  Status Flush(TemporaryFile* file);

  std::string_view entries() const { return {memory_.data(), used_}; }

 private:
  std::span<char> memory_;
  size_t used_ = 0;
};

// EntryReader returns entries that are in memory, or in a file.
class EntryReader {
 public:
  explicit EntryReader(std::string_view entries)
      : size_(entries.size()), window_(entries) {}
  // Keeps as much of the file in `memory` as fits; only a single entry that is
  // larger needs more.
  EntryReader(const TemporaryFile* file, std::span<char> memory)
      : file_(file), memory_(memory), size_(file->size()) {}

  // Header returns the entry at this offset without its payload, Get with its
  // payload. Bytes are valid until the next call. Entries should be read one
  // after another.
  Result<EntryHeader> Header(uint64_t offset);
  struct Entry {
    EntryHeader header;
    std::string_view payload;
  };
  Result<Entry> Get(uint64_t offset);

  uint64_t size() const { return size_; }
  // Returns the error for a file, or memory, that does not hold what was
  // written to it.
  Status Damaged() const;

 private:
  // Returns bytes [offset, offset + size), which are valid until the next call.
  Result<const char*> Bytes(uint64_t offset, uint64_t size);
  Status Read(uint64_t offset, uint64_t wanted);

  const TemporaryFile* file_ = nullptr;
  std::span<char> memory_;
  std::string large_;  // an entry that does not fit the memory
  uint64_t size_;
  // Bytes of the file, from window_begin_ on.
  std::string_view window_;
  uint64_t window_begin_ = 0;
};

// Bucket b has the positions [b * rows, (b + 1) * rows); the last one has
// fewer.
struct BucketPlan {
  uint64_t count = 0;
  uint64_t rows = 0;
  size_t buffer_bytes = 0;  // of each, while all are written
};

// Plans buckets for entries of this many bytes in total: a random share of
// `rows` entries, together with a number for each, is expected to fill three
// quarters of the memory. There must be at least one record. Returns
// kInvalidArgument, with the memory needed, if the memory is too small, or if
// more than `most_buckets` would be needed.
Result<BucketPlan> PlanBuckets(uint64_t records, uint64_t entry_bytes,
                               uint64_t memory, uint64_t most_buckets);

class Buckets {
 public:
  // `memory` is for the buffers, until Finish.
  static Result<Buckets> Create(const BucketPlan& plan,
                                const std::string& folder,
                                std::span<char> memory);

  Status Add(uint64_t position, const EntryHeader& header,
             std::string_view payload);
  // Writes what is still in the buffers. Nothing is added after it.
  Status Finish();
  // Returns the file of a bucket, once.
  TemporaryFile Take(uint64_t bucket) {
    return std::move(files_[static_cast<size_t>(bucket)]);
  }

 private:
  explicit Buckets(const BucketPlan& plan) : plan_(plan) {}

  BucketPlan plan_;
  std::vector<TemporaryFile> files_;
  std::vector<EntryWriter> buffers_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_SHUFFLE_BUCKETS_H_
