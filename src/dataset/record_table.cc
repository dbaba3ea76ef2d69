#include "src/dataset/record_table.h"

#include <xxhash.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "src/base/parallel.h"
#include "src/index/index_beside.h"
#include "src/index/seek_table_of.h"
#include "src/source/source.h"
#include "src/source/source_error.h"

namespace headrace::dataset {
namespace {

Status CheckPlain(const std::string& file, const DatasetOptions& options,
                  const IndexOptions& index_options) {
  if (!options.plain_only) return Status();
  const auto source = source::OpenNamed(file, index_options.open_input, {});
  if (!source.ok()) return source.status();
  if ((*source)->compression() == Compression::kNone) return Status();
  return source::NameFile(Status(ErrorCode::kInvalidArgument, "is compressed"),
                          file);
}

Result<Index> IndexOf(const std::string& file, const DatasetOptions& options,
                      const IndexOptions& index_options) {
  Status plain = CheckPlain(file, options, index_options);
  if (!plain.ok()) return plain;
  if (options.index != IndexUse::kNone) {
    auto index =
        index::OpenBeside(file, options.index_directory, index_options);
    if (!index.ok()) return index.status();
    if (index) {
      Status status = index->CheckIsOf(file, index_options);
      if (!status.ok()) return status;
      return *index;
    }
    if (options.index == IndexUse::kRequired) return index::HasNoIndex(file);
  }
  return Index::Build(file, index_options);
}

// Adds up how far the walks of several files have come.
class Walks {
 public:
  Walks(const DatasetOptions& options, size_t num_files)
      : options_(options),
        threads_(std::max<size_t>(
            options.threads / std::max<size_t>(num_files, 1), 1)) {}

  // The functions of the options are called by one thread at a time.
  IndexOptions OptionsFor(size_t file) {
    IndexOptions options{.threads = threads_, .limits = options_.limits};
    if (options_.open_input) {
      options.open_input = [this](const std::string& name) {
        const std::lock_guard lock(mutex_);
        return options_.open_input(name);
      };
    }
    if (options_.progress) {
      options.progress = [this, file](uint64_t done, uint64_t size) {
        const std::lock_guard lock(mutex_);
        return Report(file, done, size);
      };
    }
    return options;
  }

 private:
  struct Walk {
    uint64_t done = 0;
    uint64_t size = 0;
  };

  bool Report(size_t file, uint64_t done, uint64_t size) {
    Walk& walk = walks_[file];
    done_ += done - walk.done;
    size_ += size - walk.size;
    walk = {.done = done, .size = size};
    return options_.progress(done_, size_);
  }

  const DatasetOptions& options_;
  const size_t threads_;  // of each file
  std::mutex mutex_;
  std::map<size_t, Walk> walks_;  // by file
  uint64_t done_ = 0;
  uint64_t size_ = 0;
};

}  // namespace

Result<RecordTable> RecordTable::Open(std::vector<std::string> files,
                                      const DatasetOptions& options) {
  Walks walks(options, files.size());
  std::vector<std::optional<Index>> indexes(files.size());
  Status status = ForEachInParallel(
      files.size(), options.threads, [&](size_t file, size_t) {
        Result<Index> index =
            IndexOf(files[file], options, walks.OptionsFor(file));
        if (index.ok()) indexes[file] = *index;
        return index.status();
      });
  if (!status.ok()) return status;
  RecordTable table;
  std::vector<uint64_t> sizes;
  for (std::optional<Index>& index : indexes) {
    sizes.push_back(index->size());
    sizes.push_back(index->stream_bytes());
    table.first_rows_.push_back(table.size() + index->size());
    table.has_compressed_files_ |= index->compression() != Compression::kNone;
    table.indexes_.push_back(*index);
  }
  table.fingerprint_ =
      XXH3_64bits(sizes.data(), sizes.size() * sizeof(uint64_t));
  table.files_ = std::move(files);
  return table;
}

Status RecordTable::Check(uint32_t file, const DatasetOptions& options) const {
  return indexes_[file].CheckIsOf(
      files_[file],
      {.open_input = options.open_input, .limits = options.limits});
}

std::shared_ptr<const compression::SeekTable> RecordTable::SeekTableOf(
    uint32_t file) const {
  return index::SeekTableOf(indexes_[file]);
}

bool RecordTable::ShareBlock(uint32_t file, uint64_t offset,
                             uint64_t other) const {
  const auto seek_table = SeekTableOf(file);
  return seek_table != nullptr &&
         seek_table->BlockOf(offset) == seek_table->BlockOf(other);
}

uint32_t RecordTable::FileOf(uint64_t row) const {
  // Files without rows begin where the next one does.
  const auto next =
      std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
  return static_cast<uint32_t>(next - first_rows_.begin() - 1);
}

Status RecordTable::Find(uint32_t file, std::span<const uint64_t> records,
                         std::span<RecordPlace> places) const {
  Status status = indexes_[file].Find(records, places);
  if (status.ok()) return status;
  return source::NameFile(status, files_[file]);
}

}  // namespace headrace::dataset
