// What `headrace bench` times: whole passes over the files, each of which does
// a part of the way from stored bytes to batches.

#ifndef HEADRACE_SRC_CLI_BENCH_STAGES_H_
#define HEADRACE_SRC_CLI_BENCH_STAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"

namespace headrace::cli {

// What every pass goes over; the files are opened anew each time.
struct BenchInput {
  std::vector<std::string> files;
  RecordReaderOptions records;
  ReadOptions batches;
  std::optional<Plan> plan;  // of the batches and of held records
  // How many records became each of the first batches when the files were read;
  // those after them are as the last.
  std::vector<size_t> batch_records = {};
};

// Reads and decompresses; gives the bytes of all streams.
Result<uint64_t> ReadBytes(const BenchInput& input);

struct FramedTotals {
  uint64_t records = 0;
  uint64_t bytes = 0;  // of the streams, with framing and what was skipped
  bool is_compressed = false;  // any of the files
};
// Finds every record and checks what the options say.
Result<FramedTotals> FrameRecords(const BenchInput& input);

// From the files to batches, which are dropped at once; gives their rows.
Result<uint64_t> ReadBatches(const BenchInput& input);

// The first records of the files, in memory.
class HeldRecords {
 public:
  // Whole records that take at most `most_bytes` of the streams, framing
  // included, but always one where there is one. Memory for so many bytes is
  // reserved.
  static Result<HeldRecords> Hold(const BenchInput& input, uint64_t most_bytes);

  // From records to batches, without checksums; gives the rows. The first call
  // halves batches that do not fit the limits, as a Reader does at first.
  Result<uint64_t> Decode();

  uint64_t num_records() const { return records_.size(); }
  // Of the streams, framing included.
  uint64_t num_bytes() const { return num_bytes_; }
  const std::vector<size_t>& batch_sizes() const { return batch_sizes_; }

 private:
  explicit HeldRecords(const BenchInput& input);
  Status HoldFile(const std::string& path, const BenchInput& input,
                  uint64_t most_bytes, std::vector<uint32_t>* sizes);
  Result<uint64_t> FindBatches();

  std::vector<char> payloads_;  // one after another, then kPadding bytes
  std::vector<std::string_view> records_;  // in payloads_
  uint64_t num_bytes_ = 0;
  bool is_full_ = false;
  Decoder decoder_;
  std::vector<size_t> wanted_sizes_;  // of batches
  std::vector<size_t> batch_sizes_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_BENCH_STAGES_H_
