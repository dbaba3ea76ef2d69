// Partitions that lie. Each is refused in its own record, whatever stands
// beside it, and nothing outside the record is read on the way.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "tests/naive/batch_tensors.h"
#include "tests/naive/naive_tensors.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Int64s = std::vector<int64_t>;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t k31 = int64_t{1} << 31;
constexpr int64_t k32 = int64_t{1} << 32;

struct BadPartition {
  const char* name;
  PartitionType type;
  Int64s list;
  size_t num_values;
  int64_t uniform = 0;
};

void PrintTo(const BadPartition& bad, std::ostream* out) { *out << bad.name; }

const BadPartition kBadPartitions[] = {
    {"LengthsNegative", PartitionType::kRowLengths, {3, -1}, 2},
    {"LengthsNegativeLast", PartitionType::kRowLengths, {2, -1, 1}, 2},
    {"LengthsSmallest", PartitionType::kRowLengths, {kMin, kMin, 2}, 2},
    // The sum is 2 in 64 bits that wrap.
    {"LengthsOverflow", PartitionType::kRowLengths, {kMax, kMax, 4}, 2},
    {"LengthsOverflow32", PartitionType::kRowLengths, {k32 + 2}, 2},
    {"LengthsTooSmall", PartitionType::kRowLengths, {1}, 2},
    {"LengthsTooLarge", PartitionType::kRowLengths, {1, 2}, 2},
    {"LengthsNone", PartitionType::kRowLengths, {}, 2},
    {"LengthsOfNothing", PartitionType::kRowLengths, {1}, 0},
    {"SplitsNotFromZero", PartitionType::kRowSplits, {1, 2}, 2},
    {"SplitsFromNegative", PartitionType::kRowSplits, {-1, 2}, 2},
    {"SplitsDecrease", PartitionType::kRowSplits, {0, 2, 1, 2}, 2},
    {"SplitsPastTheEnd", PartitionType::kRowSplits, {0, 3}, 2},
    {"SplitsBeyond", PartitionType::kRowSplits, {0, kMax, 2}, 2},
    {"SplitsShort", PartitionType::kRowSplits, {0, 1}, 2},
    {"SplitsZeroAlone", PartitionType::kRowSplits, {0}, 2},
    {"SplitsNone", PartitionType::kRowSplits, {}, 2},
    {"SplitsWrap32", PartitionType::kRowSplits, {0, k32 + 2}, 2},
    {"StartsNotFromZero", PartitionType::kRowStarts, {1, 2}, 2},
    {"StartsDecrease", PartitionType::kRowStarts, {0, 2, 1}, 2},
    {"StartsPastTheEnd", PartitionType::kRowStarts, {0, 3}, 2},
    {"StartsBeyond", PartitionType::kRowStarts, {0, kMax}, 2},
    {"StartsNone", PartitionType::kRowStarts, {}, 2},
    {"LimitsDecrease", PartitionType::kRowLimits, {2, 1, 2}, 2},
    {"LimitsNegative", PartitionType::kRowLimits, {-1, 2}, 2},
    {"LimitsShort", PartitionType::kRowLimits, {0, 1}, 2},
    {"LimitsPastTheEnd", PartitionType::kRowLimits, {3}, 2},
    {"LimitsNone", PartitionType::kRowLimits, {}, 2},
    {"IdsNegative", PartitionType::kValueRowids, {-1, 0}, 2},
    {"IdsSmallest", PartitionType::kValueRowids, {kMin, kMin}, 2},
    {"IdsDecrease", PartitionType::kValueRowids, {1, 0}, 2},
    // One row more than a batch may have.
    {"IdsOf31Bits", PartitionType::kValueRowids, {0, k31 - 1}, 2},
    {"IdsOf32Bits", PartitionType::kValueRowids, {0, k31}, 2},
    {"IdsWrap32", PartitionType::kValueRowids, {k32, k32}, 2},
    {"IdsOf41Bits", PartitionType::kValueRowids, {0, int64_t{1} << 40}, 2},
    {"IdsLargest", PartitionType::kValueRowids, {kMax, kMax}, 2},
    {"IdsTooFew", PartitionType::kValueRowids, {0}, 2},
    {"IdsTooMany", PartitionType::kValueRowids, {0, 0, 0}, 2},
    {"UniformDoesNotDivide", PartitionType::kUniformRowLength, {}, 3, 2},
    {"UniformLargest", PartitionType::kUniformRowLength, {}, 3, kMax},
    // 0 where it is cut to 32 bits.
    {"UniformOf33Bits",
     PartitionType::kUniformRowLength,
     {},
     3,
     int64_t{1} << 32},
};

// A partition of two values that is right.
Int64s GoodList(PartitionType type) {
  switch (type) {
    case PartitionType::kRowLengths:
      return {0, 2};
    case PartitionType::kRowSplits:
      return {0, 0, 2};
    case PartitionType::kRowStarts:
      return {0, 0};
    case PartitionType::kRowLimits:
      return {0, 2};
    case PartitionType::kValueRowids:
      return {1, 1};
    case PartitionType::kUniformRowLength:
      break;
  }
  return {};
}

enum class Form { kExample, kContext, kFeatureList };

// Makes records of one key of values and one of the partition.
class Maker {
 public:
  Maker(Form form, const BadPartition& bad) : form_(form), bad_(bad) {}

  FeatureSpec Spec(DType row_splits_dtype) const {
    Partition partition{.type = bad_.type, .uniform_row_length = bad_.uniform};
    if (bad_.type != PartitionType::kUniformRowLength) partition.key = "p";
    FeatureConfig config =
        Ragged(DType::kInt64, {partition}, "v", row_splits_dtype);
    FeatureSpec spec(form_ == Form::kExample ? MessageType::kExample
                                             : MessageType::kSequence);
    if (form_ == Form::kFeatureList) return spec.AddSequence("r", config);
    return spec.Add("r", config);
  }

  std::string Good() const { return Record({GoodStep()}); }
  // Of a feature list one step of three.
  std::string Bad() const {
    const Step bad{Int64s(bad_.num_values, 7), bad_.list};
    if (form_ == Form::kFeatureList) {
      return Record({GoodStep(), bad, GoodStep()});
    }
    return Record({bad});
  }

 private:
  struct Step {
    Int64s values;
    Int64s list;
  };

  Step GoodStep() const {
    // No number of values but none is a multiple of every length.
    const bool uniform = bad_.type == PartitionType::kUniformRowLength;
    return {uniform ? Int64s{} : Int64s{1, 2}, GoodList(bad_.type)};
  }

  std::string Record(const std::vector<Step>& steps) const {
    if (form_ != Form::kFeatureList) {
      return ExampleBuilder()
          .Int64s("v", steps[0].values)
          .Int64s("p", steps[0].list)
          .Build();
    }
    std::vector<std::string> values, lists;
    for (const Step& step : steps) {
      values.push_back(Int64Feature(step.values));
      lists.push_back(Int64Feature(step.list));
    }
    return FeatureListsField(EntryField("v", FeatureListOf(values)) +
                             EntryField("p", FeatureListOf(lists)));
  }

  Form form_;
  const BadPartition& bad_;
};

// Records whose slack ends at a page that nobody may touch.
class GuardedBatch {
 public:
  explicit GuardedBatch(const std::vector<std::string>& records) {
    for (const std::string& record : records) {
      buffers_.push_back(
          std::make_unique<GuardedBytes>(record.size() + kPadding));
      views_.push_back(buffers_.back()->PlaceAtEnd(record, kPadding));
    }
  }

  const std::vector<std::string_view>& views() const { return views_; }

 private:
  std::vector<std::unique_ptr<GuardedBytes>> buffers_;
  std::vector<std::string_view> views_;
};

void ExpectRefused(const Plan& plan, const FeatureSpec& spec,
                   const std::vector<std::string>& records, size_t bad) {
  SCOPED_TRACE("record " + std::to_string(bad) + " of " +
               std::to_string(records.size()));
  const GuardedBatch batch(records);
  Decoder decoder(plan, {.padded_input = true});
  const Result<Batch> failed = decoder.Decode(batch.views());
  EXPECT_THAT(failed, IsError(ErrorCode::kBadPartition,
                              {.feature = "r", .record = bad}));

  std::vector<std::string_view> others = batch.views();
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(bad));
  const NaiveTensors expected = NaiveDecodeTensors(others, spec);
  EXPECT_EQ(Difference(expected, decoder.Decode(others)), "");

  Decoder skipper(plan,
                  {.on_row_error = OnRowError::kSkip, .padded_input = true});
  EXPECT_EQ(Difference(expected, skipper.Decode(batch.views())), "");
  ASSERT_EQ(skipper.skipped().size(), 1u);
  EXPECT_THAT(skipper.skipped()[0],
              IsError(ErrorCode::kBadPartition, {.record = bad}));
}

class HostilePartitions : public ::testing::TestWithParam<BadPartition> {
 protected:
  static void Check(Form form) {
    const Maker maker(form, GetParam());
    for (DType splits : {DType::kInt32, DType::kInt64}) {
      const FeatureSpec spec = maker.Spec(splits);
      const auto plan = OrThrow(Plan::Compile(spec));
      const std::string good = maker.Good();
      const std::string bad = maker.Bad();
      ForEachTarget([&] {
        ExpectRefused(plan, spec, {bad}, 0);
        ExpectRefused(plan, spec, {bad, good, good}, 0);
        ExpectRefused(plan, spec, {good, bad, good}, 1);
        ExpectRefused(plan, spec, {good, good, bad}, 2);
      });
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, HostilePartitions,
                         ::testing::ValuesIn(kBadPartitions),
                         [](const auto& bad) { return bad.param.name; });

TEST_P(HostilePartitions, OfAnExample) { Check(Form::kExample); }

TEST_P(HostilePartitions, OfAContext) { Check(Form::kContext); }

TEST_P(HostilePartitions, OfAFeatureList) { Check(Form::kFeatureList); }

// Over the batch these would fit: four values, rows of two and two.
TEST(HostilePartitionsTest, RowsDoNotLendEachOtherValues) {
  const auto spec = FeatureSpec().Add(
      "r", Ragged(DType::kInt64, {{PartitionType::kRowLengths, "p"}}, "v"));
  const auto plan = OrThrow(Plan::Compile(spec));
  const std::string first =
      ExampleBuilder().Int64s("v", {1, 2, 3}).Int64s("p", {2}).Build();
  const std::string second =
      ExampleBuilder().Int64s("v", {4}).Int64s("p", {2}).Build();
  ForEachTarget([&] {
    const std::vector<std::string_view> records = {first, second};
    Decoder decoder(plan);
    const Result<Batch> result = decoder.Decode(records);
    EXPECT_THAT(result, IsError(ErrorCode::kBadPartition, {.record = 0u}));
  });
}

// As many steps of values as of partitions, in each record.
TEST(HostilePartitionsTest, StepCountsDiffer) {
  const auto spec = FeatureSpec().AddSequence(
      "r", Ragged(DType::kInt64, {{PartitionType::kRowLengths, "p"}}, "v"));
  const auto plan = OrThrow(Plan::Compile(spec));
  const auto record = [](size_t values, size_t lists) {
    return FeatureListsField(
        EntryField("v", FeatureListOf(std::vector<std::string>(
                            values, Int64Feature({1})))) +
        EntryField("p", FeatureListOf(std::vector<std::string>(
                            lists, Int64Feature({1})))));
  };
  const std::string good = record(2, 2);
  ForEachTarget([&] {
    ExpectRefused(plan, spec, {good, record(2, 1), good}, 1);
    ExpectRefused(plan, spec, {good, record(1, 2), good}, 1);
    ExpectRefused(plan, spec, {good, record(0, 1)}, 1);
    ExpectRefused(plan, spec, {record(1, 0), good}, 0);
  });
}

// What an error says of the rule that a partition of two values breaks.
struct MisfitWords {
  BadPartition bad;
  const char* expected;
  const char* found;
};

TEST(HostilePartitionsTest, WordsOfEveryRule) {
  using enum PartitionType;
  const MisfitWords kWords[] = {
      {{"", kRowLengths, {1, 2}, 2}, "lengths that sum to 2", "3"},
      {{"", kRowLengths, {3, -1}, 2}, "lengths of 0 or more", "-1"},
      {{"", kRowLengths, {kMax, kMax, 4}, 2},
       "lengths that sum to 2",
       "2^64 or more"},
      {{"", kRowSplits, {1, 2}, 2}, "0 as the first number", "1"},
      {{"", kRowSplits, {0, 2, 1}, 2},
       "numbers that do not decrease",
       "1 after 2"},
      {{"", kRowSplits, {0, 3}, 2}, "2 as the last number", "3"},
      {{"", kRowSplits, {}, 2}, "at least one row", "none"},
      {{"", kRowStarts, {0, 3}, 2}, "at most 2", "3"},
      {{"", kRowLimits, {-1, 2}, 2}, "numbers of 0 or more", "-1"},
      {{"", kRowLimits, {0, 1}, 2}, "2 as the last number", "1"},
      {{"", kValueRowids, {0}, 2}, "2 row ids", "1"},
      {{"", kValueRowids, {0, k31}, 2},
       "row ids below 2147483647",
       "2147483648"},
  };
  for (const auto& [bad, expected, found] : kWords) {
    const Maker maker(Form::kExample, bad);
    const auto plan = OrThrow(Plan::Compile(maker.Spec(DType::kInt64)));
    const std::string record = maker.Bad();
    Decoder decoder(plan);
    const Result<Batch> batch =
        decoder.Decode(std::vector<std::string_view>{record});
    EXPECT_EQ(batch.status().message(),
              "feature \"r\" of key \"v\", " +
                  std::string(PartitionTypeName(bad.type)) +
                  " \"p\": expected " + expected + ", found " + found);
  }
}

}  // namespace
}  // namespace headrace::testing
