#include "src/dataset/record_fetcher.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "src/base/checked_math.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/source/source_error.h"

namespace headrace::dataset {
namespace {

// Records that are so near are read at once: a call costs as much as copying
// the bytes between them from a local file, a request as much as a megabyte.
constexpr uint64_t kLocalGap = uint64_t{4} << 10;
constexpr uint64_t kRemoteGap = uint64_t{1} << 20;

// So many files stay open.
constexpr size_t kMostOpen = 128;

// Of so many rows for each one asked for, few have neighbours.
constexpr uint64_t kSparse = 64;

constexpr size_t kUsualBlock = size_t{256} << 10;

// Bytes of a mapping are asked for so many runs before they are copied.
constexpr size_t kRunsAhead = 8;
constexpr size_t kLine = 64;

void PrefetchBytes(const uint8_t* bytes, uint64_t size) {
  constexpr uint64_t kMost = 4096;
  for (uint64_t at = 0; at < std::min(size, kMost); at += kLine) {
    __builtin_prefetch(bytes + at);
  }
}

Status HasChanged(const std::string& file, uint64_t record, uint64_t offset) {
  return Status(ErrorInfo{
      .code = ErrorCode::kBadIndex,
      .message = "the record is not where the index says: the file has changed "
                 "since it was indexed; write the index anew, or open the "
                 "dataset again",
      .file = file,
      .record = record,
      .offset = offset});
}

}  // namespace

RecordFetcher::RecordFetcher(const RecordTable& table,
                             const DatasetOptions& options)
    : table_(table),
      options_(options),
      pool_(std::make_shared<source::BlockPool>(kUsualBlock)),
      sources_(table.files().size()) {}

Result<Fetched> RecordFetcher::Fetch(std::span<const uint64_t> rows,
                                     const TakeOptions& options) {
  if (options.block > 0) return FetchByBlocks(rows, options);
  rows_.assign(rows.begin(), rows.end());
  // Few of very many rows have no neighbours to be read with.
  const bool sorts =
      options_.open_input != nullptr || table_.size() / kSparse < rows.size();
  if (sorts) {
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  }
  if (Status status = FetchRows(); !status.ok()) return status;
  if (!sorts) return Fetched{records_, {&memory_, 1}};
  fetched_.clear();
  fetched_.reserve(rows.size());
  for (const uint64_t row : rows) {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), row);
    fetched_.push_back(records_[static_cast<size_t>(at - rows_.begin())]);
  }
  return Fetched{fetched_, {&memory_, 1}};
}

Result<Fetched> RecordFetcher::FetchByBlocks(std::span<const uint64_t> rows,
                                             const TakeOptions& options) {
  if (kept_rows_ != options.block) kept_.clear();
  kept_rows_ = options.block;
  fetched_.clear();
  fetched_.reserve(rows.size());
  fetched_memory_.clear();
  for (const uint64_t row : rows) {
    const Result<const KeptBlock*> block =
        GetBlock(row / options.block, options);
    if (!block.ok()) return block.status();
    fetched_.push_back(
        (*block)->records[static_cast<size_t>(row % options.block)]);
    // A block that was dropped and read again lies elsewhere.
    const FetchedMemory& memory = (*block)->memory;
    const bool is_pinned = std::any_of(
        fetched_memory_.rbegin(), fetched_memory_.rend(),
        [&](const FetchedMemory& other) { return other.pin == memory.pin; });
    if (!is_pinned) fetched_memory_.push_back(memory);
  }
  return Fetched{fetched_, fetched_memory_};
}

Status RecordFetcher::FetchRows() {
  if (Status status = Locate(); !status.ok()) return status;
  if (Status status = MakeRuns(); !status.ok()) return status;
  return ReadRuns();
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
      numbers_[end] = rows_[end] - first;
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

Status RecordFetcher::MakeRuns() {
  const uint64_t gap = options_.open_input ? kRemoteGap : kLocalGap;
  const uint64_t most = std::min<uint64_t>(
      options_.limits.max_record_bytes, std::numeric_limits<uint32_t>::max());
  runs_.clear();
  for (size_t i = 0; i < rows_.size(); ++i) {
    const RecordPlace& place = places_[i];
    const FetchedRecord& record = records_[i];
    if (place.length > most) {
      return Status(ErrorInfo{
          .code = ErrorCode::kTooLarge,
          .message = "the record has " + std::to_string(place.length) +
                     " bytes, the limit is " + std::to_string(most),
          .file = table_.files()[record.file],
          .record = record.record,
          .offset = place.offset});
    }
    const uint64_t size = kRecordOverhead + place.length;
    if (!runs_.empty()) {
      Run& last = runs_.back();
      const uint64_t end = last.offset + last.size;
      if (last.file == record.file && place.offset >= end &&
          place.offset - end <= gap) {
        last.size = place.offset + size - last.offset;
        last.end = i + 1;
        continue;
      }
    }
    runs_.push_back({.file = record.file,
                     .offset = place.offset,
                     .size = size,
                     .begin = i,
                     .end = i + 1});
  }
  return Status();
}

Status RecordFetcher::ReadRuns() {
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
                      ": take fewer at once");
  }
  auto taken = pool_->Take(std::max<size_t>(total, 1));
  if (!taken.ok()) return taken.status();
  uint8_t* to = taken->block->data();
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (Status status = ReadRun(i, to); !status.ok()) return status;
    const Status status = Frame(runs_[i], to);
    if (!status.ok()) return status;
    to += runs_[i].size;
  }
  taken->block->Seal(total);
  memory_ = {.bytes = {taken->block->data(), total}, .pin = taken->pin};
  return Status();
}

Status RecordFetcher::ReadRun(size_t number, uint8_t* to) {
  const Run& run = runs_[number];
  const std::string& file = table_.files()[run.file];
  const Result<source::Source*> source = Open(run.file);
  if (!source.ok()) return source.status();
  const size_t size = static_cast<size_t>(run.size);
  const std::span<const uint8_t> mapped = (*source)->mapped();
  if (mapped.empty()) {
    const Result<size_t> got = (*source)->ReadAt(run.offset, {to, size});
    if (!got.ok()) return got.status();
    return *got == size ? Status() : HasChanged(file, kUnknown, run.offset);
  }
  if (run.offset > mapped.size() || size > mapped.size() - run.offset) {
    return HasChanged(file, kUnknown, run.offset);
  }
  if (number + kRunsAhead < runs_.size()) {
    const Run& ahead = runs_[number + kRunsAhead];
    if (ahead.file == run.file && ahead.offset < mapped.size()) {
      PrefetchBytes(mapped.data() + ahead.offset, ahead.size);
    }
  }
  // Only the copy is looked at, since a mapped file may change.
  std::memcpy(to, mapped.data() + run.offset, size);
  return Status();
}

// An index is not believed before the headers that it names are found.
Status RecordFetcher::Frame(const Run& run, const uint8_t* bytes) {
  for (size_t i = run.begin; i < run.end; ++i) {
    const RecordPlace& place = places_[i];
    const uint8_t* const header = bytes + (place.offset - run.offset);
    FetchedRecord& record = records_[i];
    if (!IsRecordHeader(header) || LoadLittle64(header) != place.length) {
      return HasChanged(table_.files()[run.file], record.record, place.offset);
    }
    record.span = {.payload = header + kRecordHeaderBytes,
                   .offset = place.offset,
                   .size = static_cast<uint32_t>(place.length)};
  }
  return Status();
}

// The block is valid until the next call.
Result<const RecordFetcher::KeptBlock*> RecordFetcher::GetBlock(
    uint64_t number, const TakeOptions& options) {
  const auto found = std::find_if(
      kept_.rbegin(), kept_.rend(),
      [number](const KeptBlock& kept) { return kept.number == number; });
  if (found != kept_.rend()) return &*found;
  const uint64_t begin = number * options.block;
  rows_.resize(
      static_cast<size_t>(std::min(options.block, table_.size() - begin)));
  std::iota(rows_.begin(), rows_.end(), begin);
  if (Status status = FetchRows(); !status.ok()) return status;
  while (!kept_.empty() && kept_.size() >= options.kept) kept_.pop_front();
  kept_.push_back({.number = number, .records = records_, .memory = memory_});
  return &kept_.back();
}

Result<source::Source*> RecordFetcher::Open(uint32_t file) {
  if (sources_[file] != nullptr) return sources_[file].get();
  if (Status status = table_.Check(file, options_); !status.ok()) return status;
  auto source = source::OpenNamed(table_.files()[file], options_.open_input,
                                  {.compression = Compression::kNone,
                                   .mmap = options_.mmap,
                                   .limits = options_.limits});
  if (!source.ok()) return source.status();
  if (open_.size() == kMostOpen) {
    sources_[open_.front()].reset();
    open_.pop_front();
  }
  open_.push_back(file);
  sources_[file] = *std::move(source);
  return sources_[file].get();
}

}  // namespace headrace::dataset
