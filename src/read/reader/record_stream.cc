#include "src/read/reader/record_stream.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "src/input/index/index_beside.h"
#include "src/input/source/source.h"
#include "src/input/source/source_error.h"

namespace headrace::reader {
namespace {

// Empty for anything except a regular file.
std::optional<uint64_t> RegularSize(const std::string& path) {
  struct stat info;
  if (path == "-" || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(info.st_size);
}

// Ranges with ends are divided by their records, everything else by ShardRule.
bool AreDivided(const std::vector<RecordRange>& ranges) {
  return !ranges.empty() && HaveEnds(ranges);
}

// An error where the file has no index that says where its records are.
Result<Index> UsableIndex(const std::string& file, const ReadOptions& options) {
  return index::UsableBeside(
      file, options.index_directory,
      {.open_input = options.open_input, .limits = options.limits});
}

std::vector<RecordRange> OwnRanges(const std::vector<RecordRange>& ranges,
                                   const ReadOptions& options) {
  if (!AreDivided(ranges)) return ranges;
  return ShardOf(ranges, options.shard, options.subshards);
}

ShardRule RuleOf(const std::vector<RecordRange>& ranges,
                 const ReadOptions& options, size_t num_files) {
  if (AreDivided(ranges)) return ShardRule({}, {}, num_files);
  return ShardRule(options.shard, options.subshards, num_files);
}

}  // namespace

RecordStream::RecordStream(const std::vector<std::string>& files,
                           const ReadOptions& options, Interrupt* interrupt,
                           Payloads payloads)
    : files_(files),
      options_(options),
      ranges_(Ended(options.record_ranges)),
      own_ranges_(OwnRanges(ranges_, options)),
      rule_(RuleOf(ranges_, options, files.size())),
      interrupt_(interrupt),
      payloads_(payloads),
      sizes_(files.size(), kUnknown),
      is_part_(files.size()) {
  for (uint32_t i = 0; i < files_.size(); ++i) {
    if (HasFile(i)) ++num_unknown_;
    if (options_.open_input) continue;
    const std::optional<uint64_t> size = RegularSize(files_[i]);
    if (!size) can_reopen_ = false;
    SetSize(i, size.value_or(0));
  }
}

bool RecordStream::HasFile(uint32_t file) const {
  if (has_ranges() && IsEmpty(own_ranges_[file])) return false;
  return rule_.HasFile(file);
}

bool RecordStream::PeeksAt(uint32_t file) const {
  return is_peeking_ && !(has_ranges() && IsEmpty(ranges_[file]));
}

Run RecordStream::RunAt(uint32_t file, uint64_t record) const {
  if (!rule_.shares_files() || is_part_[file]) return {true, ~uint64_t{0}};
  return rule_.RunAt(file, record);
}

void RecordStream::SetSize(uint32_t file, uint64_t size) {
  const uint64_t before = std::exchange(sizes_[file], size);
  if (!HasFile(file)) return;
  num_unknown_ += size == kUnknown;
  num_unknown_ -= before == kUnknown;
  stored_size_ += size == kUnknown ? 0 : size;
  stored_size_ -= before == kUnknown ? 0 : before;
}

// Shards that share a file take a range each where it can be read at any place.
ByteRange RecordStream::RangeOf(const source::Source& source) const {
  if (has_ranges() || !rule_.shares_files() || !source.can_read_at()) {
    return options_.range;
  }
  return rule_.RangeOf(source.stream_size());
}

// Peeking kept blocks of files that belong to other shards.
void RecordStream::DropForeignFiles() {
  held_.DropFiles([this](uint32_t file) { return !HasFile(file); });
  // Behind the last file there is no scanner, and no range.
  if (file_ < files_.size() && !HasFile(file_)) scanner_.reset();
}

Result<std::shared_ptr<const compression::SeekTable>>
RecordStream::FindTable() {
  const bool is_required = options_.index == IndexUse::kRequired;
  const bool is_useful = is_required || options_.threads > 1 || resume_ ||
                         options_.range != ByteRange() ||
                         rule_.shares_files() ||
                         (has_ranges() && RecordsOf(file_).begin > 0);
  if (!is_useful) return {nullptr};
  return index::SeekTableBeside(
      files_[file_], options_.index_directory, options_.index,
      {.open_input = options_.open_input, .limits = options_.limits});
}

// The columns may be found from the first records of a file that is resumed
// then, so not all of its records come by.
Status RecordStream::BeginIndex() {
  recorder_.reset();
  const bool is_resumed =
      options_.resume_after && options_.resume_after->file == file_;
  if (!options_.write_index || options_.open_input || rule_.shares_files() ||
      has_ranges() || options_.range != ByteRange() || is_resumed) {
    return Status();
  }
  auto recorder = index::IndexRecorder::Begin(
      files_[file_], options_.index_directory, {.limits = options_.limits});
  if (!recorder.ok()) return recorder.status();
  recorder_ = *std::move(recorder);
  return Status();
}

Result<std::unique_ptr<source::Source>> RecordStream::OpenSource() {
  const std::string& name = files_[file_];
  if (Status status = BeginIndex(); !status.ok()) return status;
  auto table = FindTable();
  if (!table.ok()) return table.status();
  // Shards must not depend on whether an index is there, so only one that all
  // need divides a file among them. Any one may prove what the file itself
  // says.
  const bool only_proves =
      rule_.shares_files() && options_.index != IndexUse::kRequired;
  const source::SourceOptions source_options{
      .compression = options_.compression,
      .mmap = options_.mmap,
      // The pipeline has two jobs per thread, and the caller a batch.
      .batches = options_.threads == 1 ? 1 : 2 * options_.threads + 1,
      .all_pinned = &is_peeking_,
      .threads = options_.threads,
      .seek_table = only_proves ? nullptr : *table,
      // An input may be far away, and each member takes a request. An index
      // that is written has what Index::Build would find.
      .hops_members =
          !options_.open_input &&
          (options_.threads > 1 || resume_ || rule_.shares_files() ||
           options_.range != ByteRange() || recorder_ != nullptr),
      .proof = only_proves ? *table : nullptr,
      .table_builder = recorder_ != nullptr ? recorder_->points() : nullptr,
      .limits = options_.limits,
      .interrupt = interrupt_};
  if (!options_.open_input) return source::OpenFile(name, source_options);
  auto input = options_.open_input(name);
  if (!input.ok()) return source::NameFile(input.status(), name);
  if (*input == nullptr) {
    return source::OpenInput(nullptr, name, source_options);
  }
  if (!(*input)->can_seek()) can_reopen_ = false;
  if (const uint64_t size = (*input)->size(); size > 0) SetSize(file_, size);
  return source::OpenInput(*std::move(input), name, source_options);
}

// Where the first record of the range begins, kUnknown if no index beside the
// file tells. Unless indexes are required, one that cannot be used is as good
// as none. Under rescan the numbers of an index need not be those of the
// reader.
Result<uint64_t> RecordStream::IndexedPlace(const RecordRange& range) const {
  if (range.begin == 0 || options_.index == IndexUse::kNone ||
      options_.on_corrupt == OnCorrupt::kRescan) {
    return kUnknown;
  }
  const bool is_required = options_.index == IndexUse::kRequired;
  const std::string& name = files_[file_];
  const Result<Index> index = UsableIndex(name, options_);
  if (!index.ok() && is_required) return index.status();
  if (!index.ok()) return kUnknown;
  Status status = CheckCount(name, ranges_[file_], index->size());
  if (!status.ok()) return status;
  if (range.begin == index->size()) return index->stream_bytes();
  RecordPlace place;
  status = index->Find({&range.begin, 1}, {&place, 1});
  if (status.ok()) return place.offset;
  if (is_required) return source::NameFile(status, name);
  return kUnknown;
}

// The records before the range are passed over; `place` may say where it
// begins.
Status RecordStream::EnterRange(uint64_t place) {
  const RecordRange& range = RecordsOf(file_);
  scanner_->EndAtRecord(range.end);
  if (resume_ && resume_->file == file_) return Status();
  if (place != kUnknown) {
    const Result<bool> is_there = scanner_->JumpTo(range.begin, place);
    if (!is_there.ok() || *is_there) return is_there.status();
  }
  return scanner_->PassTo(range.begin);
}

// All records of the range have been given that the file has.
Status RecordStream::CheckRecordCount() {
  const RecordRange& range = RecordsOf(file_);
  // Where the file should end, it costs next to nothing to see that it does.
  if (range.end == range.file_records && scanner_->next_record() == range.end) {
    scanner_->EndAtRecord(~uint64_t{0});
    const Result<record::Block> more = scanner_->NextBlock(1);
    scanner_->EndAtRecord(range.end);
    if (!more.ok()) return more.status();
  }
  if (!scanner_->numbers_are_sure()) return Status();
  const uint64_t found = scanner_->next_record();
  if (found > range.file_records) return HasMoreRecords(files_[file_], range);
  if (found >= range.end) return Status();
  return CheckCount(files_[file_], ranges_[file_], found);
}

Status RecordStream::OpenFile() {
  const Result<uint64_t> place =
      has_ranges() ? IndexedPlace(RecordsOf(file_)) : kUnknown;
  if (!place.ok()) return place.status();
  auto source = OpenSource();
  if (!source.ok()) return source.status();
  scanner_ = std::make_unique<record::Scanner>(
      *std::move(source),
      record::ScanOptions{.on_corrupt = options_.on_corrupt,
                          .verify_payload = options_.verify_payload,
                          .defer_payload = payloads_ == Payloads::kUnverified,
                          .numbers_bad_payloads = has_ranges(),
                          .walks_headers = !options_.open_input,
                          .interrupt = interrupt_,
                          .limits = options_.limits});
  regions_seen_ = 0;
  const ByteRange range = RangeOf(scanner_->source());
  if (range != ByteRange()) {
    is_part_[file_] = !is_peeking_;
    peeked_part_ = peeked_part_ || is_peeking_;
  }
  if (is_part_[file_]) {
    if (Status status = scanner_->ReadRange(range); !status.ok()) return status;
    NumberPart();
  }
  if (has_ranges()) {
    peeked_part_ = peeked_part_ || (is_peeking_ && own_ranges_ != ranges_);
    if (Status status = EnterRange(*place); !status.ok()) return status;
  }
  if (!resume_ || resume_->file != file_) return Status();
  const RowOrigin last = *std::exchange(resume_, std::nullopt);
  return scanner_->ResumeAfter(last);
}

// An index tells the number of the first record to give, or of the last one
// that was given. Where several readers share a file, all of them need not
// find it, so it decides nothing else.
void RecordStream::NumberPart() {
  const bool is_resumed = resume_ && resume_->file == file_;
  if (scanner_->knows_numbers() || options_.open_input ||
      options_.index == IndexUse::kNone ||
      options_.on_corrupt == OnCorrupt::kRescan) {
    return;
  }
  const Result<Index> index = UsableIndex(files_[file_], options_);
  if (!index.ok()) return;
  const uint64_t number = index::NumberAt(
      *index, is_resumed ? resume_->offset : scanner_->position());
  if (number == kUnknown) return;
  scanner_->NumberFrom(number);
  if (is_resumed) resume_->record = number;
}

// Adds regions that the scanner has reported since the last call; `record` was
// the next one before they were met.
void RecordStream::CollectRegions(uint64_t record, LeftOut* left_out) {
  const auto& regions = scanner_->regions();
  for (uint64_t i = regions_seen_; i < scanner_->num_regions(); ++i) {
    LeftOut one = {.regions = {}, .count = 1};
    if (i < regions.size()) {
      one.regions.push_back({files_[file_], regions[static_cast<size_t>(i)]});
      one.records.push_back(record);
    }
    if (is_peeking_) left_out_of_sample_.Add(LeftOut(one), 1);
    left_out->Add(std::move(one), options_.limits.max_reported);
  }
  regions_seen_ = scanner_->num_regions();
}

Result<std::optional<FileBlock>> RecordStream::NextRead(size_t max_records,
                                                        LeftOut* left_out) {
  while (file_ < files_.size()) {
    if (is_peeking_ ? !PeeksAt(file_) : !HasFile(file_)) {
      scanner_.reset();
      ++file_;
      continue;
    }
    if (!scanner_) {
      if (Status status = OpenFile(); !status.ok()) return status;
    }
    const uint64_t next =
        scanner_->knows_numbers() ? scanner_->next_record() : kUnknown;
    const Run run = is_peeking_ ? Run{true, max_records}
                                : RunAt(file_, scanner_->next_record());
    auto block = scanner_->NextBlock(static_cast<size_t>(
        run.is_own ? std::min<uint64_t>(run.size, max_records) : run.size));
    CollectRegions(next, left_out);
    if (!block.ok()) return block.status();
    if (recorder_ != nullptr) recorder_->Add(block->records);
    if (!block->records.empty()) {
      if (!run.is_own) continue;
      return std::optional(FileBlock{*std::move(block), file_});
    }
    if (has_ranges()) {
      const Status status = CheckRecordCount();
      CollectRegions(next, left_out);
      if (!status.ok()) return status;
    }
    if (is_peeking_) {
      KeepPeeked({{}, file_}, std::exchange(*left_out, LeftOut()));
    }
    if (Status status = EndFile(); !status.ok()) return status;
  }
  return std::optional<FileBlock>();
}

Status RecordStream::EndFile() {
  const source::Source& source = scanner_->source();
  Status status;
  if (recorder_ != nullptr && scanner_->num_regions() == 0) {
    status = recorder_->Finish(source);
  }
  const uint64_t size = is_part_[file_] || has_ranges()
                            ? source.stored_size()
                            : source.stored_position();
  if (options_.open_input) SetSize(file_, size);
  CloseFile(size);
  return status;
}

void RecordStream::CloseFile(uint64_t stored_bytes) {
  if (HasFile(file_)) stored_before_ += stored_bytes;
  if (scanner_) bytes_before_ += scanner_->position();
  scanner_.reset();
  recorder_.reset();
  ++file_;
}

void RecordStream::LeaveFile() {
  failure_ = Status();
  if (file_ == files_.size()) return;
  CloseFile(scanner_ ? scanner_->source().stored_position() : 0);
}

Result<std::optional<FileBlock>> RecordStream::Next(size_t max_records,
                                                    LeftOut* left_out) {
  auto held = held_.Next(
      max_records,
      [this](uint32_t file, uint64_t record) { return RunAt(file, record); },
      options_.limits.max_reported, left_out);
  if (held) return held;
  if (!failure_.ok()) return failure_;
  return NextRead(max_records, left_out);
}

void RecordStream::GiveBack(const FileBlock& block, LeftOut&& left_out) {
  held_.PushFront(block, std::move(left_out), stored_position());
}

void RecordStream::Fail(const Status& error) {
  held_.clear();
  failure_ = error;
}

Result<std::optional<FileBlock>> RecordStream::Peek(size_t max_records) {
  is_peeking_ = true;
  LeftOut left_out;
  auto block = NextRead(max_records, &left_out);
  KeepPeeked(block ? *block : FileBlock{{}, file_}, std::move(left_out));
  return block;
}

Result<std::optional<FileBlock>> RecordStream::LookAhead(size_t max_records) {
  LeftOut left_out;
  auto block = NextRead(max_records, &left_out);
  Hold(block ? *block : FileBlock{{}, file_}, std::move(left_out));
  // Reading on might not meet the same error.
  if (!block.ok()) failure_ = block.status();
  return block;
}

void RecordStream::KeepPeeked(const FileBlock& block, LeftOut&& left_out) {
  if (options_.sample > 0) Hold(block, std::move(left_out));
}

void RecordStream::Hold(const FileBlock& block, LeftOut&& left_out) {
  if (block.block.records.empty() && left_out.count == 0) return;
  held_.PushBack(block, std::move(left_out), read_position());
}

Status RecordStream::Rewind() {
  const bool is_kept =
      std::exchange(is_peeking_, false) && options_.sample > 0 && !peeked_part_;
  if (std::exchange(peeked_part_, false) && !can_reopen_) {
    return Status(ErrorCode::kInvalidArgument,
                  "the columns are found by reading the first records, and "
                  "parts of files would then be read again, which some input "
                  "does not allow: give the columns, a spec or a schema");
  }
  const std::optional<RowOrigin>& last = options_.resume_after;
  if (last && has_ranges() &&
      (last->record < RecordsOf(last->file).begin ||
       last->record >= RecordsOf(last->file).end)) {
    return record::NoSuchRecord(*last, files_[last->file]);
  }
  if (is_kept) {
    const Status status = last ? ResumeHeld(*last) : Status();
    DropForeignFiles();
    return status;
  }
  resume_ = last;
  BeginAt(last ? last->file : 0);
  return Status();
}

// The file is read from its first record, or from that of resume_.
void RecordStream::BeginAt(uint32_t file) {
  scanner_.reset();
  held_.clear();
  file_ = file;
  stored_before_ = 0;
  bytes_before_ = 0;
  for (uint32_t i = 0; i < file; ++i) {
    if (HasFile(i) && sizes_[i] != kUnknown) stored_before_ += sizes_[i];
  }
  held_.set_stored_position(stored_before_);
}

// The record to go on behind is in a file that was peeked at, or in a later
// one.
Status RecordStream::ResumeHeld(const RowOrigin& last) {
  if (const auto bad = held_.DropThrough(last)) {
    if (scanner_ && file_ == last.file) scanner_->LowerRecordNumbers(*bad);
    return Status();
  }
  const bool is_open = scanner_ && file_ == last.file;
  // The record comes after all that was peeked, or is not there.
  if (!held_.empty() || file_ > last.file ||
      (is_open && scanner_->position() > last.offset)) {
    return record::NoSuchRecord(last, files_[last.file]);
  }
  // What could not be read may lie before the record, too.
  const bool is_broken = is_open && !scanner_->source().failure().ok();
  if (is_open && !(is_broken && can_reopen_)) {
    return scanner_->ResumeAfter(last);
  }
  resume_ = last;
  BeginAt(last.file);
  return Status();
}

}  // namespace headrace::reader
