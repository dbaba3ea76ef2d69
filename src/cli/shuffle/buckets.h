// Buckets: temporary files, each with the records of a run of output positions,
// and each small enough for memory.

#ifndef HEADRACE_SRC_CLI_SHUFFLE_BUCKETS_H_
#define HEADRACE_SRC_CLI_SHUFFLE_BUCKETS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "src/cli/shuffle/entry.h"
#include "src/cli/shuffle/temporary_file.h"

namespace headrace::cli {

// Bucket b has the positions [b * rows, (b + 1) * rows); the last one has
// fewer.
struct BucketPlan {
  uint64_t count = 0;
  uint64_t rows = 0;
  size_t buffer_bytes = 0;  // of each, while all are written
};

// Plans buckets for entries of this many bytes in total: a random share of
// `rows` entries is expected to fill three quarters of the memory, together
// with a number for each. There must be at least one record. kInvalidArgument,
// with the memory needed, if the memory is too small, or if more than
// `most_buckets` would be needed.
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
