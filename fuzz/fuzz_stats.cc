// Any bytes are saved statistics, or a record that statistics are made of. What
// is read can be written, merged and reported; a record is counted alike when
// it is walked and when it is decoded with others of its kind.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "headrace/stats.h"
#include "headrace/stats_report.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/stats/exact_part.h"
#include "tests/stats/state_seal.h"

namespace headrace::fuzzing {
namespace {

// So many copies of a record pay for a plan.
constexpr size_t kCopies = 40;

void ReportAll(const StatsSummary& stats) {
  Require(!StatsJson(stats).empty(), "no JSON");
  Require(!StatsPage(stats, {}, &stats).empty(), "no page");
  StatsTfdv(stats);
  StatsTfdvText(stats);
  FindRemarks(stats);
  CompareStats(stats, stats);
  InferSchema(stats, {.domains = true});
}

void CheckState(std::string_view bytes) {
  Result<FeatureStats> stats = FeatureStats::Parse(bytes);
  if (!stats.ok()) {
    Require(!stats.status().message().empty(), "an error without a message");
    return;
  }
  const std::string state = stats->Serialize();
  const Result<FeatureStats> again = FeatureStats::Parse(state);
  Require(again.ok(), "what was written is not read");
  Require(again->Serialize() == state, "written otherwise");
  ReportAll(stats->Summary());
  const uint64_t records = stats->num_records();
  if (stats->Merge(*again).ok()) {
    Require(stats->num_records() == 2 * records, "lost records");
    ReportAll(stats->Summary());
  }
}

// False where feature "label" has floats, which ends the counting.
bool CountCopies(std::string_view record, size_t block, FeatureStats* stats) {
  for (size_t i = 0; i < kCopies; i += block) {
    std::vector<NumberedRecord> records;
    for (size_t k = i; k < std::min(kCopies, i + block); ++k) {
      records.push_back({record, k});
    }
    const Status status = stats->AddRecords(
        "file", records, [](size_t, const Status&) { return Status(); });
    if (!status.ok()) return false;
  }
  return true;
}

FeatureStats StatsFor(MessageType message) {
  return FeatureStats({.message = message, .by = "label", .max_distinct = 8});
}

void CheckRecord(std::string_view record, MessageType message) {
  FeatureStats decoded = StatsFor(message);
  FeatureStats walked = StatsFor(message);
  const bool is_counted = CountCopies(record, kCopies, &decoded);
  Require(CountCopies(record, 1, &walked) == is_counted, "another end");
  const StatsSummary stats = decoded.Summary();
  if (is_counted) {
    Require(testing::ExactPart(stats) == testing::ExactPart(walked.Summary()),
            "decoded and walked differ");
  }
  ReportAll(stats);
  CheckState(decoded.Serialize());
}

}  // namespace

// The first byte chooses; the others are the state or the record.
void CheckInput(std::string_view input) {
  Choices choices(input);
  const size_t choice = choices.Below(4);
  const std::string_view bytes =
      input.substr(std::min<size_t>(input.size(), 1));
  if (choice < 2) return CheckState(bytes);
  CheckRecord(bytes,
              choice == 2 ? MessageType::kExample : MessageType::kSequence);
}

std::string NewInput(Random* random) {
  const size_t choice = random->Below(4);
  testing::RandomExample examples(
      random->Bits(), {.plain = random->OneIn(2), .one_kind_a_key = false});
  const bool is_sequence = choice % 2 == 1;
  const std::string record =
      is_sequence ? examples.NextSequence() : examples.Next();
  std::string input(1, static_cast<char>(choice));
  if (choice >= 2) return input + record;
  FeatureStats stats =
      StatsFor(is_sequence ? MessageType::kSequence : MessageType::kExample);
  CountCopies(record, kCopies, &stats);
  return input + stats.Serialize();
}

// Most changed states get their checksum again.
std::string ChangeInput(std::string_view input, Random* random) {
  std::string bytes(input.substr(std::min<size_t>(input.size(), 1)));
  testing::Mutator mutator(random->Bits());
  bytes = mutator.Mutate(bytes);
  if (FeatureStats::IsSerialized(bytes) && !random->OneIn(8)) {
    testing::SealState(&bytes);
  }
  return std::string(input.substr(0, 1)) + bytes;
}

}  // namespace headrace::fuzzing
