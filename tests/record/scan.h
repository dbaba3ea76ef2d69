// Running the scanner over a FakeSource, to an outcome that compares.

#ifndef HEADRACE_TESTS_RECORD_SCAN_H_
#define HEADRACE_TESTS_RECORD_SCAN_H_

#include <cstddef>
#include <string>

#include "src/input/record/scanner.h"
#include "tests/record/fake_source.h"
#include "tests/record/naive_scan.h"

namespace headrace::testing {

struct ScanSetup {
  record::ScanOptions scan;
  FakeSource::Options source;
  size_t max_records = 100;
  // Payloads are checked by the caller, as the decoder does.
  bool defer = false;
};

// Scans to the end and checks on the way what holds for every file: blocks
// are empty only at the end, numbers count up, regions and records tile the
// file up to the error, an error stays, and the number of calls is bounded.
// `message` gets the error's text.
ScanOutcome Scan(const std::string& file, const ScanSetup& setup,
                 std::string* message = nullptr);

// As Scan, with a policy and otherwise the defaults.
ScanOutcome Scan(const std::string& file, OnCorrupt on_corrupt);

// Scan under many window sizes, block sizes and both ways of checking
// payloads; all must give what NaiveScan gives, which is returned.
ScanOutcome ScanAllWays(const std::string& file, OnCorrupt on_corrupt,
                        const FakeSource::Options& source = {});

inline constexpr OnCorrupt kPolicies[] = {OnCorrupt::kFail, OnCorrupt::kSkip,
                                          OnCorrupt::kRescan};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RECORD_SCAN_H_
