#include "src/reader/record_stream.h"

#include <sys/stat.h>

#include <utility>

#include "src/source/source.h"

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

RecordStream::RecordStream(const std::vector<std::string>& files,
                           const ReadOptions& options, ReadReport* report)
    : files_(files), options_(options), report_(report) {
  for (const std::string& file : files_) {
    const std::optional<uint64_t> size = RegularSize(file);
    can_reopen_ &= size.has_value();
    stored_size_ += size.value_or(0);
  }
}

Status RecordStream::OpenFile() {
  const source::SourceOptions source_options{
      .compression = options_.compression,
      .mmap = options_.mmap,
      .limits = options_.limits};
  auto source = source::OpenFile(files_[file_], source_options);
  if (!source.ok()) return source.status();
  scanner_ = std::make_unique<record::Scanner>(
      *std::move(source),
      record::ScanOptions{.on_corrupt = options_.on_corrupt,
                          .verify_payload = options_.verify_payload,
                          .defer_payload = !verify_now_,
                          .limits = options_.limits});
  regions_seen_ = 0;
  return Status();
}

// Moves what the scanner has left out since the last call to the report.
void RecordStream::CollectRegions() {
  const auto& regions = scanner_->regions();
  for (uint64_t i = regions_seen_; i < scanner_->num_regions(); ++i) {
    ++report_->num_regions;
    if (i < regions.size() &&
        report_->regions.size() < options_.limits.max_reported) {
      report_->regions.push_back({files_[file_], regions[i]});
    }
  }
  regions_seen_ = scanner_->num_regions();
}

Result<std::optional<FileBlock>> RecordStream::Next(size_t max_records) {
  if (!held_.empty()) {
    given_ = std::move(held_.front());
    held_.pop_front();
    given_->block.block.records = given_->records;
    return std::optional(given_->block);
  }
  given_.reset();
  while (file_ < files_.size()) {
    if (!scanner_) {
      if (Status status = OpenFile(); !status.ok()) return status;
    }
    auto block = scanner_->NextBlock(max_records);
    CollectRegions();
    if (!block.ok()) return block.status();
    if (!block->records.empty()) {
      return std::optional(FileBlock{*std::move(block), file_});
    }
    stored_before_ += scanner_->source().stored_position();
    scanner_.reset();
    ++file_;
  }
  return std::optional<FileBlock>();
}

Result<std::optional<FileBlock>> RecordStream::Peek(size_t max_records) {
  verify_now_ = true;
  if (held_bytes_ >= kHeldBytes) return std::optional<FileBlock>();
  std::deque<Held> held = std::exchange(held_, {});
  auto block = Next(max_records);
  held_ = std::move(held);
  if (!block || can_reopen_) return block;
  Held& copy = held_.emplace_back();
  copy.block = **block;
  copy.records.assign(copy.block.block.records.begin(),
                      copy.block.block.records.end());
  copy.block.block.records = copy.records;
  for (const record::RecordSpan& span : copy.records) held_bytes_ += span.size;
  return std::optional(copy.block);
}

void RecordStream::Rewind() {
  verify_now_ = false;
  if (!can_reopen_) return;
  scanner_.reset();
  file_ = 0;
  stored_before_ = 0;
  report_->regions.clear();
  report_->num_regions = 0;
}

Status RecordStream::ReportBadPayload(const record::RecordSpan& span,
                                      uint64_t record_number) {
  Status status = scanner_->ReportBadPayload(span, record_number);
  CollectRegions();
  return status;
}

uint64_t RecordStream::stored_position() const {
  return stored_before_ + (scanner_ ? scanner_->source().stored_position() : 0);
}

}  // namespace headrace::reader
