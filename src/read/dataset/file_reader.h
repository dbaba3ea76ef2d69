// FileReader reads bytes of the files of a table, at any offset.

#ifndef HEADRACE_SRC_READ_DATASET_FILE_READER_H_
#define HEADRACE_SRC_READ_DATASET_FILE_READER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/status.h"
#include "src/input/source/source.h"
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

// One thread at a time may use a reader.
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

// Returns the error of a record that is not where the index says.
Status HasChanged(const std::string& file, uint64_t record, uint64_t offset);

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_READ_DATASET_FILE_READER_H_
