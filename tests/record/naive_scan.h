// The rules of docs/formats/tfrecord.md, said as plainly as possible: a whole
// file in memory, every checksum by table, a rescan that sums every candidate
// anew. Slow on purpose, the oracle of the scanner.

#ifndef HEADRACE_TESTS_RECORD_NAIVE_SCAN_H_
#define HEADRACE_TESTS_RECORD_NAIVE_SCAN_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::testing {

struct ScannedRecord {
  std::string payload;
  uint64_t offset = 0;
  bool recovered = false;
  uint64_t number = 0;

  bool operator==(const ScannedRecord&) const = default;
};

struct ScanOutcome {
  std::vector<ScannedRecord> records;
  std::vector<SkippedRegion> regions;
  ErrorCode error = ErrorCode::kOk;
  uint64_t offset = 0;  // of the error; of the end where there is none
  uint64_t number = 0;  // of the record with the error

  bool operator==(const ScanOutcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const ScanOutcome& outcome);

struct NaiveOptions {
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  uint64_t max_record_bytes = (uint64_t{1} << 31) - 1;
  bool verify_payload = true;
  // The stream does not end after the bytes but fails.
  bool stream_fails = false;
};

ScanOutcome NaiveScan(std::string_view file, const NaiveOptions& options);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RECORD_NAIVE_SCAN_H_
