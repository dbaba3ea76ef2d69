#include "src/read/stream/record_stream.h"

#include <algorithm>
#include <utility>

namespace headrace::reader {

RecordStream::RecordStream(const std::vector<std::string>& files,
                           const ReadOptions& options, Interrupt* interrupt,
                           Payloads payloads)
    : files_(files),
      options_(options),
      selection_(options, files.size()),
      sizes_(files, options.open_input != nullptr, selection_),
      context_{.options = options,
               .interrupt = interrupt,
               .payloads = payloads,
               .is_peeking = is_peeking_,
               .selection = &selection_,
               .sizes = &sizes_} {}

Status RecordStream::OpenFile() {
  const bool is_last = resume_ && resume_->file == file_;
  auto scan = FileScan::Open(context_, files_[file_], file_,
                             /*resumes=*/resume_.has_value(),
                             is_last ? resume_ : std::nullopt);
  if (!scan.ok()) return scan.status();
  scan_ = *std::move(scan);
  if (is_last) resume_.reset();
  peeked_part_ |= is_peeking_ && scan_->is_part();
  return Status();
}

Result<std::optional<FileBlock>> RecordStream::NextRead(size_t max_records,
                                                        Skipped* left_out) {
  while (file_ < files_.size()) {
    if (!(is_peeking_ ? selection_.AnyHasFile(file_)
                      : selection_.HasFile(file_))) {
      scan_.reset();
      ++file_;
      continue;
    }
    if (!scan_) {
      if (Status status = OpenFile(); !status.ok()) return status;
    }
    const uint64_t asked = scan_->next_record();
    const Run run =
        is_peeking_ ? Run{true, max_records} : selection_.RunAt(file_, asked);
    auto block = scan_->Next(
        static_cast<size_t>(
            run.is_own ? std::min<uint64_t>(run.size, max_records) : run.size),
        left_out);
    if (!block.ok()) return block.status();
    if (!block->records.empty()) {
      const uint64_t begin = block->first_record;
      const FileBlock read{*std::move(block), file_};
      if (is_peeking_ || !selection_.shares_files() || begin == asked ||
          begin == kUnknown) {
        if (!run.is_own) continue;
        return std::optional(read);
      }
      // The records left out before the block were part of the run.
      Hold(read, std::exchange(*left_out, Skipped()));
      if (auto held = NextHeld(max_records, left_out)) return held;
      continue;
    }
    if (is_peeking_) {
      KeepPeeked({{}, file_}, std::exchange(*left_out, Skipped()));
    }
    if (Status status = EndFile(); !status.ok()) return status;
  }
  return std::optional<FileBlock>();
}

Status RecordStream::EndFile() {
  const Result<uint64_t> size = scan_->End();
  if (!size.ok()) {
    scan_.reset();
    return size.status();
  }
  if (options_.open_input) sizes_.Set(file_, *size);
  CloseFile(*size);
  return Status();
}

void RecordStream::CloseFile(uint64_t stored_bytes) {
  if (selection_.HasFile(file_)) stored_before_ += stored_bytes;
  if (scan_) bytes_before_ += scan_->position();
  scan_.reset();
  ++file_;
}

void RecordStream::LeaveFile() {
  failure_ = Status();
  if (file_ == files_.size()) return;
  CloseFile(scan_ ? scan_->stored_position() : 0);
}

Result<std::optional<FileBlock>> RecordStream::Next(size_t max_records,
                                                    Skipped* left_out) {
  if (auto held = NextHeld(max_records, left_out)) return held;
  if (!failure_.ok()) return failure_;
  return NextRead(max_records, left_out);
}

std::optional<FileBlock> RecordStream::NextHeld(size_t max_records,
                                                Skipped* left_out) {
  return held_.Next(
      max_records,
      [this](uint32_t file, uint64_t record) {
        return selection_.RunAt(file, record);
      },
      options_.limits.max_reported, left_out);
}

void RecordStream::GiveBack(const FileBlock& block, Skipped&& left_out) {
  held_.PushFront(block, std::move(left_out), stored_position());
}

void RecordStream::Fail(const Status& error) {
  held_.clear();
  failure_ = error;
}

Result<std::optional<FileBlock>> RecordStream::Peek(size_t max_records) {
  is_peeking_ = true;
  Skipped left_out;
  auto block = NextRead(max_records, &left_out);
  KeepPeeked(block ? *block : FileBlock{{}, file_}, std::move(left_out));
  return block;
}

Result<std::optional<FileBlock>> RecordStream::LookAhead(size_t max_records) {
  Skipped left_out;
  auto block = NextRead(max_records, &left_out);
  Hold(block ? *block : FileBlock{{}, file_}, std::move(left_out));
  // Keep the error for Next: reading again might not meet it.
  if (!block.ok()) failure_ = block.status();
  return block;
}

void RecordStream::KeepPeeked(const FileBlock& block, Skipped&& left_out) {
  left_out_of_sample_.Add(Skipped(left_out), 1);
  if (options_.sample > 0) Hold(block, std::move(left_out));
}

void RecordStream::Hold(const FileBlock& block, Skipped&& left_out) {
  if (block.block.records.empty() && left_out.count == 0) return;
  held_.PushBack(block, std::move(left_out), read_position());
}

Status RecordStream::Rewind() {
  const bool is_kept =
      std::exchange(is_peeking_, false) && options_.sample > 0 && !peeked_part_;
  if (std::exchange(peeked_part_, false) && !can_reopen()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the columns are found by reading the first records, and "
                  "parts of files would then be read again, which some input "
                  "does not allow: give the columns, a spec or a schema");
  }
  const std::optional<RowOrigin>& last = options_.resume_after;
  if (last) {
    if (Status status = CheckIsInRange(*last); !status.ok()) return status;
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

Status RecordStream::CheckIsInRange(const RowOrigin& last) const {
  if (!selection_.has_ranges()) return Status();
  const RecordRange& range = selection_.OwnRange(last.file);
  if (last.record >= range.begin && last.record < range.end) return Status();
  return record::NoSuchRecord(last, files_[last.file]);
}

// Drops blocks of files that belong to other shards, which peeking has kept.
void RecordStream::DropForeignFiles() {
  held_.DropFiles([this](uint32_t file) { return !selection_.HasFile(file); });
  // After the last file there is no scan, and HasFile must not be called.
  if (file_ < files_.size() && !selection_.HasFile(file_)) scan_.reset();
}

// Starts to read with this file: from its first record, or after resume_.
void RecordStream::BeginAt(uint32_t file) {
  scan_.reset();
  held_.clear();
  file_ = file;
  stored_before_ = sizes_.SumBefore(file);
  bytes_before_ = 0;
  held_.set_stored_position(stored_before_);
}

// Resumes after a record in a file that was peeked at, or in a later one.
Status RecordStream::ResumeHeld(const RowOrigin& last) {
  if (held_.DropThrough(last)) return Status();
  const bool is_open = scan_ && file_ == last.file;
  // A record that is not held must come after all records peeked at.
  if (!held_.empty() || file_ > last.file ||
      (is_open && scan_->position() > last.offset)) {
    return record::NoSuchRecord(last, files_[last.file]);
  }
  // Go on with the open file, unless reading it has failed: the bytes that
  // could not be read may be before the record. The file is then opened again.
  if (is_open && !(scan_->is_broken() && can_reopen())) {
    return scan_->ResumeAfter(last);
  }
  resume_ = last;
  BeginAt(last.file);
  return Status();
}

}  // namespace headrace::reader
