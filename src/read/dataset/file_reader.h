// FileReader reads bytes of the files of a table, at any place.

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
  // Both outlive the opener.
  FileOpener(const RecordTable& table, const DatasetOptions& options)
      : table_(table), options_(options), checked_(table.files().size()) {}

  // Compares the file with its index, one of the caller's inputs only once.
  Result<std::unique_ptr<source::Source>> Open(uint32_t file);

 private:
  const RecordTable& table_;
  const DatasetOptions& options_;
  std::mutex mutex_;
  std::vector<bool> checked_;
};

// One thread at a time uses a reader.
class FileReader {
 public:
  FileReader(const RecordTable& table, FileOpener* opener)
      : table_(table), opener_(opener), sources_(table.files().size()) {}

  // Fills `to` with the bytes from `offset` on. kBadIndex if there are fewer.
  Status Read(uint32_t file, uint64_t offset, std::span<uint8_t> to);

  // Each asks for bytes that will be read soon, of a file that is open:
  // Prefetch brings mapped ones into the cache of the processor, WillNeed has
  // the system fetch them from its disk.
  void Prefetch(uint32_t file, uint64_t offset, uint64_t size) const;
  void WillNeed(uint32_t file, uint64_t offset, uint64_t size) const;

 private:
  Result<source::Source*> Open(uint32_t file);

  const RecordTable& table_;
  FileOpener* const opener_;
  // Sources of the files that were read last, by file; null for others.
  std::vector<std::unique_ptr<source::Source>> sources_;
  std::deque<uint32_t> open_;  // the one opened first is first
};

// The record at this place is not the one that the index says.
Status HasChanged(const std::string& file, uint64_t record, uint64_t offset);

}  // namespace headrace::dataset

#endif  // HEADRACE_SRC_READ_DATASET_FILE_READER_H_
