// ReadReport::absent: features that a plan names and no row so far had.

#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/reader.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

// Its absent features, as texts: "default a", "list b" or "c".
std::vector<std::string> AbsentOf(const ReadReport& report) {
  std::vector<std::string> texts;
  for (const AbsentFeature& absent : report.absent) {
    texts.push_back((absent.has_default ? "default " : "") +
                    std::string(absent.in_sequence ? "list " : "") +
                    absent.name);
  }
  return texts;
}

std::vector<std::string> AbsentAtEnd(const std::vector<std::string>& records,
                                     const FeatureSpec& spec,
                                     ReadOptions options = {}) {
  const TemporaryFile file(RecordFile(records));
  const auto plan = Plan::Compile(spec);
  if (!plan.ok()) return {plan.status().ToString()};
  options.on_row_error = OnRowError::kSkip;
  options.batch_size = 2;
  std::vector<std::vector<std::string>> absent;
  for (const size_t threads : {1u, 3u}) {
    options.threads = threads;
    const Transcript read = ReadAll({file.path()}, options, &*plan);
    EXPECT_THAT(read.status, IsOk());
    absent.push_back(AbsentOf(read.report));
  }
  EXPECT_EQ(absent[0], absent[1]);
  return absent[0];
}

std::string Record(const std::string& name) {
  return ExampleBuilder().Int64s("id", {1}).Int64s(name, {2}).Build();
}

FeatureSpec SpecOf(const FeatureConfig& config) {
  return FeatureSpec().Add("id", FixedLen(DType::kInt64)).Add("x", config);
}

TEST(AbsentFeatures, OfEveryLayout) {
  const auto number = DType::kInt64;
  FeatureConfig padded = VarLen(number);
  padded.pad_to = 3;
  FeatureConfig narrowed = FixedLen(number).Default(7);
  narrowed.as = DType::kInt32;
  const struct {
    FeatureConfig config;
    std::string text;
  } cases[] = {{FixedLen(number).Default(7), "default x"},
               {narrowed, "default x"},
               {VarLen(number), "x"},
               {padded, "x"},
               {FixedLenSequence(number, {}, /*allow_missing=*/true), "x"},
               {Ragged(number), "x"}};
  for (const auto& [config, text] : cases) {
    const FeatureSpec spec = SpecOf(config);
    const std::vector<std::string> without(7, Record("y"));
    EXPECT_THAT(AbsentAtEnd(without, spec), ElementsAre(text));
    EXPECT_THAT(AbsentAtEnd({}, spec), IsEmpty());
    for (size_t at = 0; at < without.size(); ++at) {
      std::vector<std::string> records = without;
      records[at] = Record("x");
      EXPECT_THAT(AbsentAtEnd(records, spec), IsEmpty()) << text << at;
    }
    // All records have x, with two values.
    if (config.layout == Layout::kFixedLen) continue;
    const std::string two =
        ExampleBuilder().Int64s("id", {1}).Int64s("x", {2, 3}).Build();
    EXPECT_THAT(AbsentAtEnd({two, two, two}, spec), IsEmpty()) << text;
  }
}

TEST(AbsentFeatures, OfAnIndexOrAPartition) {
  FeatureSpec spec;
  spec.Add("s", Sparse({"index"}, "id", DType::kInt64, {9}));
  EXPECT_THAT(AbsentAtEnd({Record("y")}, spec), IsEmpty());  // a bad row only
  EXPECT_THAT(AbsentAtEnd({"", "", ""}, spec), ElementsAre("id", "index"));
}

TEST(AbsentFeatures, OfFeatureLists) {
  FeatureSpec spec(MessageType::kSequence);
  spec.Add("c", FixedLen(DType::kInt64).Default(1));
  spec.AddSequence("steps", VarLen(DType::kInt64));
  spec.AddSequence("c", VarLen(DType::kInt64));
  const std::string with = FeatureListsField(
      EntryField("steps", FeatureListOf({Int64Feature({1})})));
  EXPECT_THAT(AbsentAtEnd({"", ""}, spec),
              ElementsAre("default c", "list steps", "list c"));
  EXPECT_THAT(AbsentAtEnd({"", with, ""}, spec),
              ElementsAre("default c", "list c"));
}

// The bad rows have x, or fail once its default has been filled in.
TEST(AbsentFeatures, RowsThatAreLeftOutDoNotCount) {
  const FeatureSpec spec = SpecOf(FixedLen(DType::kInt64).Default(7));
  const std::string no_id = ExampleBuilder().Int64s("x", {3}).Build();
  const std::string wrong_count =
      ExampleBuilder().Int64s("id", {1}).Int64s("x", {1, 2}).Build();
  const std::string nothing;
  const std::string good = Record("y"), with = Record("x");
  EXPECT_THAT(AbsentAtEnd({no_id, wrong_count, good, no_id}, spec),
              ElementsAre("default x"));
  EXPECT_THAT(AbsentAtEnd({nothing, no_id, with, nothing}, spec), IsEmpty());
  EXPECT_THAT(AbsentAtEnd({good, nothing, with}, spec), IsEmpty());
}

TEST(AbsentFeatures, AreListedUpToTheLimit) {
  FeatureSpec spec = SpecOf(VarLen(DType::kInt64));
  spec.Add("z", VarLen(DType::kInt64));
  for (const size_t limit : {0u, 1u, 2u}) {
    ReadOptions options;
    options.limits.max_reported = limit;
    EXPECT_EQ(
        AbsentAtEnd({Record("y"), Record("y"), Record("y")}, spec, options)
            .size(),
        limit);
  }
}

}  // namespace
}  // namespace headrace::testing
