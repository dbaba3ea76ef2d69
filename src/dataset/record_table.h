// RecordTable says in which file, and where there, each row of a dataset is.
//
// It never changes once it is open; any number of threads may use it.

#ifndef HEADRACE_SRC_DATASET_RECORD_TABLE_H_
#define HEADRACE_SRC_DATASET_RECORD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/index.h"
#include "headrace/status.h"
#include "src/compression/seek_table.h"

namespace headrace::dataset {

class RecordTable {
 public:
  static Result<RecordTable> Open(std::vector<std::string> files,
                                  const DatasetOptions& options);

  const std::vector<std::string>& files() const { return files_; }
  // The first row of each file, and then the number of rows.
  std::span<const uint64_t> first_rows() const { return first_rows_; }
  uint64_t size() const { return first_rows_.back(); }
  uint64_t fingerprint() const { return fingerprint_; }

  // Compares the file with its index once more, before it is read.
  Status Check(uint32_t file, const DatasetOptions& options) const;

  // Says where the file can be inflated from; null for a plain one.
  std::shared_ptr<const compression::SeekTable> SeekTableOf(
      uint32_t file) const;

  bool has_compressed_files() const { return has_compressed_files_; }
  // Whether what is inflated for one byte of the file is of use for the other.
  bool ShareBlock(uint32_t file, uint64_t offset, uint64_t other) const;

  // `row` is below size().
  uint32_t FileOf(uint64_t row) const;
  // Gives the places of records of one file, by their numbers in it.
  Status Find(uint32_t file, std::span<const uint64_t> records,
              std::span<RecordPlace> places) const;

 private:
  RecordTable() = default;

  std::vector<std::string> files_;
  std::vector<Index> indexes_;
  std::vector<uint64_t> first_rows_ = {0};
  uint64_t fingerprint_ = 0;
  bool has_compressed_files_ = false;
};

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_DATASET_RECORD_TABLE_H_
