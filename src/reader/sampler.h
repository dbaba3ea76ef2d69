// Sampler counts the first records of the files, for the columns of a reader
// that has no plan.

#ifndef HEADRACE_SRC_READER_SAMPLER_H_
#define HEADRACE_SRC_READER_SAMPLER_H_

#include <cstdint>
#include <vector>

#include "headrace/census.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/reader/record_stream.h"

namespace headrace::reader {

class Sampler {
 public:
  // All arguments outlive the sampler.
  Sampler(const ReadOptions& options, RecordStream* stream,
          const Interrupt& interrupt);

  // Peeks at the records of the sample and rewinds the stream. The census says
  // which message kAuto stands for. Damaged and malformed records add nothing:
  // reading meets them again, with their place.
  Result<BlockCensus> Run();

 private:
  Status CheckSampleOfAll() const;
  bool IsFull() const;
  Status LookAt(const FileBlock& block);

  const ReadOptions& options_;
  RecordStream* const stream_;
  const Interrupt& interrupt_;
  const uint64_t most_records_;
  const uint64_t most_bytes_;
  BlockCensus census_;
  std::vector<NumberedRecord> numbered_;
  uint64_t num_records_ = 0;  // counted records
  // The last record looked at ends here in the uncompressed streams; what was
  // left out between records counts, for windows hold it, too.
  uint64_t bytes_before_ = 0;  // of the files before file_
  uint64_t bytes_ = 0;         // of file_
  uint32_t file_ = 0;
  bool is_damaged_ = false;  // kFail: no row comes after this
};

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READER_SAMPLER_H_
