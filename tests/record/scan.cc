#include "tests/record/scan.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/input/record/finding.h"

namespace headrace::testing {
namespace {

using record::Block;
using record::RecordSpan;
using record::Scanner;

// What the caller of a scanner finds when payloads are deferred to it.
struct BadPayloads {
  std::vector<SkippedRegion> regions;
  Status error;  // under kFail
};

// Takes one block's records, up to a bad payload that ends the scan.
void TakeBlock(const Block& block, const ScanSetup& setup, BadPayloads& bad,
               ScanOutcome& outcome) {
  uint64_t number = block.first_record;
  for (const RecordSpan& span : block.records) {
    if (block.payloads_unverified && !record::PayloadIsIntact(span)) {
      if (setup.scan.on_corrupt == OnCorrupt::kFail) {
        bad.error = record::BadPayload(span, number, setup.source.name);
        return;
      }
      bad.regions.push_back({span.offset, span.end(), ErrorCode::kPayloadCrc});
      ++number;
      continue;
    }
    outcome.records.push_back(
        {std::string(reinterpret_cast<const char*>(span.payload), span.size),
         span.offset, span.recovered, number++});
  }
}

void ExpectTiling(const ScanOutcome& outcome, uint64_t file_size) {
  std::vector<std::pair<uint64_t, uint64_t>> pieces;
  for (const ScannedRecord& record : outcome.records) {
    pieces.emplace_back(
        record.offset, record.offset + kRecordOverhead + record.payload.size());
  }
  for (const SkippedRegion& region : outcome.regions) {
    EXPECT_LT(region.begin, region.end);
    pieces.emplace_back(region.begin, std::min(region.end, file_size));
  }
  std::sort(pieces.begin(), pieces.end());
  uint64_t at = 0;
  for (const auto& [begin, end] : pieces) {
    EXPECT_EQ(begin, at);
    at = end;
  }
  EXPECT_EQ(outcome.offset, at);
  if (outcome.error == ErrorCode::kOk) {
    EXPECT_EQ(at, file_size);
  }
}

}  // namespace

ScanOutcome Scan(const std::string& file, const ScanSetup& setup,
                 std::string* message) {
  record::ScanOptions options = setup.scan;
  options.defer_payload = setup.defer;
  // The rest of a failed stream is a region, too, even of no bytes.
  options.limits.max_reported = file.size() + 1;
  Scanner scanner(std::make_unique<FakeSource>(file, setup.source), options);
  ScanOutcome outcome;
  BadPayloads bad;
  Status error;
  // Each call gives a record, leaves the end behind or fails.
  for (size_t calls = 0;; ++calls) {
    EXPECT_LE(calls, file.size() / kRecordOverhead + 2) << "does not end";
    if (calls > file.size() / kRecordOverhead + 2) break;
    Result<Block> block = scanner.NextBlock(setup.max_records);
    if (!block.ok()) {
      error = block.status();
      break;
    }
    EXPECT_LE(block->records.size(), setup.max_records);
    if (block->records.empty()) break;
    TakeBlock(*block, setup, bad, outcome);
    error = bad.error;
    if (!error.ok()) break;
  }
  if (bad.error.ok()) {
    Result<Block> again = scanner.NextBlock(1);
    EXPECT_TRUE(!again.ok() || again->records.empty());
    EXPECT_EQ(again.status().code(), error.code());
  }
  outcome.error = error.code();
  outcome.offset = error.ok() ? scanner.position() : error.info()->offset;
  if (!error.ok()) {
    EXPECT_EQ(error.info()->file, setup.source.name);
    outcome.number = error.info()->record;
  }
  outcome.regions = scanner.regions();
  EXPECT_EQ(outcome.regions.size(), scanner.num_regions());
  for (SkippedRegion& region : outcome.regions) {
    const bool is_rest = region.end == kUnknown;
    EXPECT_EQ(region.message, is_rest ? setup.source.failure.message() : "");
    region.message.clear();
  }
  outcome.regions.insert(outcome.regions.end(), bad.regions.begin(),
                         bad.regions.end());
  std::sort(outcome.regions.begin(), outcome.regions.end(),
            [](const SkippedRegion& a, const SkippedRegion& b) {
              return a.begin < b.begin;
            });
  if (message) *message = std::string(error.message());
  ExpectTiling(outcome, file.size());
  return outcome;
}

ScanOutcome Scan(const std::string& file, OnCorrupt on_corrupt) {
  ScanSetup setup;
  setup.scan.on_corrupt = on_corrupt;
  return Scan(file, setup);
}

ScanOutcome ScanAllWays(const std::string& file, OnCorrupt on_corrupt,
                        const FakeSource::Options& source) {
  const ScanOutcome expected = NaiveScan(
      file, {.on_corrupt = on_corrupt, .stream_fails = !source.failure.ok()});
  ScanSetup setup;
  setup.scan.on_corrupt = on_corrupt;
  setup.source = source;
  for (size_t window : {0u, 1u, 2u, 13u, 40u, 1000u}) {
    for (size_t max_records : {1u, 2u, 100u}) {
      for (bool defer : {false, true}) {
        setup.source.window_bytes = window;
        setup.source.random_seed = window == 40 ? file.size() + 1 : 0;
        setup.max_records = max_records;
        setup.defer = defer;
        EXPECT_EQ(Scan(file, setup), expected)
            << "windows of " << window << " bytes, blocks of " << max_records
            << (defer ? ", deferred" : "");
      }
    }
  }
  return expected;
}

}  // namespace headrace::testing
