// Files made to cost a rescan dearly. Each is some mebibytes; a rescan that
// sums every candidate anew, or copies every window, would take hours.

#include <ctime>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "src/input/record/scanner.h"
#include "tests/record/fake_source.h"
#include "tests/support/record_file.h"

namespace headrace::testing {
namespace {

constexpr size_t kFileBytes = size_t{8} << 20;
// Of the processor, however busy the machine is. It takes a fraction of a
// second; instrumented code takes more.
constexpr double kMaxSeconds = 20;

struct Outcome {
  uint64_t records = 0;
  uint64_t regions = 0;
  ErrorCode error = ErrorCode::kOk;
};

// Scans, at first with all bytes in one window, then in small ones.
Outcome Rescan(const std::string& file) {
  Outcome outcome[2];
  for (size_t window : {size_t{0}, size_t{64} << 10}) {
    FakeSource::Options options = {.window_bytes = window};
    auto source = std::make_unique<FakeSource>(file, options);
    const auto cost = source->cost();
    record::Scanner scanner(std::move(source),
                            {.on_corrupt = OnCorrupt::kRescan});
    Outcome& out = outcome[window == 0];
    const std::clock_t begin = std::clock();
    for (;;) {
      Result<record::Block> block = scanner.NextBlock(256);
      out.error = block.status().code();
      if (!block.ok() || block->records.empty()) break;
      out.records += block->records.size();
    }
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC,
              kMaxSeconds);
    EXPECT_LE(cost->copied, 4 * file.size());
    EXPECT_LE(cost->largest_window, file.size());
    EXPECT_EQ(scanner.position(), file.size());
    out.regions = scanner.num_regions();
  }
  EXPECT_EQ(outcome[0].records, outcome[1].records);
  EXPECT_EQ(outcome[0].regions, outcome[1].regions);
  return outcome[0];
}

std::string Repeated(const std::string& piece) {
  std::string file;
  while (file.size() < kFileBytes) file += piece;
  return file;
}

TEST(Hostile, HeadersThatReachFar) {
  const Outcome outcome = Rescan("x" + Repeated(RecordHeader(kFileBytes / 2)));
  EXPECT_EQ(outcome.records, 0u);
  EXPECT_EQ(outcome.regions, 1u);
}

TEST(Hostile, HeadersThatReachFarWithoutLossBefore) {
  const Outcome outcome = Rescan(Repeated(RecordHeader(kFileBytes / 2)));
  EXPECT_EQ(outcome.records, 0u);
}

// Each record found leads to a header that reaches far.
TEST(Hostile, RecordsBetweenSuchHeaders) {
  const Outcome outcome =
      Rescan(Repeated(FramedRecord("") + RecordHeader(kFileBytes / 2)));
  EXPECT_GT(outcome.records, kFileBytes / 40);
}

// All lengths at once: every offset has its own end.
TEST(Hostile, HeadersOfAllLengths) {
  std::string file;
  for (uint64_t length = 0; file.size() < kFileBytes; length += 997) {
    file += RecordHeader(length % kFileBytes);
  }
  EXPECT_EQ(Rescan(file).records, 0u);
}

// Payloads that are bad but for the last, each inside the one before.
TEST(Hostile, NestedRecords) {
  constexpr size_t kDepth = 100'000;
  std::string file;
  for (size_t i = 0; i < kDepth; ++i) {
    file += RecordHeader((kDepth - 1 - i) * 12 + (size_t{4} << 20));
  }
  file += std::string((size_t{4} << 20) + 4, 'x');
  file += FramedRecord("found");
  EXPECT_EQ(Rescan(file).records, 1u);
}

}  // namespace
}  // namespace headrace::testing
