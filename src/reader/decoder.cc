#include "headrace/decoder.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "src/base/checked_math.h"
#include "src/base/out_of_memory.h"
#include "src/decode/decode_block.h"
#include "src/plan/program.h"
#include "src/reader/batch_storage.h"
#include "src/source/window.h"
#include "src/tensor/explain.h"

namespace headrace {

static_assert(kPadding == source::kSlack);

class Decoder::Impl {
 public:
  Impl(Plan plan, const DecodeOptions& options)
      : plan_(std::move(plan)), options_(options) {}

  Result<Batch> Decode(std::span<const std::string_view> records,
                       std::vector<Status>* skipped, uint64_t* num_skipped);

 private:
  Status MakeSpans(std::span<const std::string_view> records,
                   reader::BatchStorage* storage);
  Status CheckSizes(std::span<const std::string_view> records) const;

  const Plan plan_;
  const DecodeOptions options_;
  std::shared_ptr<reader::BatchPool> pool_;
  std::vector<record::RecordSpan> spans_;
  decode::EntryOrder order_;
};

Status Decoder::Impl::CheckSizes(
    std::span<const std::string_view> records) const {
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

// Spans point at the records or, where these lack slack, at copies.
Status Decoder::Impl::MakeSpans(std::span<const std::string_view> records,
                                reader::BatchStorage* storage) {
  if (Status status = CheckSizes(records); !status.ok()) return status;
  uint8_t* copy = nullptr;
  if (!options_.padded_input) {
    size_t total = kPadding;
    for (const std::string_view record : records) {
      if (!CheckedAdd(total, record.size(), &total)) total = ~size_t{0};
    }
    copy = storage->AllocateInput(total);
    if (copy == nullptr) {
      return Status::OutOfMemory();
    }
    std::memset(copy + total - kPadding, 0, kPadding);
  }
  spans_.clear();
  for (const std::string_view record : records) {
    const auto* payload = reinterpret_cast<const uint8_t*>(record.data());
    if (copy != nullptr) {
      if (!record.empty()) std::memcpy(copy, payload, record.size());
      payload = copy;
      copy += record.size();
    }
    spans_.push_back(
        {.payload = payload, .size = static_cast<uint32_t>(record.size())});
  }
  return Status();
}

Result<Batch> Decoder::Impl::Decode(std::span<const std::string_view> records,
                                    std::vector<Status>* skipped,
                                    uint64_t* num_skipped) {
  if (pool_ == nullptr) {
    pool_ = std::make_shared<reader::BatchPool>(options_.limits);
  }
  reader::BatchStorage* const storage = pool_->Acquire(plan_);
  Batch batch = reader::BatchStorage::MakeBatch(storage);
  if (Status status = MakeSpans(records, storage); !status.ok()) return status;

  const decode::BlockOptions block_options{
      .verify_unselected = options_.verify_unselected,
      .check = storage->check(),
      .order = &order_};
  infer::LateFeatures late;
  bool afresh = false;
  for (size_t next = 0; next < spans_.size();) {
    const std::span<const record::RecordSpan> rest =
        std::span(spans_).subspan(next);
    const decode::BlockEnd end =
        decode::DecodeBlock(plan::Program::Of(plan_), rest, block_options,
                            &storage->columns(), &late);
    for (size_t i = 0; i < end.num_decoded; ++i) {
      storage->AddOrigin({.record = next + i});
      // Nothing is known of what lies between the caller's records, so each is
      // a stretch of its own.
      storage->PinRecords(rest.subspan(i, 1), Pin());
    }
    next += end.num_decoded;
    if (end.code == ErrorCode::kOk) break;
    if (end.code == ErrorCode::kLimit && !afresh) {
      afresh = true;
      storage->StartAfresh();
      skipped->clear();
      *num_skipped = 0;
      next = 0;
      continue;
    }
    ErrorInfo info =
        tensor::ExplainRow(plan::Program::Of(plan_), records[next], end.code);
    info.record = next;
    Status status(std::move(info));
    // A batch that does not fit, or no memory for explaining an error, is not
    // the fault of the row that shows it.
    if (options_.on_row_error == OnRowError::kFail ||
        !IsRowError(status.code())) {
      return status;
    }
    ++*num_skipped;
    if (skipped->size() < options_.limits.max_reported) {
      skipped->push_back(std::move(status));
    }
    ++next;
  }
  if (Status status = storage->Seal(); !status.ok()) return status;
  return batch;
}

Decoder::Decoder(Plan plan, const DecodeOptions& options) noexcept
    : plan_(std::move(plan)), options_(options) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Result<Batch> Decoder::Decode(std::span<const std::string_view> records) {
  skipped_.clear();
  num_skipped_ = 0;
  return CatchOutOfMemory([&] {
    if (impl_ == nullptr) impl_ = std::make_unique<Impl>(plan_, options_);
    return impl_->Decode(records, &skipped_, &num_skipped_);
  });
}

}  // namespace headrace
