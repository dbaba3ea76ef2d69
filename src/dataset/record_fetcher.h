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
#include "src/dataset/file_reader.h"
#include "src/dataset/record_table.h"
#include "src/reader/batch_storage.h"
#include "src/record/record_span.h"
#include "src/source/block_pool.h"

namespace headrace::dataset {

// A record that was read. There is readable slack behind its bytes, and its
// header is right.
struct FetchedRecord {
  record::RecordSpan span;
  uint32_t file = 0;
  bool is_intact = true;  // false if the payload's CRC was checked and is wrong
  uint64_t record = 0;    // its number in the file
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
  // The records of the rows [begin, end) of rows_ share a piece of memory.
  struct Group {
    size_t begin = 0;
    size_t end = 0;
    FetchedMemory memory = {};
  };
  // A run of bytes of one file has the rows [begin, end) of rows_.
  struct Run {
    uint32_t file = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    size_t begin = 0;
    size_t end = 0;
    uint8_t* bytes = nullptr;  // in the memory of its group
  };
  struct KeptBlock {
    uint64_t number = 0;
    std::vector<FetchedRecord> records;
    FetchedMemory memory;
  };

  Result<Fetched> FetchRows(std::span<const uint64_t> rows);
  Result<Fetched> FetchByBlocks(std::span<const uint64_t> rows,
                                const TakeOptions& options);
  // Finds blocks_ among those that are kept, and reads the others.
  Status FindBlocks(const TakeOptions& options);

  // Reads rows_ into records_ and the memory of groups_.
  Status FetchGroups();
  Status Locate();
  Status CheckLengths() const;
  void MakeRuns();
  bool JoinsLastRun(size_t i) const;  // row i, of the same group
  Status AllocateGroups();
  Status ReadRuns();
  Status ReadRunsOfFiles();
  Status ReadRun(const Run& run, FileReader* reader);
  Status Frame(const Run& run);

  const RecordTable& table_;
  const DatasetOptions& options_;
  const std::shared_ptr<source::BlockPool> pool_;
  FileOpener opener_;
  std::deque<FileReader> readers_;  // one a thread

  std::vector<uint64_t> rows_;
  std::vector<uint64_t> numbers_;  // of the rows in their files
  std::vector<RecordPlace> places_;
  std::vector<FetchedRecord> records_;
  std::vector<Group> groups_;
  std::vector<Run> runs_;
  std::vector<FetchedRecord> fetched_;
  std::vector<FetchedMemory> fetched_memory_;

  uint64_t kept_rows_ = 0;               // of each kept block
  std::deque<KeptBlock> kept_;           // the one read last is last
  std::vector<uint64_t> blocks_;         // that the rows lie in, ascending
  std::vector<const KeptBlock*> found_;  // those blocks
};

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_DATASET_RECORD_FETCHER_H_
