#include "src/reader/span_decoder.h"

#include <utility>

#include "src/plan/program.h"

namespace headrace::reader {

Status DecodeSpans(std::span<const record::RecordSpan> spans,
                   const SpanPlaces& places, const SpanOptions& options,
                   decode::EntryOrder* order, BatchStorage* storage,
                   SkippedRows* skipped, infer::LateFeatures* late) {
  const decode::BlockOptions block_options{
      .verify_payload = options.verify_payload,
      .verify_unselected = options.verify_unselected,
      .strict_columns = options.strict_columns,
      .scattered = true,
      .check = storage->check(),
      .lists = storage->lists(),
      .order = order};
  infer::LateFeatures late_here;
  bool afresh = false;
  if (!options.own_bytes) places.PinAll(storage);
  for (size_t next = 0; next < spans.size();) {
    const auto rest = spans.subspan(next);
    const decode::BlockEnd end =
        decode::DecodeBlock(plan::Program::Of(storage->plan()), rest,
                            block_options, &storage->columns(), &late_here);
    for (size_t i = 0; i < end.num_decoded; ++i) {
      storage->AddOrigin(places.OriginOf(next + i));
    }
    next += end.num_decoded;
    if (end.code == ErrorCode::kOk) break;
    if (end.code == ErrorCode::kLimit && !afresh) {
      afresh = true;
      storage->StartAfresh();
      if (!options.own_bytes) places.PinAll(storage);
      *skipped = SkippedRows();
      late_here.Clear();
      next = 0;
      continue;
    }
    Status status = places.Explain(next, end.code);
    // A batch that does not fit, or no memory for explaining an error, is not
    // the fault of the row that shows it.
    if (options.on_row_error == OnRowError::kFail ||
        !IsRowError(status.code())) {
      return status;
    }
    ++skipped->count;
    if (skipped->errors.size() < options.max_reported) {
      skipped->errors.push_back(std::move(status));
    }
    ++next;
  }
  if (late != nullptr) late->Add(late_here);
  if (options.own_bytes && !storage->OwnBytes()) return Status::OutOfMemory();
  return storage->Seal();
}

}  // namespace headrace::reader
