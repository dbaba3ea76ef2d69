// Decoder: serialized messages in memory in, a batch out. Use it in data
// loaders and fuzzing harnesses; Reader reads files.
//
//   headrace::Decoder decoder(plan);
//   auto batch = decoder.Decode(records);
//   if (!batch) return batch.status();
//
// One thread at a time may use a Decoder. It can still be used after an error,
// and after it was moved from. Any number of Decoders may share a plan.

#ifndef HEADRACE_DECODER_H_
#define HEADRACE_DECODER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/batch_allocator.h"
#include "headrace/export.h"
#include "headrace/limits.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

struct DecodeOptions {
  // kSkip skips the row: the batch is the same as without that record. Default
  // kFail.
  OnRowError on_row_error = OnRowError::kFail;
  // Check every byte of features outside the plan, as libprotobuf would.
  // Default false: only their framing and keys are checked.
  bool verify_unselected = false;
  // Promise that kPadding bytes after every record are readable. Nothing is
  // copied then. Default false: the batch has copies of values of kind bytes,
  // and a record that ends close to the end of a page is copied, too.
  bool padded_input = false;
  // What happens if none of the first records has a feature that the plan
  // names. The first records are the first 256, or 16 MiB, of the first call
  // that passes any. kWarn: report() has notices, including those about records
  // of another message, which are not an error here. kError: that call fails as
  // Reader::Next would. kIgnore: nothing is reported about features.
  OnAbsent on_absent = OnAbsent::kWarn;
  // The memory of the tensors of batches; see batch_allocator.h. Default: the
  // decoder's own. Decode returns kInvalidArgument without a plan of tensors.
  std::shared_ptr<BatchAllocator> allocator = {};
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
  // index of the record in that call. At most Limits::max_reported are listed;
  // num_skipped counts all. The first call after a batch formats the texts of
  // the errors of that batch, each of which takes as long as decoding some
  // hundred rows.
  const std::vector<Status>& skipped() const HEADRACE_LIFETIME_BOUND;
  uint64_t num_skipped() const;

  // What the records of all calls so far showed: `late` and `num_late`, for a
  // plan that a reader found from a sample; `absent`, the features that no row
  // had; `num_lists_left_out`; and `notices`. The first call of Decode that
  // passes records adds the notices about the first records. The other members
  // are empty.
  const ReadReport& report() const HEADRACE_LIFETIME_BOUND { return report_; }

 private:
  class Impl;
  Plan plan_;
  DecodeOptions options_;
  std::unique_ptr<Impl> impl_;  // made by the first Decode
  ReadReport report_;
};

}  // namespace headrace

#endif  // HEADRACE_DECODER_H_
