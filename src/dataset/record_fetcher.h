// RecordFetcher reads the records of rows, wherever they lie.
//
// Not thread-safe; fetchers may share a table.

#ifndef HEADRACE_SRC_DATASET_RECORD_FETCHER_H_
#define HEADRACE_SRC_DATASET_RECORD_FETCHER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/status.h"
#include "src/base/pin.h"
#include "src/dataset/record_table.h"
#include "src/reader/batch_storage.h"
#include "src/record/record_span.h"
#include "src/source/block_pool.h"
#include "src/source/source.h"

namespace headrace::dataset {

// A record that was read. There is readable slack behind its bytes; its header
// is right, its payload is not yet checked.
struct FetchedRecord {
  record::RecordSpan span;
  uint32_t file = 0;
  uint64_t record = 0;  // its number in the file
};

// The bytes stay while somebody pins them.
struct FetchedMemory {
  reader::PinnedBytes bytes;
  Pin pin;
};

struct Fetched {
  std::span<const FetchedRecord> records;
  std::span<const FetchedMemory> memory;  // has the bytes of all records
};

class RecordFetcher {
 public:
  // Both outlive the fetcher.
  RecordFetcher(const RecordTable& table, const DatasetOptions& options);

  // Gives the records of these rows, which are below the table's size, in the
  // order asked for. They are valid until the next call, their bytes longer.
  Result<Fetched> Fetch(std::span<const uint64_t> rows,
                        const TakeOptions& options);

 private:
  // A run of bytes of one file has the rows [begin, end) of rows_.
  struct Run {
    uint32_t file = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    size_t begin = 0;
    size_t end = 0;
  };
  struct KeptBlock {
    uint64_t number = 0;
    std::vector<FetchedRecord> records;
    FetchedMemory memory;
  };

  // Reads rows_ into records_ and memory_.
  Status FetchRows();
  Result<Fetched> FetchByBlocks(std::span<const uint64_t> rows,
                                const TakeOptions& options);
  Status Locate();
  Status MakeRuns();
  Status ReadRuns();
  Status ReadRun(size_t number, uint8_t* to);
  Status Frame(const Run& run, const uint8_t* bytes);
  Result<const KeptBlock*> GetBlock(uint64_t number,
                                    const TakeOptions& options);
  Result<source::Source*> Open(uint32_t file);

  const RecordTable& table_;
  const DatasetOptions& options_;
  std::shared_ptr<source::BlockPool> pool_;
  // Sources of the files that were read last, by file; null for others.
  std::vector<std::unique_ptr<source::Source>> sources_;
  std::deque<uint32_t> open_;  // the one opened first is first

  std::vector<uint64_t> rows_;
  std::vector<uint64_t> numbers_;  // of the rows in their files
  std::vector<RecordPlace> places_;
  std::vector<FetchedRecord> records_;
  FetchedMemory memory_;
  std::vector<Run> runs_;
  std::vector<FetchedRecord> fetched_;
  std::vector<FetchedMemory> fetched_memory_;
  uint64_t kept_rows_ = 0;      // of each kept block
  std::deque<KeptBlock> kept_;  // the one read last is last
};

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_DATASET_RECORD_FETCHER_H_
