// RecordFetcher reads the records of rows, for Dataset. It reads neighbouring
// records together, and can keep whole blocks of rows for later calls.

#ifndef HEADRACE_SRC_READ_DATASET_RECORD_FETCHER_H_
#define HEADRACE_SRC_READ_DATASET_RECORD_FETCHER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/status.h"
#include "src/base/memory/pin.h"
#include "src/input/record/framer.h"
#include "src/input/source/block_pool.h"
#include "src/input/source/source.h"
#include "src/read/batch/batch_storage.h"
#include "src/read/dataset/record_table.h"

namespace headrace::dataset {

// Opens files for any number of readers, one at a time.
class FileOpener {
 public:
  // Both arguments must outlive the opener.
  FileOpener(const RecordTable& table, const DatasetOptions& options)
      : table_(table), options_(options), checked_(table.files().size()) {}

  // Compares the file with its index, then opens it. An input of the caller is
  // compared only once.
  Result<std::unique_ptr<source::Source>> Open(uint32_t file);

 private:
  const RecordTable& table_;
  const DatasetOptions& options_;
  std::mutex mutex_;
  std::vector<bool> checked_;
};

// Reads bytes of the files of a table, at any offset. One thread at a time may
// use a reader.
class FileReader {
 public:
  FileReader(const RecordTable& table, FileOpener* opener)
      : table_(table), opener_(opener), sources_(table.files().size()) {}

  // Fills `to` with the bytes from `offset` on. kBadIndex if there are fewer.
  Status Read(uint32_t file, uint64_t offset, std::span<uint8_t> to);

  // Hints that these bytes of an open file will be read soon: Prefetch brings
  // mapped bytes into the processor's cache, WillNeed has the system fetch them
  // from disk.
  void Prefetch(uint32_t file, uint64_t offset, uint64_t size) const;
  void WillNeed(uint32_t file, uint64_t offset, uint64_t size) const;

 private:
  Result<source::Source*> Open(uint32_t file);

  const RecordTable& table_;
  FileOpener* const opener_;
  // Sources of the files opened last, by file; null for others.
  std::vector<std::unique_ptr<source::Source>> sources_;
  std::deque<uint32_t> open_;  // the oldest one first
};

// A record that was read and has a correct header. Readable slack follows its
// bytes.
struct FetchedRecord {
  record::RecordSpan span;
  uint32_t file = 0;
  bool is_intact = true;  // false if the payload's CRC was checked and is wrong
  uint64_t record = 0;    // its number in the file
};

// Memory of records. The bytes stay valid while they are pinned.
struct FetchedMemory {
  reader::PinnedBytes bytes;
  Pin pin;
};

struct Fetched {
  std::span<const FetchedRecord> records;
  std::span<const FetchedMemory> memory;  // has the bytes of all records
};

// Not thread-safe; fetchers may share a table.
class RecordFetcher {
 public:
  // Both arguments must outlive the fetcher.
  RecordFetcher(const RecordTable& table, const DatasetOptions& options);

  // Returns the records of these rows, in the order of `rows`. Rows must be
  // below the table's size. The records are valid until the next call; their
  // bytes are valid as long as they are pinned.
  Result<Fetched> Fetch(std::span<const uint64_t> rows,
                        const TakeOptions& options);

 private:
  // The rows [begin, end) of rows_. Their records share a piece of memory.
  struct Group {
    size_t begin = 0;
    size_t end = 0;
    FetchedMemory memory = {};
  };
  // Consecutive bytes of one file that hold the records of the rows [begin,
  // end) of rows_.
  struct Run {
    uint32_t file = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    size_t begin = 0;
    size_t end = 0;
    uint8_t* bytes = nullptr;  // in the memory of its group
  };
  struct KeptBlock {
    std::vector<FetchedRecord> records;  // empty before they are read
    FetchedMemory memory;
    uint64_t last_call = 0;  // calls_ when it was last asked for
    uint64_t lane = 0;       // the lane that asked for it first
  };
  struct Lane {
    std::deque<uint64_t> read;  // numbers of kept blocks, oldest first
    uint64_t last_turn = 0;     // turns_ when rows of it were last asked for
  };

  // Whether the caller wants the call to end.
  bool IsInterrupted() const {
    return take_->interrupted && take_->interrupted();
  }
  Result<Fetched> FetchRows(std::span<const uint64_t> rows);
  Result<Fetched> FetchByBlocks(std::span<const uint64_t> rows,
                                const TakeOptions& options);
  // Finds the blocks of the rows among the kept ones, or adds empty ones and
  // puts their numbers into missing_.
  void FindBlocks(std::span<const uint64_t> rows,
                  std::span<const uint64_t> lanes);
  Status ReadMissing();
  void BeginTurn(uint64_t lane);
  // Keeps at most `most` blocks of each lane.
  void ForgetBlocks(uint64_t most);

  // Reads rows_ into records_ and the memory of groups_.
  Status FetchGroups();
  Status OpenFiles();
  Status Locate();
  Status CheckLengths() const;
  void MakeRuns();
  bool JoinsLastRun(size_t i) const;  // row i, of the same group
  Status AllocateGroups();
  Status ReadRuns();
  void FindStretches();
  Status ReadRunsOfFiles();
  Status ReadRun(const Run& run, FileReader* reader);
  Status Frame(const Run& run);

  const RecordTable& table_;
  const DatasetOptions& options_;
  const std::shared_ptr<source::BlockPool> pool_;
  FileOpener opener_;
  const TakeOptions* take_ = nullptr;  // of the call
  std::deque<FileReader> readers_;     // one per thread

  std::vector<uint64_t> rows_;
  std::vector<uint64_t> numbers_;  // of the rows in their files
  std::vector<RecordPlace> places_;
  std::vector<FetchedRecord> records_;
  std::vector<Group> groups_;
  std::vector<Run> runs_;
  std::vector<size_t> stretches_;  // first run of each; one thread reads it
  std::vector<FetchedRecord> fetched_;
  std::vector<FetchedMemory> fetched_memory_;

  uint64_t kept_rows_ = 0;  // of each kept block
  uint64_t calls_ = 0;
  std::unordered_map<uint64_t, KeptBlock> kept_;  // by number
  std::unordered_map<uint64_t, Lane> lanes_;      // by number
  uint64_t turn_of_ = 0;                          // the lane of the last row
  uint64_t turns_ = 0;                            // how often the lane changed
  std::vector<uint64_t> missing_;        // numbers of blocks, ascending
  std::vector<const KeptBlock*> found_;  // of each row
};

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_READ_DATASET_RECORD_FETCHER_H_
