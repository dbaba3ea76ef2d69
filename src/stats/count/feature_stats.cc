// FeatureStats is a handle on a DatasetCounter. It turns failed allocations
// into errors, and keeps an error that is final.

#include <algorithm>
#include <utility>

#include "headrace/stats.h"
#include "src/base/out_of_memory.h"
#include "src/stats/count/dataset_counter.h"

namespace headrace {
namespace {

StatsOptions Checked(StatsOptions options) {
  options.max_distinct =
      std::clamp(options.max_distinct, kMinDistinct, kMaxDistinct);
  if (options.message != MessageType::kSequence) {
    options.message = MessageType::kExample;
  }
  return options;
}

}  // namespace

class FeatureStats::Impl {
 public:
  Impl(StatsOptions options, bool padded_input)
      : counter(std::move(options), padded_input) {}

  stats::DatasetCounter counter;
  Status status;  // an error that is final
};

FeatureStats::FeatureStats(StatsOptions options, bool padded_input)
    : impl_(std::make_unique<Impl>(Checked(std::move(options)), padded_input)) {
}
FeatureStats::FeatureStats(FeatureStats&&) noexcept = default;
FeatureStats& FeatureStats::operator=(FeatureStats&&) noexcept = default;
FeatureStats::~FeatureStats() = default;

Status FeatureStats::Add(const Batch& batch,
                         std::span<const std::string> files) {
  if (!impl_->status.ok()) return impl_->status;
  return CatchOutOfMemory(
      &impl_->status, [&] { return impl_->counter.AddBatch(batch, files); });
}

Status FeatureStats::AddRecords(std::string_view file,
                                std::span<const NumberedRecord> records,
                                const BlockCensus::Refused& refused) {
  if (!impl_->status.ok()) return impl_->status;
  return CatchOutOfMemory(&impl_->status, [&] {
    Status status = impl_->counter.AddRecords(file, records, refused);
    if (status.code() == ErrorCode::kOutOfMemory) impl_->status = status;
    return status;
  });
}

void FeatureStats::AddFile(const FileSummary& file) {
  impl_->counter.AddFile(file);
}

void FeatureStats::AddBad(uint64_t records, uint64_t regions) {
  impl_->counter.AddBad(records, regions);
}

Status FeatureStats::Merge(const FeatureStats& other) {
  if (!impl_->status.ok()) return impl_->status;
  if (!other.impl_->status.ok()) return other.impl_->status;
  return CatchOutOfMemory(&impl_->status, [&] {
    return impl_->counter.Merge(other.impl_->counter);
  });
}

uint64_t FeatureStats::num_records() const {
  return impl_->counter.num_records();
}

uint64_t FeatureStats::num_lists_left_out() const {
  return impl_->counter.num_lists_left_out();
}

std::vector<Notice> FeatureStats::notices() const {
  return impl_->counter.ToNotices();
}

StatsSummary FeatureStats::Summary() const {
  return impl_->counter.ToSummary();
}

std::string FeatureStats::Serialize() const {
  return impl_->counter.Serialize();
}

// Includes statistics of other versions, which Parse refuses.
bool FeatureStats::IsSerialized(std::string_view bytes) {
  constexpr std::string_view kMagic = stats::kStateMagic;
  return bytes.size() >= kMagic.size() &&
         bytes.starts_with(kMagic.substr(0, kMagic.size() - 1));
}

Result<FeatureStats> FeatureStats::Parse(std::string_view bytes) {
  return CatchOutOfMemory([&]() -> Result<FeatureStats> {
    FeatureStats stats;
    if (!stats.impl_->counter.Parse(bytes)) {
      return Status(ErrorCode::kInvalidArgument,
                    "these bytes are not statistics that headrace has saved");
    }
    return stats;
  });
}

}  // namespace headrace
