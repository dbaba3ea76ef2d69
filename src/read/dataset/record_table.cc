#include "src/read/dataset/record_table.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "src/base/parallel.h"
#include "src/base/system_error.h"
#include "src/input/index/index_beside.h"
#include "src/input/source/source.h"
#include "src/read/stream/record_ranges.h"

namespace headrace::dataset {
namespace {

Status CheckPlain(const std::string& file, const DatasetOptions& options,
                  const IndexOptions& index_options) {
  if (!options.plain_only) return Status();
  const auto source = source::OpenNamed(file, index_options.open_input, {});
  if (!source.ok()) return source.status();
  if ((*source)->compression() == Compression::kNone) return Status();
  return NameFile(Status(ErrorCode::kInvalidArgument, "is compressed"), file);
}

Result<Index> OpenIndex(const std::string& file, const DatasetOptions& options,
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

// Adds up the progress of walks through several files.
class Walks {
 public:
  Walks(const DatasetOptions& options, size_t num_files)
      : options_(options),
        threads_(std::max<size_t>(
            options.threads / std::max<size_t>(num_files, 1), 1)) {}

  // Returns the options for the walk through one file. They call the functions
  // of DatasetOptions on one thread at a time.
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

bool SayAllSizes(std::span<const RecordRange> ranges) {
  return !ranges.empty() &&
         std::ranges::none_of(ranges, [](const RecordRange& range) {
           return range.file_records == kUnknown;
         });
}

}  // namespace

RecordTable::RecordTable(std::vector<std::string> files,
                         const DatasetOptions& options)
    : files_(std::move(files)),
      opens_later_(SayAllSizes(options.record_ranges)),
      ranges_(reader::Ended(options.record_ranges)),
      indexes_(std::make_unique<std::atomic<const Index*>[]>(files_.size())) {
  ranges_.resize(files_.size());
}

RecordTable::~RecordTable() {
  for (size_t i = 0; i < files_.size(); ++i) delete indexes_[i].load();
}

Result<std::shared_ptr<const RecordTable>> RecordTable::Open(
    std::vector<std::string> files, const DatasetOptions& options) {
  const std::shared_ptr<RecordTable> table(
      new RecordTable(std::move(files), options));
  Status status = table->opens_later_ ? table->TakeSizesFromRanges(options)
                                      : table->OpenAll(options);
  if (!status.ok()) return status;
  table->NumberRows();
  return std::shared_ptr<const RecordTable>(table);
}

Status RecordTable::OpenAll(const DatasetOptions& options) {
  std::vector<uint32_t> all(files_.size());
  std::iota(all.begin(), all.end(), 0u);
  if (Status status = OpenFiles(all, options); !status.ok()) return status;
  std::vector<uint64_t> numbers;
  for (const uint32_t file : all) {
    const Index& index = *IndexOf(file);
    RecordRange& range = ranges_[file];
    if (range.end == kUnknown) range.end = index.size();
    numbers.push_back(index.size());
    numbers.push_back(index.stream_bytes());
    if (options.record_ranges.empty()) continue;
    numbers.push_back(range.begin);
    numbers.push_back(range.end);
  }
  fingerprint_ = XXH3_64bits(numbers.data(), numbers.size() * sizeof(uint64_t));
  return Status();
}

// Takes the numbers of rows from the ranges. In the fingerprint, a file that is
// not opened is represented by its name, size and range; the size of an input
// of the caller is unknown before it is opened.
Status RecordTable::TakeSizesFromRanges(const DatasetOptions& options) {
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < files_.size(); ++i) {
    const RecordRange& range = ranges_[i];
    const std::string name = files_[i].substr(files_[i].rfind('/') + 1);
    struct stat info;
    const bool has_size =
        !options.open_input && stat(files_[i].c_str(), &info) == 0;
    numbers.insert(numbers.end(),
                   {XXH3_64bits(name.data(), name.size()),
                    has_size ? static_cast<uint64_t>(info.st_size) : kUnknown,
                    range.begin, range.end, range.file_records});
  }
  fingerprint_ = XXH3_64bits(numbers.data(), numbers.size() * sizeof(uint64_t));
  // Check one file now, since usually all are alike. The others are checked
  // when they are opened.
  const auto first = std::ranges::find_if_not(ranges_, reader::IsEmpty);
  if (first == ranges_.end()) return Status();
  return CheckPlain(files_[static_cast<size_t>(first - ranges_.begin())],
                    options, {.open_input = options.open_input});
}

void RecordTable::NumberRows() {
  for (const RecordRange& range : ranges_) {
    first_rows_.push_back(size() + (range.end - range.begin));
  }
}

Status RecordTable::OpenFiles(std::span<const uint32_t> files,
                              const DatasetOptions& options) const {
  Walks walks(options, files.size());
  return ForEachInParallel(
      files.size(), options.threads, [&](size_t i, size_t) -> Status {
        const uint32_t file = files[i];
        if (IsOpen(file)) return Status();
        const Result<Index> index =
            OpenIndex(files_[file], options, walks.OptionsFor(i));
        if (!index.ok()) return index.status();
        if (!options.record_ranges.empty()) {
          Status status =
              reader::CheckCount(files_[file], ranges_[file], index->size());
          if (!status.ok()) return status;
        }
        if (index->compression() != Compression::kNone) {
          has_compressed_files_ = true;
        }
        auto opened = std::make_unique<const Index>(*index);
        const Index* none = nullptr;
        if (indexes_[file].compare_exchange_strong(none, opened.get())) {
          static_cast<void>(opened.release());
        }
        return Status();
      });
}

Status RecordTable::Check(uint32_t file, const DatasetOptions& options) const {
  return IndexOf(file)->CheckIsOf(
      files_[file],
      {.open_input = options.open_input, .limits = options.limits});
}

std::shared_ptr<const compression::SeekTable> RecordTable::SeekTableOf(
    uint32_t file) const {
  return index::SeekTableOf(*IndexOf(file));
}

bool RecordTable::ShareBlock(uint32_t file, uint64_t offset,
                             uint64_t other) const {
  const auto seek_table = SeekTableOf(file);
  return seek_table != nullptr &&
         seek_table->BlockOf(offset) == seek_table->BlockOf(other);
}

uint32_t RecordTable::FileOf(uint64_t row) const {
  // A file without rows begins where the next one does.
  const auto next =
      std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
  return static_cast<uint32_t>(next - first_rows_.begin() - 1);
}

Status RecordTable::Find(uint32_t file, std::span<const uint64_t> records,
                         std::span<RecordPlace> places) const {
  Status status = IndexOf(file)->Find(records, places);
  if (status.ok()) return status;
  return NameFile(status, files_[file]);
}

}  // namespace headrace::dataset
