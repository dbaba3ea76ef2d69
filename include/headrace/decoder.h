// Decoder: serialized messages in memory in, a batch out. Use it in data
// loaders and fuzzing harnesses; Reader reads files.
//
//   headrace::Decoder decoder(plan);
//   auto batch = decoder.Decode(records);
//
// One thread at a time may use a Decoder, also after an error or after it was
// moved from. Any number of Decoders may share a plan.

#ifndef HEADRACE_DECODER_H_
#define HEADRACE_DECODER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/export.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// The readable bytes that `padded_input` promises after a record.
inline constexpr size_t kPadding = 64;

struct DecodeOptions {
  // kSkip skips the row: the batch equals one without it. Default kFail.
  OnRowError on_row_error = OnRowError::kFail;
  // Check every byte of features outside the plan, as libprotobuf would.
  // Default false: only their framing and keys are checked.
  bool verify_unselected = false;
  // Promise that kPadding bytes after every record are readable. Nothing is
  // copied then. Default false: the batch has copies of values of kind bytes,
  // and a record that ends close before the end of a page is copied, too.
  bool padded_input = false;
  Limits limits = {};
};

class HEADRACE_EXPORT Decoder {
 public:
  explicit Decoder(Plan plan, const DecodeOptions& options = {}) noexcept;
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  // Decodes all records into one batch. An error names the first bad record by
  // its index. With padded_input the caller keeps the records alive and
  // unchanged as long as the batch; otherwise the batch owns what it points to.
  Result<Batch> Decode(std::span<const std::string_view> records);

  // The errors of rows that kSkip skipped in the last batch; `record` is the
  // index. At most Limits::max_reported are listed; num_skipped counts all.
  const std::vector<Status>& skipped() const { return skipped_; }
  uint64_t num_skipped() const { return num_skipped_; }

 private:
  class Impl;
  Plan plan_;
  DecodeOptions options_;
  std::unique_ptr<Impl> impl_;  // made by the first Decode
  std::vector<Status> skipped_;
  uint64_t num_skipped_ = 0;
};

}  // namespace headrace

#endif  // HEADRACE_DECODER_H_
