// RecordTable says which file has each row of a dataset, and where in the file.
//
// Any number of threads may use it, and so may a child process forked at any
// moment. Once open, the table does not change, except that it opens files.
// There is no lock, which might stay locked forever in a child: if two threads
// open the same file, the result of the first one is kept.

#ifndef HEADRACE_SRC_READ_DATASET_RECORD_TABLE_H_
#define HEADRACE_SRC_READ_DATASET_RECORD_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/index.h"
#include "headrace/status.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::dataset {

class RecordTable {
 public:
  // Opens the files, or none of them if ranges say how many records each has.
  static Result<std::shared_ptr<const RecordTable>> Open(
      std::vector<std::string> files, const DatasetOptions& options);
  RecordTable(const RecordTable&) = delete;
  RecordTable& operator=(const RecordTable&) = delete;
  ~RecordTable();

  const std::vector<std::string>& files() const { return files_; }
  // The first row of each file, and after those the number of all rows.
  std::span<const uint64_t> first_rows() const { return first_rows_; }
  uint64_t size() const { return first_rows_.back(); }
  uint64_t fingerprint() const { return fingerprint_; }

  // The file of a row, which must be below size().
  uint32_t FileOf(uint64_t row) const;
  // The record number of a row that is in this file.
  uint64_t RecordOf(uint32_t file, uint64_t row) const {
    return row - first_rows_[file] + ranges_[file].begin;
  }

  // Whether Open left all files unopened, for OpenFiles to open.
  bool opens_later() const { return opens_later_; }
  bool IsOpen(uint32_t file) const { return IndexOf(file) != nullptr; }
  // Opens these files, unless they are open: finds where their records are, and
  // checks that the number of records fits the ranges.
  Status OpenFiles(std::span<const uint32_t> files,
                   const DatasetOptions& options) const;

  // The functions from here on are only for files that are open.

  // Compares the file with its index again. Call it before reading the file.
  Status Check(uint32_t file, const DatasetOptions& options) const;
  // Returns the table of the places where inflating can begin; null for a plain
  // file.
  std::shared_ptr<const compression::SeekTable> SeekTableOf(
      uint32_t file) const;
  bool has_compressed_files() const { return has_compressed_files_; }
  // Whether both offsets are in the same block of a compressed file.
  bool ShareBlock(uint32_t file, uint64_t offset, uint64_t other) const;
  // Finds the places of records of one file, by their numbers in it.
  Status Find(uint32_t file, std::span<const uint64_t> records,
              std::span<RecordPlace> places) const;

 private:
  RecordTable(std::vector<std::string> files, const DatasetOptions& options);
  const Index* IndexOf(uint32_t file) const {
    return indexes_[file].load(std::memory_order_acquire);
  }
  Status OpenAll(const DatasetOptions& options);
  Status TakeSizesFromRanges(const DatasetOptions& options);
  void NumberRows();

  const std::vector<std::string> files_;
  const bool opens_later_;
  // Once the table is open, each range has an end.
  std::vector<RecordRange> ranges_;
  // Null for files that are not open; owned.
  const std::unique_ptr<std::atomic<const Index*>[]> indexes_;
  std::vector<uint64_t> first_rows_ = {0};
  uint64_t fingerprint_ = 0;
  mutable std::atomic<bool> has_compressed_files_ = false;
};

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_READ_DATASET_RECORD_TABLE_H_
