// Decoder decodes records that the caller has in memory: it finds or makes
// slack after them, and DecodeSpans does the rest.

#include "headrace/decoder.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "src/base/checked_math.h"
#include "src/base/memory/page_slack.h"
#include "src/base/out_of_memory.h"
#include "src/base/without_content.h"
#include "src/decode/example/entry_order.h"
#include "src/input/source/window.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/late_features.h"
#include "src/read/batch/batch_storage.h"
#include "src/read/reader/first_look.h"
#include "src/read/reader/span_decoder.h"

namespace headrace {

static_assert(kPadding == source::kSlack);

namespace {

constexpr size_t kTooMuch = ~size_t{0};

}  // namespace

namespace {

// The places of the caller's records, which have an index but no file.
class Places : public reader::SpanPlaces {
 public:
  explicit Places(std::span<const record::RecordSpan> spans) : spans_(spans) {}

  RowOrigin OriginOf(size_t i) const override { return {.record = i}; }
  reader::RowPlace PlaceOf(size_t i) const override { return {.record = i}; }
  // Nothing is known about the bytes between records, so each record is pinned
  // as a separate stretch.
  void PinAll(reader::BatchStorage* storage) const override {
    for (const record::RecordSpan& span : spans_) {
      storage->PinStretch({span.payload, span.size}, Pin());
    }
  }

 private:
  const std::span<const record::RecordSpan> spans_;
};

}  // namespace

class Decoder::Impl {
 public:
  Impl(Plan plan, const DecodeOptions& options)
      : plan_(std::move(plan)), options_(options), absent_(plan_) {}

  Result<Batch> Decode(std::span<const std::string_view> records,
                       ReadReport* report) {
    if (options_.allocator && plan_.tensors().empty()) {
      return reader::AllocatorNeedsSpec();
    }
    if (Status status = LookFirst(records, report); !status.ok()) return status;
    if (pool_ == nullptr) {
      pool_ = std::make_shared<reader::BatchPool>(options_.limits,
                                                  options_.allocator);
    }
    reader::BatchStorage* const storage = pool_->Acquire(plan_);
    Batch batch = reader::BatchStorage::MakeBatch(storage);
    if (Status status = MakeSpans(records, storage); !status.ok()) {
      return status;
    }

    const Status status =
        reader::DecodeSpans(spans_, Places(spans_),
                            {.verify_unselected = options_.verify_unselected,
                             .own_bytes = !options_.padded_input,
                             .on_row_error = options_.on_row_error,
                             .max_reported = options_.limits.max_reported},
                            &order_, storage, &skipped_, &late_);
    if (!status.ok()) return status;
    if (absent_.Note(storage)) {
      report->absent = absent_.List(plan_, options_.limits.max_reported);
    }
    reader::NoteLate(late_, options_.limits.max_reported, report);
    return batch;
  }

  void Forget() { skipped_.Clear(); }
  const std::vector<Status>& Skipped() {
    skipped_.unexplained.Explain(plan::Program::Of(plan_), &skipped_.errors);
    return skipped_.errors;
  }
  uint64_t num_skipped() const { return skipped_.count; }

 private:
  // Inspects the records of the first call that has any. Sets the notices, and
  // the verdict that this call and all later ones return.
  Status LookFirst(std::span<const std::string_view> records,
                   ReadReport* report) {
    if (has_looked_ || records.empty()) return verdict_;
    reader::FirstLook look(plan_);
    for (const std::string_view record : records) {
      if (!look.WantsMore()) break;
      look.Add(record);
    }
    report->notices =
        look.Notices(options_.on_absent, options_.limits.max_reported);
    has_looked_ = true;
    if (options_.on_absent == OnAbsent::kError) {
      verdict_ = look.Judge(OnAbsent::kError);
    }
    return verdict_;
  }

  // Points spans_ at the records, or at copies of records that lack slack.
  Status MakeSpans(std::span<const std::string_view> records,
                   reader::BatchStorage* storage) {
    if (Status status = CheckSizes(records); !status.ok()) return status;
    spans_.clear();
    size_t copied = 0;
    for (const std::string_view record : records) {
      const auto* payload = reinterpret_cast<const uint8_t*>(record.data());
      const size_t size = record.size();
      if (!options_.padded_input && !HasSlack(payload, size, kPadding)) {
        payload = nullptr;
        if (!CheckedAdd(copied, size, &copied)) copied = kTooMuch;
      }
      spans_.push_back(
          {.payload = payload, .size = static_cast<uint32_t>(size)});
    }
    if (options_.padded_input) return Status();
    return CopyRecords(records, copied, storage);
  }

  // Copies the records whose spans have no payload yet: `size` bytes in all.
  Status CopyRecords(std::span<const std::string_view> records, size_t size,
                     reader::BatchStorage* storage) {
    if (!CheckedAdd(size, kPadding, &size)) size = kTooMuch;
    uint8_t* copy = storage->AllocateInput(size);
    if (copy == nullptr) return Status::OutOfMemory();
    std::memset(copy + size - kPadding, 0, kPadding);
    for (size_t i = 0; i < spans_.size(); ++i) {
      if (spans_[i].payload != nullptr) continue;
      const std::string_view record = records[i];
      if (!record.empty()) std::memcpy(copy, record.data(), record.size());
      spans_[i].payload = copy;
      copy += record.size();
    }
    return Status();
  }

  Status CheckSizes(std::span<const std::string_view> records) const {
    for (size_t i = 0; i < records.size(); ++i) {
      if (records[i].size() > options_.limits.max_record_bytes ||
          records[i].size() > ~uint32_t{0}) {
        return Status(ErrorInfo{.code = ErrorCode::kTooLarge,
                                .message = "a record of " +
                                           std::to_string(records[i].size()) +
                                           " bytes is over the limit",
                                .record = i});
      }
    }
    return Status();
  }

  const Plan plan_;
  const DecodeOptions options_;
  std::shared_ptr<reader::BatchPool> pool_;
  std::vector<record::RecordSpan> spans_;
  decode::EntryOrder order_;
  reader::AbsentSlots absent_;
  infer::LateFeatures late_;
  bool has_looked_ = false;
  Status verdict_;  // on the first records
  reader::SkippedRows skipped_;
};

Decoder::Decoder(Plan plan, const DecodeOptions& options) noexcept
    : plan_(std::move(plan)), options_(options) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Result<Batch> Decoder::Decode(std::span<const std::string_view> records) {
  return CatchOutOfMemory([&] {
    if (impl_ == nullptr) impl_ = std::make_unique<Impl>(plan_, options_);
    impl_->Forget();
    return impl_->Decode(records, &report_);
  });
}

const std::vector<Status>& Decoder::skipped() const {
  return impl_ ? impl_->Skipped() : Empty<std::vector<Status>>();
}
uint64_t Decoder::num_skipped() const {
  return impl_ ? impl_->num_skipped() : 0;
}

}  // namespace headrace
