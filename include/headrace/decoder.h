// Decoder: serialized messages in memory in, a batch out. For data loaders and
// fuzzing harnesses; files are read by Reader.
//
// A Decoder may be used by one thread at a time, and again after an error or
// after it was moved from. The plan may be shared by many.

#ifndef HEADRACE_DECODER_H_
#define HEADRACE_DECODER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// Readable bytes after a record that `padded_input` promises.
inline constexpr size_t kPadding = 64;

struct DecodeOptions {
  // kSkip leaves the row out: the batch equals the batch without it.
  OnRowError on_row_error = OnRowError::kFail;
  // Check every byte of features outside the plan as libprotobuf would. Off,
  // they are framed and their keys are checked, but values are not looked at.
  bool verify_unselected = false;
  // The caller promises kPadding readable bytes after every record. Then
  // nothing is copied; otherwise the records are copied to padded memory.
  bool padded_input = false;
  Limits limits = {};
};

class Decoder {
 public:
  explicit Decoder(Plan plan, const DecodeOptions& options = {}) noexcept;
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  // All records as one batch. With padded_input the caller keeps the records
  // alive and unchanged for as long as the batch; otherwise the batch owns
  // what it points to. An error names the first bad record by its index.
  Result<Batch> Decode(std::span<const std::string_view> records);

  // The rows that OnRowError::kSkip left out of the last batch, by index. The
  // list is bounded by Limits::max_reported, the count is not.
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
