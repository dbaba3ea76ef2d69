#include "src/plan/compile/program.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

uint32_t Find(const Plan& plan, std::string_view key, bool in_lists = false) {
  // A look-up may read behind the key, but must not heed it.
  std::string padded(key);
  padded.append(plan::kKeySlack, '\xA5');
  const auto* const data = reinterpret_cast<const uint8_t*>(padded.data());
  const plan::Program& program = plan::Program::Of(plan);
  return in_lists ? program.FindList(data, key.size())
                  : program.Find(data, key.size());
}

TEST(PlanTest, FindsEveryKeyAndNoOther) {
  std::vector<ColumnField> columns;
  for (int i = 0; i < 65536; ++i) {
    columns.push_back({"feature_" + std::to_string(i), Kind::kInt64});
  }
  auto plan = Plan::ForColumns(columns);
  ASSERT_THAT(plan, IsOk());
  for (uint32_t i = 0; i < columns.size(); ++i) {
    ASSERT_EQ(Find(*plan, columns[i].name), i);
    ASSERT_EQ(Find(*plan, columns[i].name + "x"), plan::kNoSlot);
  }
  EXPECT_EQ(Find(*plan, ""), plan::kNoSlot);
}

TEST(PlanTest, OddNames) {
  const std::string nul("a\0b", 3);
  auto plan = OrThrow(Plan::ForColumns({{"", Kind::kInt64},
                                        {nul, Kind::kFloat},
                                        {"a", Kind::kBytes},
                                        {"\xF0\x9F\x99\x82", Kind::kNull}}));
  EXPECT_EQ(Find(plan, ""), 0u);
  EXPECT_EQ(Find(plan, nul), 1u);
  EXPECT_EQ(Find(plan, "a"), 2u);
  EXPECT_EQ(Find(plan, "\xF0\x9F\x99\x82"), 3u);
}

TEST(PlanTest, FeaturesAndFeatureListsHaveKeysOfTheirOwn) {
  const auto plan = OrThrow(Plan::ForColumns({{"both", Kind::kInt64},
                                              {"feature", Kind::kInt64},
                                              {"both", Kind::kFloat, true},
                                              {"list", Kind::kFloat, true}}));
  EXPECT_EQ(Find(plan, "both"), 0u);
  EXPECT_EQ(Find(plan, "feature"), 1u);
  EXPECT_EQ(Find(plan, "list"), plan::kNoSlot);
  EXPECT_EQ(Find(plan, "both", /*in_lists=*/true), 2u);
  EXPECT_EQ(Find(plan, "list", /*in_lists=*/true), 3u);
  EXPECT_EQ(Find(plan, "feature", /*in_lists=*/true), plan::kNoSlot);
}

TEST(PlanTest, RefusesWhatNoRecordCanMean) {
  EXPECT_THAT(
      Plan::ForColumns(
          {{"a", Kind::kInt64}, {"b", Kind::kInt64}, {"a", Kind::kFloat}}),
      HasCode(ErrorCode::kBadSpec));
  EXPECT_THAT(Plan::ForColumns({{"a", Kind::kInt64}, {"a", Kind::kInt64}}),
              IsError(ErrorCode::kBadSpec, {.feature = "a"}));
  EXPECT_THAT(Plan::ForColumns({{"\xFF", Kind::kInt64}}),
              HasCode(ErrorCode::kBadSpec));
}

TEST(PlanTest, FeatureListsComeLastAndInSequencesOnly) {
  const ColumnField a{"a", Kind::kInt64}, b{"b", Kind::kInt64, true};
  EXPECT_THAT(Plan::ForColumns({a, b}), IsOk());
  EXPECT_THAT(Plan::ForColumns({b, a}),
              IsError(ErrorCode::kBadSpec, {.feature = "a"}));
  EXPECT_THAT(Plan::ForColumns({b}, MessageType::kExample,
                               /*sequence_struct=*/false),
              IsError(ErrorCode::kBadSpec, {.feature = "b"}));
}

TEST(PlanTest, SelectsColumnsInTheOrderOfTheNames) {
  const ColumnField a{"a", Kind::kInt64}, b{"b", Kind::kNull};
  const ColumnField list_a{"a", Kind::kFloat, true}, k{"k", Kind::kBytes, true};
  const auto plan = Plan::ForColumns({a, b, list_a, k});
  ASSERT_THAT(plan, IsOk());
  const auto select = [&](const std::vector<std::string>& names) {
    return plan->Select(names);
  };
  EXPECT_THAT(select({"b", "a"})->columns(), ElementsAre(b, a, list_a));
  EXPECT_THAT(select({"k", "b"})->columns(), ElementsAre(b, k));
  EXPECT_TRUE(select({"k"})->has_sequence_struct());
  EXPECT_FALSE(select({"b"})->has_sequence_struct());
  EXPECT_EQ(select({"b"})->message(), MessageType::kSequence);
  EXPECT_TRUE(select({})->columns().empty());
  EXPECT_THAT(select({"b", "b"}),
              IsError(ErrorCode::kBadSpec, {.feature = "b"}));
  EXPECT_EQ(plan->columns().size(), 4u);
}

TEST(PlanTest, SelectSuggestsAColumn) {
  const auto plan = Plan::ForColumns({{"colour", Kind::kInt64}});
  const std::vector<std::string> names = {"colour", "color"};
  const Status error = plan->Select(names).status();
  EXPECT_THAT(error,
              IsError(ErrorCode::kInvalidArgument, {.feature = "color"}));
  EXPECT_EQ(error.message(),
            "there is no column \"color\"; did you mean \"colour\"?");
  const std::vector<std::string> far = {"x\x1b"};
  EXPECT_EQ(plan->Select(far).status().message(),
            "there is no column \"x\\x1b\"");
  const std::vector<std::string> payload = {"payload"};
  EXPECT_THAT(Plan::ForRaw().Select(payload),
              HasCode(ErrorCode::kInvalidArgument));
  const auto tensors = Plan::Compile(
      FeatureSpec().Add("colour", FeatureConfig{.dtype = DType::kInt64}));
  ASSERT_THAT(tensors, IsOk());
  EXPECT_THAT(tensors->Select(std::span(names).first(1)),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(PlanTest, PrintsItself) {
  auto plan = Plan::ForColumns({{"a", Kind::kInt64}, {"b\n", Kind::kNull}});
  EXPECT_EQ(plan->ToString(),
            "columns of tf.train.Example: 2\n"
            "  \"a\": list<int64>\n"
            "  \"b\\n\": null\n");
  EXPECT_THAT(Plan::ForColumns({}), IsOk());
  plan = Plan::ForColumns({{"a", Kind::kFloat}, {"b", Kind::kBytes, true}});
  EXPECT_EQ(plan->ToString(),
            "columns of tf.train.SequenceExample: 2\n"
            "  \"a\": list<float>\n"
            "  ##SEQUENCE##.\"b\": list<list<bytes>>\n");
}

TEST(PlanTest, OfRawRecords) {
  const Plan plan = Plan::ForRaw();
  EXPECT_EQ(plan.message(), MessageType::kRaw);
  ASSERT_EQ(plan.columns().size(), 1u);
  EXPECT_EQ(plan.columns()[0], (ColumnField{"payload", Kind::kBytes}));
  EXPECT_TRUE(plan.tensors().empty());
  EXPECT_FALSE(plan.has_sequence_struct());
  EXPECT_EQ(plan.ToString(),
            "payloads of raw records: 1\n  \"payload\": bytes\n");
  // Columns of one's own are made of messages.
  EXPECT_THAT(Plan::ForColumns({{"payload", Kind::kBytes}}, MessageType::kRaw,
                               /*sequence_struct=*/false),
              HasCode(ErrorCode::kBadSpec));
}

}  // namespace
}  // namespace headrace::testing
