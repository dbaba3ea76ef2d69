// Specs, schemas, plans, censuses and messages without memory: every allocation
// of each call fails once.

#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "headrace/schema.h"
#include "headrace/stats.h"
#include "src/decode/census/block_census.h"
#include "src/exchange/json/json_lines.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/infer.h"
#include "src/read/files/paths.h"
#include "tests/out_of_memory/every_allocation.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensors.h"
#include "tests/support/example_builder.h"
#include "tests/support/temporary_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

// A call that returns a Result<T>, and what its value is in words.
template <class Calls, class ToWords>
void FailCall(Calls calls, ToWords to_words) {
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    const auto result = allocator->During(calls);
    return Outcome{.status = result.status(),
                   .rest = result.ok() ? to_words(*result) : ""};
  });
}

std::string WordsOf(const Plan& plan) { return plan.ToString(); }
std::string WordsOf(const FeatureSpec& spec) { return spec.ToJson(); }
std::string WordsOf(const Schema& schema) { return schema.ToText(); }
constexpr auto kWords = [](const auto& value) { return WordsOf(value); };

TEST(SpecWithoutMemory, ParsedWrittenAndCompiled) {
  RandomTensors random(/*seed=*/91);
  for (int i = 0; i < 8; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    const std::string json = spec.ToJson();
    FailCall([&] { return FeatureSpec::FromJson(json); }, kWords);
    FailCall([&] { return Plan::Compile(spec); }, kWords);
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      return TextOf(allocator, [&] { return spec.ToJson(); });
    });
  }
}

TEST(SpecWithoutMemory, Wrong) {
  for (const char* json : {
           "{\"features\": [{\"name\": \"a\", \"layout\": \"fixed_lenn\"}]}",
           "{\"features\": [[[1, 2], {\"a\": 1, \"a\": 2}]]}",
           "{\"features\": 1e999}",
       }) {
    FailCall([&] { return FeatureSpec::FromJson(json); }, kWords);
  }
  const FeatureSpec twice = FeatureSpec()
                                .Add("feature", VarLen(DType::kInt64))
                                .Add("feature", VarLen(DType::kInt64));
  FailCall([&] { return Plan::Compile(twice); }, kWords);
}

TEST(PlanWithoutMemory, Select) {
  const Plan plan = *Plan::ForColumns(
      {{"a column with a long name, number 1", Kind::kFloat},
       {"a column with a long name, number 2", Kind::kInt64}});
  const std::vector<std::string> names = {
      plan.columns()[1].name, "a column with a long name, number 3"};
  FailCall([&] { return plan.Select(std::span(names).first(1)); }, kWords);
  FailCall([&] { return plan.Select(names); }, kWords);
}

TEST(PlanWithoutMemory, OfColumns) {
  std::vector<ColumnField> columns;
  for (int i = 0; i < 40; ++i) {
    columns.push_back({"a column with a long name, number " + std::to_string(i),
                       Kind::kFloat, /*in_sequence=*/i >= 20});
  }
  // The argument is the caller's own.
  const auto fail = [](const std::vector<ColumnField>& given) {
    FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
      std::vector<ColumnField> copy = given;
      const auto plan =
          allocator->During([&] { return Plan::ForColumns(std::move(copy)); });
      return Outcome{.status = plan.status(),
                     .rest = plan.ok() ? plan->ToString() : ""};
    });
  };
  fail(columns);
  columns.push_back(columns.back());
  fail(columns);
}

constexpr char kSchemaText[] = R"(
  feature { name: "an index of some length" type: INT }
  feature { name: "another index of some length" type: INT }
  feature { name: "a feature with values" type: FLOAT
            value_count { min: 1 max: 3 } presence { min_fraction: 1 } }
  feature { name: "a fixed one" type: BYTES
            shape { dim { size: 2 } } presence { min_fraction: 1 } }
  feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
    feature { name: "a feature list of integers" type: INT }
    feature { name: "row lengths of that list" type: INT } } }
  sparse_feature { name: "a sparse one"
    index_feature { name: "an index of some length" }
    value_feature { name: "a feature with values" } }
  tensor_representation_group { key: "" value {
    tensor_representation { key: "a ragged tensor" value { ragged_tensor {
      feature_path { step: "##SEQUENCE##" step: "a feature list of integers" }
      row_partition_dtype: INT64 } } }
    tensor_representation { key: "a dense tensor" value { dense_tensor {
      column_name: "a fixed one" shape { dim { size: 2 } }
      default_value { bytes_value: "no value \001 at all" } } } } } }
)";

TEST(SchemaWithoutMemory, Text) {
  FailCall([] { return Schema::FromText(kSchemaText); }, kWords);
  FailCall([] { return Schema::Parse(kSchemaText); }, kWords);
  FailCall([] { return Schema::FromText("feature { nam: 'a' }"); }, kWords);
  const Schema schema = *Schema::FromText(kSchemaText);
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    return TextOf(allocator, [&] { return schema.ToText(); });
  });
}

TEST(SchemaWithoutMemory, Binary) {
  std::string bytes;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "a feature with a name, " + std::to_string(i);
    bytes += LenField(1, LenField(1, name) + VarintField(6, 2) +
                             LenField(5, VarintField(1, 1)));
  }
  FailCall([&] { return Schema::FromBinary(bytes); }, kWords);
  FailCall([&] { return Schema::Parse(bytes); }, kWords);
  const std::string cut = bytes.substr(0, bytes.size() - 3);
  FailCall([&] { return Schema::FromBinary(cut); }, kWords);
  FailCall([&] { return Schema::Parse(cut); }, kWords);
}

TEST(SchemaWithoutMemory, Compiled) {
  const Schema schema = *Schema::FromText(kSchemaText);
  for (const MessageType message :
       {MessageType::kAuto, MessageType::kExample, MessageType::kSequence}) {
    FailCall([&] { return Plan::Compile(schema, {}, message); }, kWords);
    FailCall([&] { return Plan::ForColumnsOf(schema, message); }, kWords);
  }
  FailCall([&] { return schema.Representations(); },
           [](const auto& tensors) { return std::to_string(tensors.size()); });
  FailCall([&] { return schema.ExampleSpec(); }, kWords);
  FailCall([&] { return schema.SequenceExampleSpec(); }, kWords);
  for (const char* name : {"a ragged tensor", "a sparse tensor"}) {
    const std::vector<std::string> names = {name};
    FailCall([&] { return schema.Project(names); }, kWords);
  }
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    return Outcome{.status =
                       allocator->During([&] { return schema.Validate(); })};
  });
}

TEST(CensusWithoutMemory, CountsAndInfers) {
  RandomExample random(/*seed=*/92, {.one_kind_a_key = false});
  std::vector<std::string> records;
  for (int i = 0; i < 12; ++i) records.push_back(random.NextSequence());
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    FeatureCensus census(MessageType::kSequence);
    Outcome outcome;
    for (size_t i = 0; i < records.size(); ++i) {
      const Status added =
          allocator->During([&] { return census.Add(records[i], i); });
      if (added.code() != ErrorCode::kOutOfMemory) continue;
      // Final: the census may have counted a part of the record.
      EXPECT_EQ(census.Add(records[0], 0).code(), ErrorCode::kOutOfMemory);
      return Outcome{.status = added};
    }
    return TextOf(allocator, [&] {
      return infer::InferSchema(census).ToText() +
             infer::InferSpec(census).ToJson() +
             std::to_string(census.columns().size());
    });
  });
}

TEST(CensusWithoutMemory, CountsBlocks) {
  RandomExample random(/*seed=*/94, {.plain = true, .max_features = 4});
  std::vector<std::string> records;
  for (int i = 0; i < 60; ++i) records.push_back(random.NextSequence());
  std::vector<NumberedRecord> numbered;
  for (const std::string& record : records) {
    numbered.push_back({record, numbered.size()});
  }
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    BlockCensus census(MessageType::kSequence);
    const auto add = [&] {
      return census.Add(numbered,
                        [](size_t, const Status&) { return Status(); });
    };
    Outcome outcome{.status = allocator->During(add)};
    if (!outcome.status.ok()) {
      // Final: the census may have counted a part of the block.
      EXPECT_EQ(add().code(), ErrorCode::kOutOfMemory);
      return outcome;
    }
    outcome.rest = std::to_string(census.census().num_records());
    return outcome;
  });
}

// Features with few and many values, a class, and a record to be walked.
std::vector<std::string> RecordsForStats() {
  std::vector<std::string> records;
  for (int i = 0; i < 60; ++i) {
    ExampleBuilder record;
    record.Int64s("label", {i % 2}).Floats("f", {static_cast<float>(i)});
    record.Bytes("b", {"value number " + std::to_string(i)});
    if (i == 50) record.Int64s("late", {1});
    records.push_back(record.Build());
  }
  return records;
}

TEST(FeatureStatsWithoutMemory, CountedMergedAndRead) {
  const std::vector<std::string> records = RecordsForStats();
  std::vector<NumberedRecord> numbered;
  for (const std::string& record : records) {
    numbered.push_back({record, numbered.size()});
  }
  const StatsOptions options = {
      .message = MessageType::kExample, .by = "label", .max_distinct = 8};
  const auto no_error = [](size_t, const Status&) { return Status(); };
  FeatureStats other(options);
  ASSERT_TRUE(other.AddRecords("file", numbered, no_error).ok());
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    FeatureStats stats(options);
    const auto add = [&] {
      Status status = stats.AddRecords("file", numbered, no_error);
      return status.ok() ? stats.Merge(other) : status;
    };
    Outcome outcome{.status = allocator->During(add)};
    if (!outcome.status.ok()) {
      // Final: a part of the block may have been counted.
      EXPECT_EQ(add().code(), ErrorCode::kOutOfMemory);
      return outcome;
    }
    outcome.rest = std::to_string(stats.num_records());
    return outcome;
  });
  const std::string state = other.Serialize();
  FailCall([&] { return FeatureStats::Parse(state); },
           [](const FeatureStats& stats) { return stats.Serialize(); });
}

TEST(MessageWithoutMemory, ParsedAndWritten) {
  RandomExample random(/*seed=*/93, {});
  for (int i = 0; i < 4; ++i) {
    std::string bytes = random.NextSequence();
    FailCall([&] { return ParseMessage(bytes, MessageType::kSequence); },
             [](const Message& message) { return *SerializeMessage(message); });
    const Message message = *ParseMessage(bytes, MessageType::kSequence);
    FailCall([&] { return SerializeMessage(message); },
             [](const std::string& text) { return text; });
    bytes.resize(bytes.size() - 1);
    FailCall([&] { return ParseMessage(bytes, MessageType::kSequence); },
             [](const Message& cut) { return *SerializeMessage(cut); });
  }
}

TEST(JsonLinesWithoutMemory, Written) {
  RandomExample random(/*seed=*/94, {});
  std::vector<std::string> records;
  for (int i = 0; i < 6; ++i) records.push_back(random.NextSequence());
  records.push_back(records.back() + "\x0a");
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    JsonLineWriter writer(MessageType::kSequence);
    Outcome outcome;
    for (const std::string& record : records) {
      std::string line;
      const Status status =
          allocator->During([&] { return writer.Append(record, &line); });
      if (status.code() != ErrorCode::kOutOfMemory) {
        outcome.parts.push_back(status.ok() ? line : status.ToString());
        continue;
      }
      EXPECT_EQ(line, "");
      // The writer is as good as before.
      EXPECT_NE(writer.Append(record, &line).code(), ErrorCode::kOutOfMemory);
      outcome.status = status;
      break;
    }
    return outcome;
  });
}

TEST(PathsWithoutMemory, GlobsAndShards) {
  const TemporaryFolder temporary;
  const std::string& folder = temporary.path();
  for (const char* name : {"a", "b", "c"}) {
    std::ofstream(folder + "/a-long-name-before-" + name).put('x');
  }
  const std::vector<std::string> patterns = {
      folder + "/*before-[ab]", "-", folder + "/shards@5.gz", folder + "/none"};
  const auto join = [](const std::vector<std::string>& paths) {
    std::string text;
    for (const std::string& path : paths) text += path + "\n";
    return text;
  };
  FailCall([&] { return ExpandPaths(patterns); }, join);
  const std::vector<std::string> nothing = {folder + "/nothing*"};
  FailCall([&] { return ExpandPaths(nothing); }, join);
  const auto there = std::span(patterns).first(2);
  FailCall([&] { return FindFiles(there); }, join);
  FailCall([&] { return FindFiles(patterns); }, join);
}

}  // namespace
}  // namespace headrace::testing
