#include "src/reader/record_stream.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "src/source/source.h"
#include "src/source/source_error.h"

namespace headrace::reader {
namespace {

// Size of a regular file; empty for anything else.
std::optional<uint64_t> RegularSize(const std::string& path) {
  struct stat info;
  if (path == "-" || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(info.st_size);
}

}  // namespace

FileBlock FileBlock::After(size_t num_records) const {
  FileBlock rest = *this;
  rest.block.records = rest.block.records.subspan(num_records);
  rest.block.first_record += num_records;
  return rest;
}

size_t CountThatFit(std::span<const record::RecordSpan> records, uint64_t bytes,
                    uint64_t most_bytes, bool is_empty) {
  size_t count = 0;
  for (; count < records.size(); ++count) {
    bytes += records[count].size;
    if (bytes > most_bytes && (count > 0 || !is_empty)) break;
  }
  return count;
}

void AppendRegions(std::vector<FileRegion>&& more, size_t max_regions,
                   std::vector<FileRegion>* regions) {
  for (FileRegion& region : more) {
    if (regions->size() >= max_regions) break;
    regions->push_back(std::move(region));
  }
}

void LeftOut::Add(LeftOut&& more, size_t max_regions) {
  count += more.count;
  AppendRegions(std::move(more.regions), max_regions, &regions);
}

void LeftOut::Clear() {
  regions.clear();
  count = 0;
}

RecordStream::RecordStream(const std::vector<std::string>& files,
                           const ReadOptions& options, Interrupt* interrupt)
    : files_(files), options_(options), interrupt_(interrupt) {
  if (options_.open_input) return;
  for (const std::string& file : files_) {
    if (!RegularSize(file)) held_from_ = 0;
  }
  stored_size_ = StoredSize(static_cast<uint32_t>(files_.size()));
}

// ------------------------------------------------------------------- Shards

bool RecordStream::HasFile(uint32_t file) const {
  return shares_files() || file % options_.shard.count == options_.shard.index;
}

RecordStream::Run RecordStream::RunAt(uint32_t file, uint64_t record) const {
  if (!shares_files()) return {true, ~uint64_t{0}};
  const uint64_t count = options_.shard.count;
  const uint64_t of = (record / kShardRun + file) % count;
  const uint64_t runs_before = (options_.shard.index + count - of) % count;
  const uint64_t begun = record % kShardRun;
  if (runs_before == 0) return {true, kShardRun - begun};
  return {false, runs_before * kShardRun - begun};
}

// What was kept of them while peeking.
void RecordStream::DropForeignFiles() {
  std::erase_if(held_,
                [this](const Held& held) { return !HasFile(held.block.file); });
}

// ------------------------------------------------------------------ Reading

Result<std::unique_ptr<source::Source>> RecordStream::OpenSource() {
  const std::string& name = files_[file_];
  const source::SourceOptions source_options{
      .compression = options_.compression,
      .mmap = options_.mmap,
      // The pipeline's jobs, two a thread, and what the caller has.
      .batches = options_.threads == 1 ? 1 : 2 * options_.threads + 1,
      .limits = options_.limits,
      .interrupt = interrupt_};
  if (!options_.open_input) return source::OpenFile(name, source_options);
  auto input = options_.open_input(name);
  if (!input.ok()) return source::NameFile(input.status(), name);
  if (*input == nullptr) {
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = "ReadOptions::open_input gave nothing",
                            .file = name});
  }
  if (is_peeking_ && !(*input)->can_seek()) {
    held_from_ = std::min(held_from_, file_);
  }
  return source::OpenInput(*std::move(input), name, source_options);
}

Status RecordStream::OpenFile() {
  auto source = OpenSource();
  if (!source.ok()) return source.status();
  scanner_ = std::make_unique<record::Scanner>(
      *std::move(source),
      record::ScanOptions{.on_corrupt = options_.on_corrupt,
                          .verify_payload = options_.verify_payload,
                          .defer_payload = true,
                          .limits = options_.limits});
  regions_seen_ = 0;
  if (!resume_ || resume_->file != file_) return Status();
  const RowOrigin last = *std::exchange(resume_, std::nullopt);
  return scanner_->ResumeAfter(last);
}

// Adds what the scanner has left out since the last call.
void RecordStream::CollectRegions(LeftOut* left_out) {
  const auto& regions = scanner_->regions();
  for (uint64_t i = regions_seen_; i < scanner_->num_regions(); ++i) {
    ++left_out->count;
    if (i < regions.size() &&
        left_out->regions.size() < options_.limits.max_reported) {
      left_out->regions.push_back(
          {files_[file_], regions[static_cast<size_t>(i)]});
    }
  }
  regions_seen_ = scanner_->num_regions();
}

Result<std::optional<FileBlock>> RecordStream::NextRead(size_t max_records,
                                                        LeftOut* left_out) {
  const size_t end = peeked_ ? held_from_ : files_.size();
  while (file_ < end) {
    if (!is_peeking_ && !HasFile(file_)) {
      scanner_.reset();
      ++file_;
      continue;
    }
    if (!scanner_) {
      if (Status status = OpenFile(); !status.ok()) return status;
    }
    const Run run = is_peeking_ ? Run{true, max_records}
                                : RunAt(file_, scanner_->next_record());
    auto block = scanner_->NextBlock(static_cast<size_t>(
        run.is_own ? std::min<uint64_t>(run.size, max_records) : run.size));
    CollectRegions(left_out);
    if (!block.ok()) return block.status();
    if (!block->records.empty()) {
      if (!run.is_own) continue;
      return std::optional(FileBlock{*std::move(block), file_});
    }
    if (is_peeking_) {
      HoldPeeked({{}, file_}, std::exchange(*left_out, LeftOut()));
    }
    stored_before_ += scanner_->source().stored_position();
    scanner_.reset();
    ++file_;
  }
  return std::optional<FileBlock>();
}

// Empty where nothing is held.
std::optional<FileBlock> RecordStream::NextHeld(size_t max_records,
                                                LeftOut* left_out) {
  while (!held_.empty()) {
    given_ = std::move(held_.front());
    held_.pop_front();
    left_out->Add(std::move(given_->left_out), options_.limits.max_reported);
    FileBlock& block = given_->block;
    block.block.records = given_->records;
    const size_t size = block.block.records.size();
    if (size == 0) continue;
    const Run run = RunAt(block.file, block.block.first_record);
    const auto count = static_cast<size_t>(
        std::min<uint64_t>({run.size, size, run.is_own ? max_records : size}));
    FileBlock first = block;
    first.block.records = block.block.records.first(count);
    if (count < size) GiveBack(block.After(count), {});
    if (run.is_own) return first;
  }
  given_.reset();
  return std::nullopt;
}

Result<std::optional<FileBlock>> RecordStream::Next(size_t max_records,
                                                    LeftOut* left_out) {
  while (true) {
    if (auto held = NextHeld(max_records, left_out)) return held;
    if (!failure_.ok()) return failure_;
    auto block = NextRead(max_records, left_out);
    if (block || !block.ok() || !peeked_) return block;
    ContinuePeeked();
  }
}

RecordStream::Held RecordStream::Hold(const FileBlock& block,
                                      LeftOut&& left_out) {
  const auto records = block.block.records;
  return {block, {records.begin(), records.end()}, std::move(left_out)};
}

void RecordStream::GiveBack(const FileBlock& block, LeftOut&& left_out) {
  held_.push_front(Hold(block, std::move(left_out)));
}

void RecordStream::Fail(const Status& error) {
  held_.clear();
  failure_ = error;
}

Result<std::optional<FileBlock>> RecordStream::Peek(size_t max_records) {
  is_peeking_ = true;
  if (held_bytes_ >= kHeldBytes) return std::optional<FileBlock>();
  LeftOut left_out;
  auto block = NextRead(max_records, &left_out);
  HoldPeeked(block ? **block : FileBlock{{}, file_}, std::move(left_out));
  return block;
}

// Keeps what can be read but once.
void RecordStream::HoldPeeked(const FileBlock& block, LeftOut&& left_out) {
  if (block.file < held_from_) return;
  if (block.block.records.empty() && left_out.count == 0) return;
  held_.push_back(Hold(block, std::move(left_out)));
  for (const record::RecordSpan& span : held_.back().records) {
    held_bytes_ += span.size;
  }
}

Status RecordStream::Rewind() {
  const bool has_peeked = std::exchange(is_peeking_, false);
  const std::optional<RowOrigin>& last = options_.resume_after;
  const uint32_t first = last ? last->file : 0;
  if (has_peeked && first >= held_from_) {
    const Status status = last ? ResumePeeked(*last) : Status();
    DropForeignFiles();
    return status;
  }
  DropForeignFiles();
  if (has_peeked && !can_reopen()) {
    peeked_ = Peeked{file_, std::move(scanner_), regions_seen_,
                     std::move(held_), stored_before_};
    held_.clear();
  }
  scanner_.reset();
  resume_ = last;
  file_ = first;
  stored_before_ = StoredSize(first);
  return Status();
}

// Goes on behind a record of a file that is kept.
Status RecordStream::ResumePeeked(const RowOrigin& last) {
  if (DropHeld(last)) return Status();
  // All that was peeked comes before the record, or the record is not there.
  if (!held_.empty() || file_ > last.file) {
    return record::NoSuchRecord(last, files_[last.file]);
  }
  if (file_ == last.file && scanner_) return scanner_->ResumeAfter(last);
  scanner_.reset();
  resume_ = last;
  file_ = last.file;
  return Status();
}

// Drops what is held up to this record; false where it is not held.
bool RecordStream::DropHeld(const RowOrigin& last) {
  for (; !held_.empty(); held_.pop_front()) {
    Held& held = held_.front();
    auto& records = held.records;
    if (held.block.file > last.file) return false;
    if (held.block.file < last.file || records.empty() ||
        records.back().offset < last.offset) {
      continue;
    }
    const auto found = std::find_if(
        records.begin(), records.end(),
        [&](const auto& span) { return span.offset == last.offset; });
    const auto read = static_cast<uint64_t>(found - records.begin());
    const uint64_t number = held.block.block.first_record + read;
    if (found == records.end() || last.record > number) return false;
    // Numbers of what is held count records whose payloads are bad.
    const uint64_t bad = number - last.record;
    held.left_out.Clear();
    held.block.block.first_record += read + 1;
    records.erase(records.begin(), found + 1);
    for (Held& later : held_) {
      if (later.block.file == last.file) later.block.block.first_record -= bad;
    }
    if (scanner_ && file_ == last.file) scanner_->LowerRecordNumbers(bad);
    return true;
  }
  return false;
}

// The files before held_from_ have been read.
void RecordStream::ContinuePeeked() {
  file_ = peeked_->file;
  scanner_ = std::move(peeked_->scanner);
  regions_seen_ = peeked_->regions_seen;
  held_ = std::move(peeked_->held);
  stored_before_ = peeked_->stored_before;
  peeked_.reset();
}

// Of the shard's files before this one.
uint64_t RecordStream::StoredSize(uint32_t end) const {
  uint64_t size = 0;
  for (uint32_t i = 0; i < end && !options_.open_input; ++i) {
    if (HasFile(i)) size += RegularSize(files_[i]).value_or(0);
  }
  return size;
}

uint64_t RecordStream::stored_position() const {
  return stored_before_ + (scanner_ ? scanner_->source().stored_position() : 0);
}

}  // namespace headrace::reader
