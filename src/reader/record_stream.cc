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
                           const ReadOptions& options)
    : files_(files), options_(options) {
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

// Adds what the scanner has left out since the last call.
void RecordStream::CollectRegions(LeftOut* left_out) {
  const auto& regions = scanner_->regions();
  for (uint64_t i = regions_seen_; i < scanner_->num_regions(); ++i) {
    ++left_out->count;
    if (i < regions.size() &&
        left_out->regions.size() < options_.limits.max_reported) {
      left_out->regions.push_back({files_[file_], regions[i]});
    }
  }
  regions_seen_ = scanner_->num_regions();
}

Result<std::optional<FileBlock>> RecordStream::NextRead(size_t max_records,
                                                        LeftOut* left_out) {
  while (file_ < files_.size()) {
    if (!scanner_) {
      if (Status status = OpenFile(); !status.ok()) return status;
    }
    auto block = scanner_->NextBlock(max_records);
    CollectRegions(left_out);
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

Result<std::optional<FileBlock>> RecordStream::Next(size_t max_records,
                                                    LeftOut* left_out) {
  while (!held_.empty()) {
    given_ = std::move(held_.front());
    held_.pop_front();
    left_out->Add(std::move(given_->left_out), options_.limits.max_reported);
    FileBlock& block = given_->block;
    block.block.records = given_->records;
    if (block.block.records.empty()) continue;
    if (block.block.records.size() <= max_records) return std::optional(block);
    FileBlock first = block;
    first.block.records = block.block.records.first(max_records);
    GiveBack(block.After(max_records), {});
    return std::optional(std::move(first));
  }
  given_.reset();
  return NextRead(max_records, left_out);
}

RecordStream::Held RecordStream::Hold(const FileBlock& block,
                                      LeftOut&& left_out) {
  const auto records = block.block.records;
  return {block, {records.begin(), records.end()}, std::move(left_out)};
}

void RecordStream::GiveBack(const FileBlock& block, LeftOut&& left_out) {
  held_.push_front(Hold(block, std::move(left_out)));
}

Result<std::optional<FileBlock>> RecordStream::Peek(size_t max_records) {
  verify_now_ = true;
  if (held_bytes_ >= kHeldBytes) return std::optional<FileBlock>();
  LeftOut left_out;
  auto block = NextRead(max_records, &left_out);
  if (can_reopen_) return block;
  const bool has_block = static_cast<bool>(block);
  if (has_block || left_out.count > 0) {
    held_.push_back(
        Hold(has_block ? **block : FileBlock(), std::move(left_out)));
    for (const record::RecordSpan& span : held_.back().records) {
      held_bytes_ += span.size;
    }
  }
  return block;
}

void RecordStream::Rewind() {
  verify_now_ = false;
  if (!can_reopen_) return;
  scanner_.reset();
  file_ = 0;
  stored_before_ = 0;
}

uint64_t RecordStream::stored_position() const {
  return stored_before_ + (scanner_ ? scanner_->source().stored_position() : 0);
}

}  // namespace headrace::reader
