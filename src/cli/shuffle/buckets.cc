#include "src/cli/shuffle/buckets.h"

#include <algorithm>
#include <optional>

#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

// Payloads between headers are skipped, so the window is small.
constexpr uint64_t kWindow = 64 << 10;

// Smaller writes would cost more than the bytes that they write.
constexpr uint64_t kMinBuffer = 4 << 10;
constexpr uint64_t kMaxBuffer = 1 << 20;

uint64_t DivideUp(uint64_t number, uint64_t by) {
  return number / by + (number % by != 0);
}

std::optional<BucketPlan> TryPlan(uint64_t records, uint64_t bytes,
                                  uint64_t memory, uint64_t most_buckets) {
  const uint64_t share = memory / 4 * 3;
  const uint64_t wanted = std::min(records, DivideUp(bytes, share));
  BucketPlan plan;
  plan.rows = DivideUp(records, wanted);
  plan.count = DivideUp(records, plan.rows);
  const uint64_t buffer = std::min(memory / plan.count, kMaxBuffer);
  plan.buffer_bytes = static_cast<size_t>(buffer / kMinBuffer * kMinBuffer);
  if (plan.buffer_bytes == 0 || plan.count > most_buckets) return std::nullopt;
  return plan;
}

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

// Reads `wanted` bytes into the window, or fewer at the end of the file.
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

Result<BucketPlan> PlanBuckets(uint64_t records, uint64_t entry_bytes,
                               uint64_t memory, uint64_t most_buckets) {
  const uint64_t bytes = entry_bytes + records * sizeof(uint64_t);
  if (const auto plan = TryPlan(records, bytes, memory, most_buckets)) {
    return *plan;
  }
  uint64_t enough = memory;
  while (enough <= bytes && !TryPlan(records, bytes, enough, most_buckets)) {
    enough *= 2;
  }
  return Status(ErrorCode::kInvalidArgument,
                "--memory of " + ByteSize(memory) + " is too little for " +
                    ByteSize(entry_bytes) + " of records; " + ByteSize(enough) +
                    " is enough");
}

Result<Buckets> Buckets::Create(const BucketPlan& plan,
                                const std::string& folder,
                                std::span<char> memory) {
  Buckets buckets(plan);
  for (uint64_t i = 0; i < plan.count; ++i) {
    Result<TemporaryFile> file = TemporaryFile::Create(folder);
    if (!file) return file.status();
    buckets.files_.push_back(*std::move(file));
    buckets.buffers_.emplace_back(memory.first(plan.buffer_bytes));
    memory = memory.subspan(plan.buffer_bytes);
  }
  return buckets;
}

Status Buckets::Add(uint64_t position, const EntryHeader& header,
                    std::string_view payload) {
  const auto bucket = static_cast<size_t>(position / plan_.rows);
  EntryWriter& buffer = buffers_[bucket];
  if (buffer.Add(header, payload)) return Status();
  return buffer.Spill(header, payload, &files_[bucket]);
}

Status Buckets::Finish() {
  for (size_t i = 0; i < files_.size(); ++i) {
    Status status = buffers_[i].Flush(&files_[i]);
    if (!status.ok()) return status;
  }
  buffers_.clear();
  return Status();
}

}  // namespace headrace::cli
