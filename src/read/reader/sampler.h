// Sampler takes a census of the first records of the files, to find the columns
// of a reader that has no plan.

#ifndef HEADRACE_SRC_READ_READER_SAMPLER_H_
#define HEADRACE_SRC_READ_READER_SAMPLER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"
#include "src/read/stream/record_stream.h"

namespace headrace::reader {

class Sampler {
 public:
  // All arguments must outlive the sampler.
  Sampler(const ReadOptions& options, RecordStream* stream,
          const Interrupt& interrupt);

  // Peeks at the records of the sample, then rewinds the stream. The census
  // also says which message kAuto means. Damaged and malformed records add
  // nothing to the census: reading meets them again and reports their places.
  Result<BlockCensus> Run();

  // For the error that the sample lacks a name: returns the text to append,
  // which says which parts of the sample Run could not inspect; "" if it
  // inspected everything. If damage ended the sample, also sets the place in
  // `info` to that of the damage.
  std::string ExplainGaps(ErrorInfo* info) const;

 private:
  Status CheckSampleOfAll() const;
  bool IsFull() const;
  Status LookAt(const FileBlock& block);
  void NoteBadPayload(const FileBlock& block, const record::RecordSpan& span);

  const ReadOptions& options_;
  RecordStream* const stream_;
  const Interrupt& interrupt_;
  const uint64_t most_records_;
  const uint64_t most_bytes_;
  BlockCensus census_;
  std::vector<NumberedRecord> numbered_;
  uint64_t num_records_ = 0;  // counted records
  // Uncompressed bytes up to the end of the last record inspected. Bytes left
  // out between records count, because windows hold them, too.
  uint64_t bytes_before_ = 0;  // of the files before file_
  uint64_t bytes_ = 0;         // of file_
  uint32_t file_ = 0;
  Status damage_;         // ends the sample, since no row follows it
  Skipped bad_payloads_;  // that the policy leaves out
  uint64_t num_bad_ = 0;  // records that show no columns
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_READER_SAMPLER_H_
