#include "src/read/dataset/record_fetcher.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "src/base/checked_math.h"
#include "src/base/framing.h"
#include "src/base/interrupt.h"
#include "src/base/little_endian.h"
#include "src/base/memory/prefetch.h"
#include "src/base/parallel.h"
#include "src/base/text/numbers.h"

namespace headrace::dataset {
namespace {

// Maximum bytes between two records that are read together. For a local file,
// reading kLocalGap bytes costs as much as another call; for an input of the
// caller, reading kRemoteGap bytes costs as much as another request. The gap is
// smaller with several threads, which wait for requests in parallel.
constexpr uint64_t kLocalGap = uint64_t{4} << 10;
constexpr uint64_t kRemoteGap = uint64_t{1} << 20;

// If a table has more than this many rows for each row asked for, few of the
// rows asked for are neighbours.
constexpr uint64_t kSparse = 64;

// Usual size of a block of memory, in bytes. The pool seldom keeps larger
// blocks for the next rows.
constexpr size_t kUsualBlock = (size_t{4} << 20) - source::Block::kOverhead;

// Number of runs by which prefetching is ahead of copying.
constexpr size_t kRunsAhead = 8;

// Whether reading took longer than it takes from the page cache. Some bytes
// then came from a disk, and bytes of the next runs will, too.
bool IsSlow(std::chrono::nanoseconds time, uint64_t bytes) {
  constexpr uint64_t kMaxPerRun = 40'000;
  return static_cast<uint64_t>(time.count()) > kRunsAhead * kMaxPerRun + bytes;
}

// Rounds the size up, so that a group can reuse the memory of an earlier group
// of nearly the same size: getting new memory costs as much as reading into it.
size_t RoundedSize(size_t size) {
  constexpr size_t kOverhead = source::Block::kOverhead;
  const size_t unit = std::max(std::bit_floor(size) / 4, size_t{4096});
  size_t whole;
  return CheckedAdd(size, kOverhead, &whole) && RoundUp(whole, unit, &whole)
             ? whole - kOverhead
             : size;
}

// Maximum number of files that a reader keeps open.
constexpr size_t kMaxOpen = 128;

// Returns the error of a record that is not where the index says.
Status HasChanged(const std::string& file, uint64_t record, uint64_t offset) {
  return Status(ErrorInfo{
      .code = ErrorCode::kBadIndex,
      .message = "the record is not where the index says: the file has changed "
                 "since it was indexed; write the index again, or open the "
                 "dataset again",
      .file = file,
      .record = record,
      .offset = offset});
}

}  // namespace

Result<std::unique_ptr<source::Source>> FileOpener::Open(uint32_t file) {
  const std::lock_guard lock(mutex_);
  // A local file may have been replaced since it was last open. A remote file
  // is checked once: it may be replaced between any two requests, so checking
  // again would prove nothing more.
  if (!checked_[file] || options_.open_input == nullptr) {
    Status status = table_.Check(file, options_);
    if (!status.ok()) return status;
    checked_[file] = true;
  }
  const auto seek_table = table_.SeekTableOf(file);
  return source::OpenNamed(
      table_.files()[file], options_.open_input,
      {.compression = seek_table == nullptr ? Compression::kNone
                                            : seek_table->compression(),
       .mmap = options_.mmap,
       .seek_table = seek_table,
       .limits = options_.limits});
}

Status FileReader::Read(uint32_t file, uint64_t offset, std::span<uint8_t> to) {
  const Result<source::Source*> source = Open(file);
  if (!source.ok()) return source.status();
  if (!(*source)->can_read_at())
    return HasChanged(table_.files()[file], kUnknown, offset);
  const std::span<const uint8_t> mapped = (*source)->mapped();
  if (mapped.empty()) {
    const Result<size_t> got = (*source)->ReadAt(offset, to);
    if (!got.ok()) return got.status();
    if (*got == to.size()) return Status();
    return HasChanged(table_.files()[file], kUnknown, offset);
  }
  if (offset > mapped.size() || to.size() > mapped.size() - offset) {
    return HasChanged(table_.files()[file], kUnknown, offset);
  }
  // Only the copy is used from here on, since a mapped file may change.
  std::memcpy(to.data(), mapped.data() + offset, to.size());
  return Status();
}

void FileReader::Prefetch(uint32_t file, uint64_t offset, uint64_t size) const {
  if (sources_[file] == nullptr) return;
  const std::span<const uint8_t> mapped = sources_[file]->mapped();
  if (offset >= mapped.size()) return;
  headrace::Prefetch(mapped.data() + offset, size);
}

void FileReader::WillNeed(uint32_t file, uint64_t offset, uint64_t size) const {
  if (sources_[file] != nullptr) sources_[file]->WillNeed(offset, size);
}

Result<source::Source*> FileReader::Open(uint32_t file) {
  if (sources_[file] != nullptr) return sources_[file].get();
  Result<std::unique_ptr<source::Source>> source = opener_->Open(file);
  if (!source.ok()) return source.status();
  if (open_.size() == kMaxOpen) {
    sources_[open_.front()].reset();
    open_.pop_front();
  }
  open_.push_back(file);
  sources_[file] = *std::move(source);
  return sources_[file].get();
}

RecordFetcher::RecordFetcher(const RecordTable& table,
                             const DatasetOptions& options)
    : table_(table),
      options_(options),
      pool_(std::make_shared<source::BlockPool>(kUsualBlock)),
      opener_(table, options) {
  readers_.emplace_back(table, &opener_);
}

Result<Fetched> RecordFetcher::Fetch(std::span<const uint64_t> rows,
                                     const TakeOptions& options) {
  take_ = &options;
  if (IsInterrupted()) return Cancelled();
  return options.block > 0 ? FetchByBlocks(rows, options) : FetchRows(rows);
}

Result<Fetched> RecordFetcher::FetchRows(std::span<const uint64_t> rows) {
  rows_.assign(rows.begin(), rows.end());
  if (Status status = OpenFiles(); !status.ok()) return status;
  // If few of very many rows are asked for, hardly any are neighbours that
  // could be read together, so sorting gains nothing.
  const bool sorts = options_.open_input != nullptr ||
                     table_.has_compressed_files() ||
                     table_.size() / kSparse < rows.size();
  if (sorts) {
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  }
  groups_.assign(1, {.begin = 0, .end = rows_.size()});
  if (Status status = FetchGroups(); !status.ok()) return status;
  fetched_memory_.assign(1, std::move(groups_[0].memory));
  if (!sorts) return Fetched{records_, fetched_memory_};
  fetched_.clear();
  fetched_.reserve(rows.size());
  for (const uint64_t row : rows) {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), row);
    fetched_.push_back(records_[static_cast<size_t>(at - rows_.begin())]);
  }
  return Fetched{fetched_, fetched_memory_};
}

Result<Fetched> RecordFetcher::FetchByBlocks(std::span<const uint64_t> rows,
                                             const TakeOptions& options) {
  if (kept_rows_ != options.block) {
    kept_.clear();
    lanes_.clear();
    turns_ = 0;
  }
  kept_rows_ = options.block;
  FindBlocks(rows, options.lanes);
  if (Status status = ReadMissing(); !status.ok()) return status;
  fetched_.clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    fetched_.push_back(
        found_[i]->records[static_cast<size_t>(rows[i] % kept_rows_)]);
  }
  if (!missing_.empty()) ForgetBlocks(std::max<uint64_t>(options.kept, 1));
  return Fetched{fetched_, fetched_memory_};
}

void RecordFetcher::BeginTurn(uint64_t lane) {
  if (turns_ > 0 && lane == turn_of_) return;
  Lane& begun = lanes_[lane];
  begun.last_turn = ++turns_;
  turn_of_ = lane;
}

// Lanes take turns. A lane that has not had a turn for a long time belongs to
// an order that the caller has left.
void RecordFetcher::ForgetBlocks(uint64_t most) {
  const uint64_t patience = 4 * uint64_t{lanes_.size()} + 16;
  for (auto lane = lanes_.begin(); lane != lanes_.end();) {
    std::deque<uint64_t>& read = lane->second.read;
    const bool is_left = turns_ - lane->second.last_turn > patience;
    for (; !read.empty() && (is_left || read.size() > most); read.pop_front()) {
      kept_.erase(read.front());
    }
    lane = is_left ? lanes_.erase(lane) : std::next(lane);
  }
}

void RecordFetcher::FindBlocks(std::span<const uint64_t> rows,
                               std::span<const uint64_t> lanes) {
  // Drop the blocks that the previous call could not read, which are still
  // empty.
  for (const uint64_t number : missing_) {
    const auto block = kept_.find(number);
    if (block != kept_.end() && block->second.records.empty()) {
      kept_.erase(block);
    }
  }
  ++calls_;
  found_.clear();
  missing_.clear();
  fetched_memory_.clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t number = rows[i] / kept_rows_;
    const uint64_t lane = lanes.empty() ? 0 : lanes[i];
    BeginTurn(lane);
    KeptBlock& block = kept_[number];
    found_.push_back(&block);
    if (block.last_call == calls_) continue;
    block.last_call = calls_;
    if (block.records.empty()) {
      block.lane = lane;
      missing_.push_back(number);
    } else {
      fetched_memory_.push_back(block.memory);
    }
  }
  std::sort(missing_.begin(), missing_.end());
}

Status RecordFetcher::ReadMissing() {
  if (missing_.empty()) return Status();
  rows_.clear();
  groups_.clear();
  for (const uint64_t number : missing_) {
    const uint64_t first = number * kept_rows_;
    const uint64_t end = first + std::min(kept_rows_, table_.size() - first);
    const size_t begin = rows_.size();
    for (uint64_t row = first; row < end; ++row) rows_.push_back(row);
    groups_.push_back({.begin = begin, .end = rows_.size()});
  }
  if (Status status = OpenFiles(); !status.ok()) return status;
  if (Status status = FetchGroups(); !status.ok()) return status;
  for (size_t i = 0; i < missing_.size(); ++i) {
    const Group& group = groups_[i];
    const auto records =
        std::span(records_).subspan(group.begin, group.end - group.begin);
    KeptBlock& block = kept_[missing_[i]];
    fetched_memory_.push_back(group.memory);
    block.memory = group.memory;
    lanes_[block.lane].read.push_back(missing_[i]);
    block.records.assign(records.begin(), records.end());
  }
  // From now on the groups must not keep the memory of the blocks alive.
  groups_.clear();
  return Status();
}

Status RecordFetcher::FetchGroups() {
  if (Status status = Locate(); !status.ok()) return status;
  if (Status status = CheckLengths(); !status.ok()) return status;
  MakeRuns();
  if (Status status = AllocateGroups(); !status.ok()) return status;
  return ReadRuns();
}

// Opens the files of rows_ that are not open yet.
Status RecordFetcher::OpenFiles() {
  if (!table_.opens_later()) return Status();
  std::vector<uint32_t> files;
  for (const uint64_t row : rows_) {
    const uint32_t file = table_.FileOf(row);
    if (!table_.IsOpen(file)) files.push_back(file);
  }
  if (files.empty()) return Status();
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (!take_->interrupted) return table_.OpenFiles(files, options_);
  DatasetOptions options = options_;
  options.progress = [this](uint64_t, uint64_t) { return IsInterrupted(); };
  return table_.OpenFiles(files, options);
}

Status RecordFetcher::Locate() {
  const size_t count = rows_.size();
  numbers_.resize(count);
  places_.resize(count);
  records_.assign(count, FetchedRecord());
  for (size_t begin = 0; begin < count;) {
    const uint32_t file = table_.FileOf(rows_[begin]);
    const uint64_t first = table_.first_rows()[file];
    const uint64_t next = table_.first_rows()[file + 1];
    size_t end = begin;
    for (; end < count && first <= rows_[end] && rows_[end] < next; ++end) {
      numbers_[end] = table_.RecordOf(file, rows_[end]);
      records_[end].file = file;
      records_[end].record = numbers_[end];
    }
    const Status status =
        table_.Find(file, std::span(numbers_).subspan(begin, end - begin),
                    std::span(places_).subspan(begin, end - begin));
    if (!status.ok()) return status;
    begin = end;
  }
  return Status();
}

Status RecordFetcher::CheckLengths() const {
  const uint64_t most = std::min<uint64_t>(
      options_.limits.max_record_bytes, std::numeric_limits<uint32_t>::max());
  const auto bad =
      std::find_if(places_.begin(), places_.end(),
                   [most](const RecordPlace& p) { return p.length > most; });
  if (bad == places_.end()) return Status();
  const FetchedRecord& record =
      records_[static_cast<size_t>(bad - places_.begin())];
  return Status(ErrorInfo{.code = ErrorCode::kTooLarge,
                          .message = "the record has " +
                                     Counted(bad->length, "byte") +
                                     ", the limit is " + Grouped(most),
                          .file = table_.files()[record.file],
                          .record = record.record,
                          .offset = bad->offset});
}

void RecordFetcher::MakeRuns() {
  runs_.clear();
  for (const Group& group : groups_) {
    for (size_t i = group.begin; i < group.end; ++i) {
      // Groups do not share a run, since they do not share memory.
      if (i == group.begin || !JoinsLastRun(i)) {
        runs_.push_back({.file = records_[i].file,
                         .offset = places_[i].offset,
                         .begin = i});
      }
      Run& run = runs_.back();
      run.size =
          places_[i].offset + kRecordOverhead + places_[i].length - run.offset;
      run.end = i + 1;
    }
  }
}

bool RecordFetcher::JoinsLastRun(size_t i) const {
  const uint64_t gap =
      options_.open_input ? kRemoteGap / std::max<uint64_t>(options_.threads, 1)
                          : kLocalGap;
  const Run& last = runs_.back();
  const uint64_t end = last.offset + last.size;
  const uint64_t offset = places_[i].offset;
  return last.file == records_[i].file && offset >= end && offset - end <= gap;
}

Status RecordFetcher::AllocateGroups() {
  size_t total = 0;
  for (const Run& run : runs_) {
    if (!CheckedAdd(total, static_cast<size_t>(run.size), &total)) {
      total = ~size_t{0};
    }
  }
  if (total > options_.limits.max_batch_bytes) {
    return Status(ErrorCode::kLimit,
                  "the rows have " + std::to_string(total) +
                      " bytes, and max_batch_bytes is " +
                      std::to_string(options_.limits.max_batch_bytes) +
                      ": take fewer rows at a time");
  }
  auto run = runs_.begin();
  for (Group& group : groups_) {
    const auto first = run;
    size_t size = 0;
    for (; run != runs_.end() && run->begin < group.end; ++run) {
      size += static_cast<size_t>(run->size);
    }
    auto taken =
        pool_->Take(RoundedSize(size), first == run ? 0 : first->offset);
    if (!taken.ok()) return taken.status();
    uint8_t* bytes = taken->block->data();
    group.memory = {.bytes = {bytes, size}, .pin = taken->pin};
    taken->block->Seal(size);
    for (auto filled = first; filled != run; ++filled) {
      filled->bytes = bytes;
      bytes += filled->size;
    }
  }
  return Status();
}

Status RecordFetcher::ReadRuns() {
  const bool inflates = table_.has_compressed_files() && options_.threads > 1;
  if (options_.open_input == nullptr && !inflates) return ReadRunsOfFiles();
  // Inputs of the caller may be far away, so most of the time is spent waiting:
  // threads wait in parallel.
  FindStretches();
  const size_t threads = std::min(options_.threads, stretches_.size());
  while (readers_.size() < threads) readers_.emplace_back(table_, &opener_);
  return ForEachInParallel(
      stretches_.size(), threads, [this](size_t i, size_t thread) {
        const size_t end =
            i + 1 < stretches_.size() ? stretches_[i + 1] : runs_.size();
        for (size_t run = stretches_[i]; run < end; ++run) {
          if (thread == 0 && IsInterrupted()) return Cancelled();
          Status status = ReadRun(runs_[run], &readers_[thread]);
          if (!status.ok()) return status;
        }
        return Status();
      });
}

// Divides the runs into stretches. Runs in the same block of a compressed file
// are in one stretch, because two threads would both inflate the block.
void RecordFetcher::FindStretches() {
  stretches_.clear();
  for (size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    if (i > 0 && runs_[i - 1].file == run.file &&
        table_.ShareBlock(run.file, runs_[i - 1].offset, run.offset)) {
      continue;
    }
    stretches_.push_back(i);
  }
}

Status RecordFetcher::ReadRunsOfFiles() {
  using Clock = std::chrono::steady_clock;
  FileReader* const reader = &readers_[0];
  bool asked = false;
  Clock::time_point begun = Clock::now();
  uint64_t bytes = 0;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (i + kRunsAhead < runs_.size()) {
      const Run& ahead = runs_[i + kRunsAhead];
      reader->Prefetch(ahead.file, ahead.offset, ahead.size);
    }
    if (IsInterrupted()) return Cancelled();
    if (Status status = ReadRun(runs_[i], reader); !status.ok()) return status;
    bytes += runs_[i].size;
    if (asked || i % kRunsAhead != 0) continue;
    const Clock::time_point now = Clock::now();
    asked = IsSlow(now - begun, bytes);
    begun = now;
    bytes = 0;
    if (!asked) continue;
    for (const Run& run : std::span(runs_).subspan(i + 1)) {
      reader->WillNeed(run.file, run.offset, run.size);
    }
  }
  return Status();
}

Status RecordFetcher::ReadRun(const Run& run, FileReader* reader) {
  Status status = reader->Read(run.file, run.offset,
                               {run.bytes, static_cast<size_t>(run.size)});
  return status.ok() ? Frame(run) : status;
}

// Fills the records of a run. The index may be wrong, so the header of each
// record must be where the index says. Payloads are checked here because their
// bytes are in the cache now, and meanwhile the bytes of the next runs can be
// loaded.
Status RecordFetcher::Frame(const Run& run) {
  for (size_t i = run.begin; i < run.end; ++i) {
    const RecordPlace& place = places_[i];
    const uint8_t* const header = run.bytes + (place.offset - run.offset);
    FetchedRecord& record = records_[i];
    if (!record::HeaderIsIntact(header) ||
        LoadLittle64(header) != place.length) {
      return HasChanged(table_.files()[run.file], record.record, place.offset);
    }
    record.span = {.payload = header + kRecordHeaderBytes,
                   .offset = place.offset,
                   .size = static_cast<uint32_t>(place.length)};
    record.is_intact =
        !options_.verify_payload || record::PayloadIsIntact(record.span);
  }
  return Status();
}

}  // namespace headrace::dataset
