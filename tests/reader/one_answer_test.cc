// Every way into the library gives one answer to whether bytes are a message:
// that of the naive decoder, to all records of the golden files and to others
// made of them.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/message.h"
#include "headrace/reader.h"
#include "src/plan/infer/census.h"
#include "tests/golden/golden.h"
#include "tests/golden/vectors.h"
#include "tests/naive/naive_decoder.h"
#include "tests/random/mutator.h"
#include "tests/support/effort.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

const std::vector<std::string> kGoldenFiles =
    kInstrumented
        ? std::vector<std::string>{"columns-catalogue.jsonl.gz",
                                   "tensors-catalogue.jsonl.gz"}
        : std::vector<std::string>{
              "columns-catalogue.jsonl.gz", "columns-random.jsonl.gz",
              "tensors-catalogue.jsonl.gz", "tensors-random.jsonl.gz"};

struct Specimens {
  std::vector<std::string> records;
  std::set<uint64_t> malformed;

  std::vector<std::string_view> views() const {
    return {records.begin(), records.end()};
  }
};

std::set<std::string> GoldenMessages() {
  std::set<std::string> messages;
  for (const std::string& name : kGoldenFiles) {
    const auto lines = ReadGoldenLines(VectorPath(name));
    EXPECT_TRUE(lines.has_value()) << name;
    if (!lines) continue;
    for (const std::string& line : *lines) {
      const auto golden = nlohmann::json::parse(line);
      for (std::string& record : GoldenRecords(golden.at("records"))) {
        messages.insert(std::move(record));
      }
    }
  }
  return messages;
}

// All of them, and a mutant of each.
Specimens SpecimensFor(MessageType type) {
  Specimens specimens;
  Mutator mutator(/*seed=*/61);
  const auto add = [&](const std::string& record) {
    if (!NaiveParse(record, type)) {
      specimens.malformed.insert(specimens.records.size());
    }
    specimens.records.push_back(record);
  };
  // To parse their JSON is most of the time.
  static const std::set<std::string> golden = GoldenMessages();
  for (const std::string& message : golden) {
    add(message);
    add(mutator.Mutate(message));
  }
  return specimens;
}

// Which records these errors of rows call malformed.
std::set<uint64_t> Malformed(const std::vector<Status>& errors) {
  std::set<uint64_t> records;
  for (const Status& error : errors) {
    if (error.code() == ErrorCode::kMalformed) {
      records.insert(error.info()->record);
    }
  }
  return records;
}

std::set<uint64_t> MalformedByDecoder(const Plan& plan,
                                      const Specimens& specimens) {
  Decoder decoder(plan, {.on_row_error = OnRowError::kSkip,
                         .verify_unselected = true,
                         .limits = {.max_reported = ~size_t{0}}});
  EXPECT_THAT(decoder.Decode(specimens.views()), IsOk());
  EXPECT_EQ(decoder.num_skipped(), decoder.skipped().size());
  return Malformed(decoder.skipped());
}

std::set<uint64_t> MalformedByReader(const Specimens& specimens,
                                     const Plan* plan, ReadOptions options) {
  const TemporaryFile file(RecordFile(specimens.records));
  options.on_row_error = OnRowError::kSkip;
  options.verify_unselected = true;
  options.limits.max_reported = ~size_t{0};
  const Transcript read = ReadAll({file.path()}, options, plan);
  EXPECT_THAT(read.status, IsOk());
  return Malformed(read.report.rows);
}

// The keys of all records, as tensors.
FeatureSpec SpecOf(const std::vector<ColumnField>& columns, MessageType type) {
  FeatureSpec spec(type);
  for (const ColumnField& column : columns) {
    if (column.kind == Kind::kNull) continue;
    const auto dtype = static_cast<DType>(column.kind);
    if (column.in_sequence) {
      spec.AddSequence(column.name, VarLen(dtype));
    } else {
      spec.Add(column.name, VarLen(dtype));
    }
  }
  return spec;
}

void ExpectOneAnswer(MessageType type) {
  const Specimens specimens = SpecimensFor(type);
  ASSERT_GT(specimens.malformed.size(), kInstrumented ? 100u : 1000u);
  FeatureCensus census(type);
  std::set<uint64_t> parsed, counted;
  for (uint64_t i = 0; i < specimens.records.size(); ++i) {
    const std::string& record = specimens.records[i];
    const auto message = ParseMessage(record, type);
    if (!message.ok()) parsed.insert(i);
    if (census.Add(record, i).code() == ErrorCode::kMalformed)
      counted.insert(i);
    if (type != MessageType::kSequence) continue;
    EXPECT_EQ(HasFeatureLists(record),
              message.ok() && !message->feature_lists.empty())
        << ToHex(record);
  }
  EXPECT_EQ(parsed, specimens.malformed);
  EXPECT_EQ(counted, specimens.malformed);

  const Plan none = *Plan::ForColumns({}, type, /*sequence_struct=*/false);
  const Plan all =
      *Plan::ForColumns(census.columns(), type, type == MessageType::kSequence);
  const auto tensors = OrThrow(Plan::Compile(SpecOf(census.columns(), type)));
  for (const Plan* plan : {&none, &all, &tensors}) {
    EXPECT_EQ(MalformedByDecoder(*plan, specimens), specimens.malformed);
    EXPECT_EQ(MalformedByReader(specimens, plan, {}), specimens.malformed);
  }
  const std::string key = census.columns()[0].name;
  for (const ReadOptions& options :
       {ReadOptions{.message = type}, ReadOptions{.message = type, .sample = 1},
        ReadOptions{.message = type, .mmap = true, .threads = 2},
        ReadOptions{.message = type, .features = {key}}}) {
    EXPECT_EQ(MalformedByReader(specimens, nullptr, options),
              specimens.malformed);
  }
}

TEST(OneAnswer, Examples) { ExpectOneAnswer(MessageType::kExample); }
TEST(OneAnswer, SequenceExamples) { ExpectOneAnswer(MessageType::kSequence); }

}  // namespace
}  // namespace headrace::testing
