#include "src/read/stream/file_scan.h"

#include <utility>

#include "src/base/system_error.h"
#include "src/input/index/index_beside.h"

namespace headrace::reader {

Result<std::unique_ptr<FileScan>> FileScan::Open(
    const ScanContext& context, const std::string& name, uint32_t file,
    bool resumes, const std::optional<RowOrigin>& last) {
  std::unique_ptr<FileScan> scan(new FileScan(context, name, file));
  if (Status status = scan->Begin(resumes, last); !status.ok()) return status;
  return scan;
}

// ------------------------------------------------------------ Where to begin

Status FileScan::Begin(bool resumes, const std::optional<RowOrigin>& last) {
  const ReadOptions& options = context_.options;
  const Result<uint64_t> place = has_ranges() ? IndexedPlace() : kUnknown;
  if (!place.ok()) return place.status();
  auto source = OpenSource(resumes);
  if (!source.ok()) return source.status();
  scanner_ = std::make_unique<record::Scanner>(
      *std::move(source),
      record::ScanOptions{
          .on_corrupt = options.on_corrupt,
          .verify_payload = options.verify_payload,
          .defer_payload = context_.payloads == Payloads::kUnverified,
          .walks_headers = !options.open_input,
          .interrupt = context_.interrupt,
          .limits = options.limits});
  std::optional<RowOrigin> resume = last;
  const ByteRange bytes = context_.selection->BytesOf(scanner_->source());
  is_part_ = bytes != ByteRange() || context_.selection->divides_ranges();
  if (bytes != ByteRange() && !context_.is_peeking) {
    Status status = ReadBytes(bytes, &resume);
    if (!status.ok()) return status;
  }
  if (has_ranges()) {
    scanner_->EndAtRecord(records().end);
    const Status status = resume ? Status() : EnterRange(*place);
    if (!status.ok()) return status;
  }
  return resume ? scanner_->ResumeAfter(*resume) : Status();
}

Result<std::shared_ptr<const compression::SeekTable>> FileScan::FindTable(
    bool resumes) const {
  const ReadOptions& options = context_.options;
  const bool is_required = options.index == IndexUse::kRequired;
  const bool is_useful = is_required || options.threads > 1 || resumes ||
                         options.range != ByteRange() ||
                         context_.selection->shares_files() ||
                         (has_ranges() && records().begin > 0);
  if (!is_useful) return {nullptr};
  return index::SeekTableBeside(
      name_, options.index_directory, options.index,
      {.open_input = options.open_input, .limits = options.limits});
}

// Begins to make the file's index, if one is asked for and the whole file will
// be read. A file in which reading resumes gets none: even if its first records
// are read to find the columns, not all of the others are.
Status FileScan::BeginIndex() {
  const ReadOptions& options = context_.options;
  const bool is_resumed =
      options.resume_after && options.resume_after->file == file_;
  if (!options.write_index || options.open_input ||
      context_.selection->shares_files() || has_ranges() ||
      options.range != ByteRange() || is_resumed) {
    return Status();
  }
  auto recorder = index::IndexRecorder::Begin(name_, options.index_directory,
                                              {.limits = options.limits});
  if (!recorder.ok()) return recorder.status();
  recorder_ = *std::move(recorder);
  return Status();
}

Result<std::unique_ptr<source::Source>> FileScan::OpenSource(bool resumes) {
  const ReadOptions& options = context_.options;
  if (Status status = BeginIndex(); !status.ok()) return status;
  auto table = FindTable(resumes);
  if (!table.ok()) return table.status();
  // Shards must not depend on whether an index exists. So an index is used to
  // divide a file among them only if it is required. Any index may prove that
  // the file says correctly where its members are.
  const bool is_shared = context_.selection->shares_files();
  const bool only_proves = is_shared && options.index != IndexUse::kRequired;
  const source::SourceOptions source_options{
      .compression = options.compression,
      .mmap = options.mmap,
      // The pipeline has two jobs per thread, and the caller has a batch.
      .batches = options.threads == 1 ? 1 : 2 * options.threads + 1,
      .all_pinned = &context_.is_peeking,
      .threads = options.threads,
      .seek_table = only_proves ? nullptr : *table,
      // Inputs of the caller may be far away, and each hop over a member would
      // cost a request. An index that is written must have what Index::Build
      // would find, which looks for members.
      .hops_members = !options.open_input &&
                      (options.threads > 1 || resumes || is_shared ||
                       options.range != ByteRange() || recorder_ != nullptr),
      .proof = only_proves ? *table : nullptr,
      .table_builder = recorder_ != nullptr ? recorder_->points() : nullptr,
      .limits = options.limits,
      .interrupt = context_.interrupt};
  if (!options.open_input) return source::OpenFile(name_, source_options);
  auto input = options.open_input(name_);
  if (!input.ok()) return NameFile(input.status(), name_);
  if (*input != nullptr) context_.sizes->LookAt(file_, **input);
  return source::OpenInput(*std::move(input), name_, source_options);
}

// Returns the index of the file; an error if there is none that says where the
// records are.
Result<Index> FileScan::UsableIndex() const {
  const ReadOptions& options = context_.options;
  return index::UsableBeside(
      name_, options.index_directory,
      {.open_input = options.open_input, .limits = options.limits});
}

// Returns the offset at which the first record of the range begins; kUnknown if
// no index says so. An unusable index is an error if indexes are required;
// otherwise it counts as none. Under kRescan no index is used, because it may
// number records differently from the reader.
Result<uint64_t> FileScan::IndexedPlace() const {
  const ReadOptions& options = context_.options;
  const RecordRange& range = records();
  if (range.begin == 0 || options.index == IndexUse::kNone ||
      MayLoseFraming(options.on_corrupt)) {
    return kUnknown;
  }
  const bool is_required = options.index == IndexUse::kRequired;
  const Result<Index> index = UsableIndex();
  if (!index.ok() && is_required) return index.status();
  if (!index.ok()) return kUnknown;
  Status status =
      CheckCount(name_, context_.selection->Range(file_), index->size());
  if (!status.ok()) return status;
  if (range.begin == index->size()) return index->stream_bytes();
  RecordPlace place;
  status = index->Find({&range.begin, 1}, {&place, 1});
  if (status.ok()) return place.offset;
  if (is_required) return NameFile(status, name_);
  return kUnknown;
}

// Reads only a range of bytes. An index supplies only the number of the first
// record to return, or of the last one returned before. It decides nothing
// else, because not all readers that share a file may find it.
Status FileScan::ReadBytes(const ByteRange& range,
                           std::optional<RowOrigin>* last) {
  const ReadOptions& options = context_.options;
  reads_bytes_ = true;
  context_.selection->ReadsPartOf(file_);
  if (Status status = scanner_->ReadRange(range); !status.ok()) return status;
  if (scanner_->knows_numbers() || options.open_input ||
      options.index == IndexUse::kNone || MayLoseFraming(options.on_corrupt)) {
    return Status();
  }
  const Result<Index> index = UsableIndex();
  if (!index.ok()) return Status();
  const uint64_t number =
      index::NumberAt(*index, *last ? (*last)->offset : scanner_->position());
  if (number == kUnknown) return Status();
  scanner_->NumberFrom(number);
  if (*last) (*last)->record = number;
  return Status();
}

// Skips the records before the range. `place` is the offset at which the range
// begins, or kUnknown.
Status FileScan::EnterRange(uint64_t place) {
  const uint64_t begin = records().begin;
  if (place != kUnknown) {
    const Result<bool> is_there = scanner_->JumpTo(begin, place);
    if (!is_there.ok() || *is_there) return is_there.status();
  }
  return scanner_->PassTo(begin);
}

// --------------------------------------------------------- What is left out

Result<record::Block> FileScan::Next(size_t max_records, Skipped* left_out) {
  const uint64_t record =
      scanner_->knows_numbers() ? scanner_->next_record() : kUnknown;
  Result<record::Block> block = scanner_->NextBlock(max_records);
  CollectRegions(record, left_out);
  if (!block.ok()) return block;
  if (recorder_ != nullptr) recorder_->Add(block->records);
  if (!block->records.empty() || !has_ranges()) return block;
  const Status status = CheckRecordCount();
  CollectRegions(record, left_out);
  if (!status.ok()) return status;
  return block;
}

// Adds regions that the scanner has reported since the last call. `record` is
// the number that the next record had before them.
void FileScan::CollectRegions(uint64_t record, Skipped* left_out) {
  const auto& regions = scanner_->regions();
  for (uint64_t i = regions_seen_; i < scanner_->num_regions(); ++i) {
    ++left_out->count;
    if (i < regions.size() &&
        left_out->regions.size() < context_.options.limits.max_reported) {
      left_out->regions.push_back({name_, regions[static_cast<size_t>(i)]});
      left_out->records.push_back(record);
    }
  }
  regions_seen_ = scanner_->num_regions();
}

// -------------------------------------------------------------- When to end

// Called after the last record of the range: checks the number of records in
// the file, as far as it is known by now.
Status FileScan::CheckRecordCount() {
  const RecordRange& range = records();
  // If the file should end here, checking that it does costs next to nothing.
  if (range.end == range.file_records && scanner_->next_record() == range.end) {
    scanner_->EndAtRecord(~uint64_t{0});
    const Result<record::Block> more = scanner_->NextBlock(1);
    scanner_->EndAtRecord(range.end);
    if (!more.ok()) return more.status();
  }
  if (!scanner_->numbers_are_sure()) return Status();
  const uint64_t found = scanner_->next_record();
  if (found > range.file_records) return HasMoreRecords(name_, range);
  if (found >= range.end) return Status();
  return CheckCount(name_, context_.selection->Range(file_), found);
}

Result<uint64_t> FileScan::End() {
  const source::Source& source = scanner_->source();
  if (recorder_ != nullptr && scanner_->num_regions() == 0) {
    if (Status status = recorder_->Finish(source); !status.ok()) return status;
  }
  return reads_bytes_ || has_ranges() ? source.stored_size()
                                      : source.stored_position();
}

}  // namespace headrace::reader
