#include "src/cli/shuffle/entry.h"

#include <algorithm>

namespace headrace::cli {
namespace {

// Payloads between headers are skipped, so the window is small.
constexpr uint64_t kWindow = 64 << 10;

}  // namespace

Status EntryWriter::Spill(const EntryHeader& header, std::string_view payload,
                          TemporaryFile* file) {
  if (Status status = Flush(file); !status.ok()) return status;
  if (Add(header, payload)) return Status();
  if (Status status = file->Append(header.bytes()); !status.ok()) return status;
  return file->Append(payload);
}

Status EntryWriter::Flush(TemporaryFile* file) {
  Status status = file->Append(entries());
  used_ = 0;
  return status;
}

Result<EntryHeader> EntryReader::Header(uint64_t offset) {
  EntryHeader header;
  Result<const char*> bytes = Bytes(offset, sizeof(header));
  if (!bytes) return bytes.status();
  std::memcpy(&header, *bytes, sizeof(header));
  return header;
}

Result<EntryReader::Entry> EntryReader::Get(uint64_t offset) {
  Result<EntryHeader> header = Header(offset);
  if (!header) return header.status();
  Result<const char*> bytes =
      Bytes(offset, sizeof(*header) + uint64_t{header->size});
  if (!bytes) return bytes.status();
  const Entry entry = {*header, {*bytes + sizeof(*header), header->size}};
  if (Crc32c(entry.payload.data(), entry.payload.size()) != header->crc) {
    return Damaged();
  }
  return entry;
}

Result<const char*> EntryReader::Bytes(uint64_t offset, uint64_t size) {
  if (offset >= window_begin_) {
    const uint64_t skipped = offset - window_begin_;
    if (skipped <= window_.size() && size <= window_.size() - skipped) {
      return window_.data() + static_cast<size_t>(skipped);
    }
  }
  if (file_ == nullptr || offset > size_ || size > size_ - offset) {
    return Damaged();
  }
  const Status status = size_ <= memory_.size()
                            ? Read(0, size_)
                            : Read(offset, std::max(size, kWindow));
  if (!status.ok()) return status;
  return window_.data() + static_cast<size_t>(offset - window_begin_);
}

// Reads `wanted` bytes into the window, or those up to the end of the file.
Status EntryReader::Read(uint64_t offset, uint64_t wanted) {
  const auto size = static_cast<size_t>(std::min(wanted, size_ - offset));
  char* to = memory_.data();
  if (size > memory_.size()) {
    large_.resize(size);
    to = large_.data();
  }
  window_ = {};
  if (Status status = file_->ReadAt(offset, size, to); !status.ok()) {
    return status;
  }
  window_ = {to, size};
  window_begin_ = offset;
  return Status();
}

Status EntryReader::Damaged() const {
  if (file_ != nullptr) return file_->Damaged();
  return Status(ErrorCode::kIo, "a record in memory is not what was read");
}

}  // namespace headrace::cli
