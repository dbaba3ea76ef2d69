// Any bytes are a TFRecord file, read under the three policies: records and
// skipped regions must tile the file, every call must make progress or be
// final, and all must be as in the naive scan, whatever arrives at once.

#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/file_input.h"
#include "fuzz/fuzzing.h"
#include "tests/record/naive_scan.h"
#include "tests/record/scan.h"

namespace headrace::fuzzing {
namespace {

using testing::NaiveOptions;
using testing::ScanSetup;

ScanSetup Setup(Choices* choices, size_t file_size) {
  ScanSetup setup;
  setup.scan.on_corrupt = testing::kPolicies[choices->Below(3)];
  setup.scan.verify_payload = choices->Below(8) != 0;
  setup.defer = choices->Flag();
  setup.max_records = 1 + choices->Below(5);
  setup.source.window_bytes = choices->Below(64);
  if (choices->Flag()) setup.source.random_seed = 1 + file_size;
  if (choices->Below(8) == 0) {
    setup.source.failure = Status(ErrorInfo{.code = ErrorCode::kDecompress,
                                            .message = "cut by the test",
                                            .file = setup.source.name});
  }
  return setup;
}

}  // namespace

void CheckInput(std::string_view input) {
  Choices choices(input.substr(0, kFileChoices));
  const std::string file(
      input.substr(std::min<size_t>(input.size(), kFileChoices)));
  const ScanSetup setup = Setup(&choices, file.size());
  const testing::ScanOutcome expected =
      testing::NaiveScan(file, {.on_corrupt = setup.scan.on_corrupt,
                                .verify_payload = setup.scan.verify_payload,
                                .stream_fails = !setup.source.failure.ok()});
  const testing::ScanOutcome outcome = Scan(file, setup);
  Require(outcome == expected, "scanned otherwise");
}

std::string NewInput(Random* random) { return NewFile(random); }

std::string ChangeInput(std::string_view input, Random* random) {
  return ChangeFile(input, random);
}

}  // namespace headrace::fuzzing
