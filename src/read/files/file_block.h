// FileBlock has records of one window of one of a reader's files, and what a
// damage policy left out around them.

#ifndef HEADRACE_SRC_READ_FILES_FILE_BLOCK_H_
#define HEADRACE_SRC_READ_FILES_FILE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headrace/reader.h"
#include "src/input/record/scanner.h"

namespace headrace::reader {

struct FileBlock {
  record::Block block;
  uint32_t file = 0;  // index of the file

  // Drops the first `num_records` records.
  FileBlock After(size_t num_records) const;
};

// Counts the records that fit a batch whose payloads hold `bytes` so far and
// may hold `most_bytes`; at least one if the batch is empty. Those known to be
// bad take nothing.
size_t CountThatFit(std::span<const record::RecordSpan> records, uint64_t bytes,
                    uint64_t most_bytes, bool is_empty);

// The list keeps at most `max_regions`.
void AppendRegions(std::vector<FileRegion>&& more, size_t max_regions,
                   std::vector<FileRegion>* regions);

// The list is bounded, the count is not.
struct Skipped {
  std::vector<FileRegion> regions;
  // The number that the record at each of these regions would have; kUnknown
  // where nobody knows.
  std::vector<uint64_t> records;
  uint64_t count = 0;

  void Add(Skipped&& more, size_t max_regions);
  void Clear();
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_FILES_FILE_BLOCK_H_
