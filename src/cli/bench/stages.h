// The passes that `headrace bench` times. Each goes over all files, and covers
// a part of the way from stored bytes to batches.

#ifndef HEADRACE_SRC_CLI_BENCH_STAGES_H_
#define HEADRACE_SRC_CLI_BENCH_STAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"

namespace headrace::cli {

// The input of every pass; the files are opened again each time.
struct BenchInput {
  std::vector<std::string> files;
  RecordReaderOptions records;
  ReadOptions batches;
  std::optional<Plan> plan;  // for batches and held records
  // The number of records in each of the first batches when the files were
  // read; later batches are like the last of these.
  std::vector<size_t> batch_records = {};
};

// Reads and decompresses; returns the bytes of all streams.
Result<uint64_t> ReadBytes(const BenchInput& input);

struct FramedTotals {
  uint64_t records = 0;
  uint64_t bytes = 0;  // of the streams, with framing and what was skipped
  bool is_compressed = false;  // true if any file is
};
// Finds every record and checks what the options ask for.
Result<FramedTotals> FrameRecords(const BenchInput& input);

// Makes batches and drops them immediately; returns their rows.
Result<uint64_t> ReadBatches(const BenchInput& input);

// The first records of the files, held in memory.
class HeldRecords {
 public:
  // Holds whole records of at most `most_bytes` of the streams, framing
  // included, but at least one record if there is one. Reserves memory for
  // `most_bytes`.
  static Result<HeldRecords> Hold(const BenchInput& input, uint64_t most_bytes);

  // Makes batches of the records, without checksums; returns their rows. The
  // first call halves batches that do not fit the limits, as a Reader does at
  // first.
  Result<uint64_t> Decode();

  uint64_t num_records() const { return records_.size(); }
  // Bytes of the streams, framing included.
  uint64_t num_bytes() const { return num_bytes_; }
  const std::vector<size_t>& batch_sizes() const { return batch_sizes_; }

 private:
  explicit HeldRecords(const BenchInput& input);
  Status HoldFile(const std::string& path, const BenchInput& input,
                  uint64_t most_bytes, std::vector<uint32_t>* sizes);
  Result<uint64_t> FindBatches();

  std::vector<char> payloads_;             // back to back, then kPadding bytes
  std::vector<std::string_view> records_;  // in payloads_
  uint64_t num_bytes_ = 0;
  bool is_full_ = false;
  Decoder decoder_;
  std::vector<size_t> wanted_sizes_;  // records per batch
  std::vector<size_t> batch_sizes_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_BENCH_STAGES_H_
