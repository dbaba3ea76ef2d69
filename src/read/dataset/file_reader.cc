#include "src/read/dataset/file_reader.h"

#include <cstring>
#include <string>
#include <utility>

#include "src/base/memory/prefetch.h"

namespace headrace::dataset {
namespace {

// Files that a reader keeps open.
constexpr size_t kMaxOpen = 128;

}  // namespace

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

Result<std::unique_ptr<source::Source>> FileOpener::Open(uint32_t file) {
  const std::lock_guard lock(mutex_);
  // A local file may have been replaced since it was last open. Each read of a
  // remote one is another request, so checking again would prove nothing more.
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

}  // namespace headrace::dataset
