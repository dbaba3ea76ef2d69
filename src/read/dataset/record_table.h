// RecordTable says in which file, and where in it, each row of a dataset is.
//
// Any number of threads may use it, and so may a child forked at any moment:
// once open, it does not change, except that files are opened. Two threads that
// open the same file both do so, and the first one's result stays; a lock could
// be held forever in a child.

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
  // The first row of each file, and then the number of rows.
  std::span<const uint64_t> first_rows() const { return first_rows_; }
  uint64_t size() const { return first_rows_.back(); }
  uint64_t fingerprint() const { return fingerprint_; }

  // `row` must be below size().
  uint32_t FileOf(uint64_t row) const;
  // The record number of a row that is in this file.
  uint64_t RecordOf(uint32_t file, uint64_t row) const {
    return row - first_rows_[file] + ranges_[file].begin;
  }

  // Whether Open has left files unopened.
  bool opens_later() const { return opens_later_; }
  bool IsOpen(uint32_t file) const { return IndexOf(file) != nullptr; }
  // Opens those of these files that are not open yet: finds where their records
  // are, and compares their number with what the ranges say.
  Status OpenFiles(std::span<const uint32_t> files,
                   const DatasetOptions& options) const;

  // The functions below are for files that are open.

  // Compares the file with its index again, before it is read.
  Status Check(uint32_t file, const DatasetOptions& options) const;
  // Returns where the file can be inflated from; null for a plain one.
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
  // Each has an end, once the table is open.
  std::vector<RecordRange> ranges_;
  // Null for files that are not open; owned.
  const std::unique_ptr<std::atomic<const Index*>[]> indexes_;
  std::vector<uint64_t> first_rows_ = {0};
  uint64_t fingerprint_ = 0;
  mutable std::atomic<bool> has_compressed_files_ = false;
};

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_READ_DATASET_RECORD_TABLE_H_
