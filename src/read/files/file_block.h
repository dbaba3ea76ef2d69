// FileBlock: consecutive records from one window of one file. Skipped: the
// regions that the damage policy left out around them. RecordStream passes both
// to the parts of Reader.

#ifndef HEADRACE_SRC_READ_FILES_FILE_BLOCK_H_
#define HEADRACE_SRC_READ_FILES_FILE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headrace/reader.h"
#include "src/input/record/scanner.h"

namespace headrace::reader {

// Records per SIMD dispatch: enough to amortize its cost.
inline constexpr size_t kBlockRecords = 256;

struct FileBlock {
  record::Block block;
  uint32_t file = 0;  // index of the file

  // Returns the block without its first `num_records` records.
  FileBlock After(size_t num_records) const;
};

// Returns how many records, from the first on, fit a batch that has payloads of
// `bytes` bytes and may have `most_bytes`. At least one fits an empty batch.
// Records known to be bad use no room.
size_t CountThatFit(std::span<const record::RecordSpan> records, uint64_t bytes,
                    uint64_t most_bytes, bool is_empty);

// Appends regions up to a total of `max_regions`.
void AppendRegions(std::vector<FileRegion>&& more, size_t max_regions,
                   std::vector<FileRegion>* regions);

// Regions that were left out. The lists are bounded, the count is not.
struct Skipped {
  std::vector<FileRegion> regions;
  // For each of these regions, the number that a record at its beginning would
  // have, or kUnknown.
  std::vector<uint64_t> records;
  uint64_t count = 0;

  void Add(Skipped&& more, size_t max_regions);
  void Clear();
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FILE_BLOCK_H_
