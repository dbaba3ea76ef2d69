#include "src/cli/shuffle/buckets.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

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
