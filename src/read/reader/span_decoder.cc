#include "src/read/reader/span_decoder.h"

#include <string>
#include <utility>

#include "src/base/text/numbers.h"
#include "src/plan/compile/program.h"

namespace headrace::reader {
namespace {

// Decodes the records of one call.
class SpanBatch {
 public:
  SpanBatch(std::span<const record::RecordSpan> spans, const SpanPlaces& places,
            const SpanOptions& options, decode::EntryOrder* order,
            BatchStorage* storage, SkippedRows* skipped)
      : spans_(spans),
        places_(places),
        options_(options),
        program_(plan::Program::Of(storage->plan())),
        order_(order),
        storage_(storage),
        skipped_(skipped) {}

  Status Decode(infer::LateFeatures* late) {
    bool afresh = false;
    Start();
    for (size_t next = 0; next < spans_.size();) {
      const decode::BlockEnd end = Decode(spans_.subspan(next), late);
      const size_t first = next;
      for (const decode::BadRow& bad : skipped_->bad_rows) {
        AddRows(next, first + bad.index);
        Skip(first + bad.index, bad.code);
        next = first + bad.index + 1;
      }
      AddRows(next, first + end.num_decoded);
      next = first + end.num_decoded;
      if (end.code == ErrorCode::kOk) break;
      if (end.code != ErrorCode::kLimit) return Explain(next, end.code);
      if (afresh) return ExplainNoRoom(next);
      afresh = true;
      storage_->StartAfresh();
      Start();
      skipped_->Clear();
      late->Clear();
      next = 0;
    }
    return Status();
  }

 private:
  decode::BlockEnd Decode(std::span<const record::RecordSpan> spans,
                          infer::LateFeatures* late) {
    skipped_->bad_rows.clear();
    const bool skips = options_.on_row_error == OnRowError::kSkip;
    return storage_->Decode(spans,
                            {.verify_payload = options_.verify_payload,
                             .verify_unselected = options_.verify_unselected,
                             .strict_columns = options_.strict_columns,
                             .scattered = true,
                             .order = order_,
                             .bad_rows = skips ? &skipped_->bad_rows : nullptr},
                            late);
  }

  void Start() {
    if (!options_.own_bytes) places_.PinAll(storage_);
  }

  void AddRows(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      storage_->AddOrigin(places_.OriginOf(i));
    }
  }

  void Skip(size_t i, ErrorCode code) {
    if (skipped_->count++ >= options_.max_reported) return;
    skipped_->unexplained.Add(program_, spans_[i].view(), places_.PlaceOf(i),
                              code, &skipped_->errors);
  }

  Status Explain(size_t i, ErrorCode code) const {
    return ExplainAt(program_, spans_[i].view(), places_.PlaceOf(i), code);
  }

  // Returns the error for a row that has no room in the batch. If the row fits
  // a batch of its own, the batch is too large, not the row.
  Status ExplainNoRoom(size_t i) {
    const size_t rows = storage_->columns().num_rows();
    storage_->StartAfresh();
    infer::LateFeatures late;
    const decode::BlockEnd alone = Decode(spans_.subspan(i, 1), &late);
    if (alone.code != ErrorCode::kOk) return Explain(i, alone.code);
    const Status status = Explain(i, ErrorCode::kLimit);
    ErrorInfo info = *status.info();
    info.message =
        "the batch does not fit its memory (Limits::max_batch_bytes): " +
        Counted(rows, "row") + " of " + Counted(spans_.size(), "record") +
        " fit, and this one does not; ask for fewer rows";
    return Status(std::move(info));
  }

  const std::span<const record::RecordSpan> spans_;
  const SpanPlaces& places_;
  const SpanOptions& options_;
  const plan::Program& program_;
  decode::EntryOrder* const order_;
  BatchStorage* const storage_;
  SkippedRows* const skipped_;
};

}  // namespace

void SkippedRows::Clear() {
  errors.clear();
  unexplained.Clear();
  count = 0;
}

Status DecodeSpans(std::span<const record::RecordSpan> spans,
                   const SpanPlaces& places, const SpanOptions& options,
                   decode::EntryOrder* order, BatchStorage* storage,
                   SkippedRows* skipped, infer::LateFeatures* late) {
  infer::LateFeatures late_here;
  if (Status asked = storage->AskForMemory(spans.size()); !asked.ok()) {
    return asked;
  }
  SpanBatch batch(spans, places, options, order, storage, skipped);
  Status status = batch.Decode(&late_here);
  if (!status.ok()) return status;
  if (late != nullptr) late->Add(late_here);
  if (options.own_bytes && !storage->OwnBytes()) return Status::OutOfMemory();
  return storage->Seal();
}

}  // namespace headrace::reader
