// DecodeSpans decodes records in memory into one batch, for Decoder and
// Dataset.

#ifndef HEADRACE_SRC_READ_READER_SPAN_DECODER_H_
#define HEADRACE_SRC_READ_READER_SPAN_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headrace/batch.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/decode/example/decode_block.h"
#include "src/input/record/framer.h"
#include "src/plan/infer/late_features.h"
#include "src/read/batch/batch_storage.h"
#include "src/read/reader/unexplained_rows.h"

namespace headrace::reader {

// Says where record i came from.
class SpanPlaces {
 public:
  virtual ~SpanPlaces() = default;
  virtual RowOrigin OriginOf(size_t i) const = 0;
  // The place to put into an error. Its file name outlives the error.
  virtual RowPlace PlaceOf(size_t i) const = 0;
  // Pins the bytes of all records in the storage.
  virtual void PinAll(BatchStorage* storage) const = 0;
};

struct SpanOptions {
  bool verify_payload = false;
  bool verify_unselected = false;
  bool strict_columns = false;
  // If true, the batch copies its values of kind bytes, so the records need not
  // outlive the call. Otherwise the batch points into the records, and
  // SpanPlaces::PinAll pins them.
  bool own_bytes = false;
  OnRowError on_row_error = OnRowError::kFail;
  size_t max_reported = 0;
};

// Skipped rows. All are counted, but at most SpanOptions::max_reported are
// listed. The rows of `unexplained` follow those of `errors`.
struct SkippedRows {
  std::vector<Status> errors;
  UnexplainedRows unexplained;
  uint64_t count = 0;
  std::vector<decode::BadRow> bad_rows;  // of the block just decoded

  void Clear();
};

// Adds a row for each record to `storage`, which must be new, and seals it.
// Assumes nothing about the bytes between records. If `late` is not null, adds
// to it the features that the plan's sample did not show.
Status DecodeSpans(std::span<const record::RecordSpan> spans,
                   const SpanPlaces& places, const SpanOptions& options,
                   decode::EntryOrder* order, BatchStorage* storage,
                   SkippedRows* skipped, infer::LateFeatures* late);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_SPAN_DECODER_H_
