// What Plan::Compile refuses of matrix and jagged groups, and what it makes of
// the rest.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "headrace/plan.h"
#include "src/plan/compile/program.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Members = std::vector<NamedFeature>;

// The error must name the feature, the group and the rule.
void ExpectBadGroup(const FeatureSpec& spec, const std::string& feature,
                    const std::string& rule, const std::string& text = "") {
  const auto plan = Plan::Compile(spec);
  ASSERT_FALSE(plan.ok()) << "accepted, though against " << rule;
  EXPECT_THAT(plan,
              IsError(ErrorCode::kBadSpec, {.feature = feature, .text = text}));
  EXPECT_THAT(plan.status().ToString(), HasSubstr("(" + rule + ")"));
  EXPECT_THAT(plan.status().ToString(), HasSubstr(" \"g\""));
}

FeatureSpec MatrixOf(FeatureConfig member, DType as = DType::kFloat) {
  return FeatureSpec().AddMatrix("g", as, {{"x", std::move(member)}});
}
FeatureSpec JaggedOf(FeatureConfig member, DType as = DType::kInt64,
                     bool weights = false) {
  FeatureConfig group = Jagged(as, {{"x", std::move(member)}});
  group.weights = weights;
  return FeatureSpec().Add("g", std::move(group));
}
FeatureConfig PadTo(DType dtype, int64_t columns) {
  FeatureConfig config = VarLen(dtype);
  config.pad_to = columns;
  return config;
}
FeatureConfig AsRaw(DType dtype, DType as) {
  FeatureConfig config = FixedLen(dtype, {2});
  config.as = as;
  return config;
}

TEST(GroupCheckTest, OwnFields) {
  ExpectBadGroup(FeatureSpec().AddMatrix("g", DType::kFloat, {}), "g", "S15");
  ExpectBadGroup(FeatureSpec().AddJagged("g", DType::kFloat, {}), "g", "S15");
  FeatureConfig group = Matrix(DType::kFloat, {{"x", FixedLen(DType::kInt64)}});
  group.as.reset();
  ExpectBadGroup(FeatureSpec().Add("g", group), "g", "S15");
  group.as = DType::kBytes;
  ExpectBadGroup(FeatureSpec().Add("g", group), "g", "S15");
  group.as = DType::kFloat;
  EXPECT_THAT(Plan::Compile(FeatureSpec().Add("g", group)), IsOk());
  ExpectBadGroup(FeatureSpec().AddSequence("g", group), "g", "S15");
  ExpectBadGroup(FeatureSpec().AddToExamples("g", group), "g", "S15");
  for (const auto change :
       {+[](FeatureConfig* g) { g->weights = true; },
        +[](FeatureConfig* g) { g->shape = {1}; },
        +[](FeatureConfig* g) { g->Default(1); },
        +[](FeatureConfig* g) { g->column = "y"; },
        +[](FeatureConfig* g) { g->present = true; },
        +[](FeatureConfig* g) { g->first_n = 1; },
        +[](FeatureConfig* g) { g->lengths_dtype = DType::kInt64; }}) {
    FeatureConfig changed = group;
    change(&changed);
    ExpectBadGroup(FeatureSpec().Add("g", changed), "g", "S15");
  }
}

TEST(GroupCheckTest, ExactIsForFloatMatrices) {
  for (const DType as : {DType::kFloat, DType::kFloat64, DType::kBfloat16}) {
    FeatureConfig group = Matrix(as, {{"x", FixedLen(DType::kInt64)}}).Exact();
    EXPECT_THAT(Plan::Compile(FeatureSpec().Add("g", group)), IsOk());
    group.layout = Layout::kJagged;
    ExpectBadGroup(FeatureSpec().Add("g", group), "g", "S15", "exact");
  }
  ExpectBadGroup(
      FeatureSpec().Add(
          "g", Matrix(DType::kInt32, {{"x", FixedLen(DType::kInt64)}}).Exact()),
      "g", "S15", "exact");
}

TEST(GroupCheckTest, Names) {
  const FeatureConfig one = FixedLen(DType::kInt64);
  ExpectBadGroup(
      FeatureSpec().AddMatrix("g", DType::kFloat, {{"x", one}, {"x", one}}),
      "x", "S1");
  ExpectBadGroup(FeatureSpec().AddMatrix("g", DType::kFloat, {{"\xFF", one}}),
                 "\xFF", "S1");
  ExpectBadGroup(MatrixOf(one).AddMatrix("g", DType::kFloat, {{"y", one}}), "g",
                 "S1");
  // Members are not tensors.
  EXPECT_THAT(
      Plan::Compile(FeatureSpec().AddMatrix("g", DType::kFloat, {{"g", one}})),
      IsOk());
}

TEST(GroupCheckTest, LayoutsOfMembers) {
  ExpectBadGroup(MatrixOf(Ragged(DType::kInt64)), "x", "S15");
  ExpectBadGroup(MatrixOf(VarLen(DType::kInt64)), "x", "S15");
  ExpectBadGroup(MatrixOf(FixedLenSequence(DType::kInt64, {}, true)), "x",
                 "S15");
  ExpectBadGroup(
      MatrixOf(Matrix(DType::kFloat, {{"y", FixedLen(DType::kInt64)}})), "x",
      "S15");
  ExpectBadGroup(MatrixOf(PadTo(DType::kInt64, 0)), "x", "S11");
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64, {-1})), "x", "S4");
  EXPECT_THAT(Plan::Compile(MatrixOf(PadTo(DType::kInt64, 3))), IsOk());
  EXPECT_THAT(Plan::Compile(MatrixOf(FixedLen(DType::kInt64, {0}))), IsOk());
  ExpectBadGroup(JaggedOf(VarLen(DType::kInt64)), "x", "S15");
  ExpectBadGroup(
      JaggedOf(Ragged(DType::kInt64, {{PartitionType::kRowLengths, "n"}})), "x",
      "S15");
  FeatureConfig shaped = Ragged(DType::kInt64);
  shaped.shape = {-1, 2};
  ExpectBadGroup(JaggedOf(shaped), "x", "S15");
  FeatureConfig grouped = Ragged(DType::kInt64);
  grouped.group = "r";
  ExpectBadGroup(JaggedOf(grouped), "x", "S15");
  EXPECT_THAT(Plan::Compile(JaggedOf(FixedLen(DType::kInt64, {2, 2}))), IsOk());
}

TEST(GroupCheckTest, FieldsOfMembers) {
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64).FirstN(1)), "x", "S15");
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64).LastN(1)), "x", "S15");
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64).WeightKey("w")), "x", "S15");
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64).Sequence()), "x", "S15");
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64, {0}).Present()), "x", "S15");
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).Present()), "x", "S15");
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).FirstN(0)), "x", "S15");
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).LastN(-1)), "x", "S15");
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).FirstN(int64_t{1} << 31)), "x",
                 "S15");
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).FirstN(1).LastN(1)), "x",
                 "S15");
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).Exact()), "x", "S15");
}

TEST(GroupCheckTest, Weights) {
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).WeightKey("w")), "x", "S15");
  ExpectBadGroup(
      JaggedOf(Ragged(DType::kInt64).WeightKey(""), DType::kInt64, true), "x",
      "S15");
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64), DType::kInt64, true), "g",
                 "S15");
  // Weights are floats, and the key is read in one way (S9).
  FeatureConfig same = Ragged(DType::kInt64).WeightKey("x");
  ExpectBadGroup(JaggedOf(same, DType::kInt64, true), "x", "S9");
  EXPECT_THAT(Plan::Compile(JaggedOf(Ragged(DType::kInt64).WeightKey("w"),
                                     DType::kInt64, true)),
              IsOk());
}

TEST(GroupCheckTest, Sequences) {
  ExpectBadGroup(JaggedOf(Ragged(DType::kInt64).Sequence()), "x", "S15");
  FeatureSpec spec(MessageType::kSequence);
  spec.AddJagged("g", DType::kInt64,
                 {{"x", FixedLen(DType::kInt64).Sequence()}});
  ExpectBadGroup(spec, "x", "S15");
  FeatureSpec both(MessageType::kSequence);
  both.AddJagged(
      "g", DType::kInt64,
      {{"x", Ragged(DType::kInt64).Sequence()}, {"y", Ragged(DType::kInt64)}});
  EXPECT_THAT(Plan::Compile(both), IsOk());
}

TEST(GroupCheckTest, TypesOfMembers) {
  for (const DType as :
       {DType::kInt64, DType::kInt32, DType::kUint8, DType::kBool}) {
    ExpectBadGroup(MatrixOf(FixedLen(DType::kFloat), as), "x", "B4");
    EXPECT_THAT(Plan::Compile(MatrixOf(FixedLen(DType::kInt64), as)), IsOk());
  }
  for (const DType as :
       {DType::kFloat, DType::kFloat64, DType::kFloat16, DType::kBfloat16}) {
    EXPECT_THAT(Plan::Compile(MatrixOf(FixedLen(DType::kFloat), as)), IsOk());
    EXPECT_THAT(Plan::Compile(MatrixOf(FixedLen(DType::kInt64), as)), IsOk());
  }
  ExpectBadGroup(MatrixOf(FixedLen(DType::kBytes)), "x", "B4");
  ExpectBadGroup(JaggedOf(Ragged(DType::kBytes)), "x", "B4");
  ExpectBadGroup(MatrixOf(AsRaw(DType::kBytes, DType::kInt64)), "x", "B4");
  ExpectBadGroup(MatrixOf(AsRaw(DType::kFloat, DType::kFloat64)), "x", "B4");
  ExpectBadGroup(JaggedOf(AsRaw(DType::kBytes, DType::kInt64)), "x", "B4");
  EXPECT_THAT(Plan::Compile(MatrixOf(AsRaw(DType::kBytes, DType::kFloat))),
              IsOk());
}

TEST(GroupCheckTest, Defaults) {
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64).Default(300), DType::kUint8),
                 "x", "B3");
  ExpectBadGroup(
      MatrixOf(FixedLen(DType::kFloat).Default(1e6), DType::kFloat16), "x",
      "B3");
  ExpectBadGroup(MatrixOf(FixedLen(DType::kInt64).Default({1, 2})), "x", "S5");
  FeatureConfig exact =
      Matrix(DType::kFloat, {{"x", FixedLen(DType::kInt64).Default(16777217)}});
  EXPECT_THAT(Plan::Compile(FeatureSpec().Add("g", exact)), IsOk());
  ExpectBadGroup(FeatureSpec().Add("g", exact.Exact()), "x", "B3");
}

TEST(GroupCheckTest, Width) {
  Members members;
  for (const char* const name : {"x", "y"}) {
    members.push_back({name, FixedLen(DType::kInt64, {150 << 20})});
  }
  ExpectBadGroup(FeatureSpec().AddMatrix("g", DType::kFloat, members), "g",
                 "B1");
}

TEST(GroupCheckTest, FieldsOfGroupsElsewhere) {
  for (const auto change :
       {+[](FeatureConfig* c) { c->exact = true; },
        +[](FeatureConfig* c) { c->weights = true; },
        +[](FeatureConfig* c) { c->present = true; },
        +[](FeatureConfig* c) { c->first_n = 1; },
        +[](FeatureConfig* c) { c->last_n = 1; },
        +[](FeatureConfig* c) { c->weight_key = "w"; },
        +[](FeatureConfig* c) { c->sequence = true; },
        +[](FeatureConfig* c) { c->lengths_dtype = DType::kInt64; },
        +[](FeatureConfig* c) { c->members.push_back({}); }}) {
    FeatureConfig config = Ragged(DType::kInt64);
    change(&config);
    const auto plan = Plan::Compile(FeatureSpec().Add("x", config));
    EXPECT_THAT(plan, IsError(ErrorCode::kBadSpec, {.feature = "x"}));
  }
}

// S9 as for other features.
TEST(GroupCheckTest, SharedKeys) {
  FeatureConfig other = Ragged(DType::kInt64);
  other.column = "x";
  EXPECT_THAT(Plan::Compile(MatrixOf(FixedLen(DType::kInt64))
                                .AddJagged("j", DType::kInt64, {{"y", other}})),
              IsOk());
  other.column.reset();
  EXPECT_THAT(Plan::Compile(JaggedOf(FixedLen(DType::kInt64))
                                .Add("y", Ragged(DType::kInt64, {}, "x"))),
              IsError(ErrorCode::kBadSpec, {.feature = "y", .text = "(S9)"}));
  FeatureConfig zlib = AsRaw(DType::kBytes, DType::kFloat);
  zlib.encoding = Encoding::kZlib;
  FeatureConfig bytes = VarLen(DType::kBytes);
  bytes.column = "x";
  ExpectBadGroup(MatrixOf(zlib).Add("y", bytes), "x", "S13");
}

TEST(GroupCheckTest, Describes) {
  FeatureSpec spec(MessageType::kSequence);
  spec.AddMatrix("dense", DType::kFloat16,
                 {{"I1", FixedLen(DType::kInt64).Default(0)},
                  {"I2", PadTo(DType::kFloat, 3).Present()}});
  spec.Add("ids", Jagged(DType::kInt32,
                         {{"C1", Ragged(DType::kInt64).LastN(5).WeightKey("w")},
                          {"C2", Ragged(DType::kInt64).Sequence()}})
                      .Weights());
  const auto plan = OrThrow(Plan::Compile(spec));
  EXPECT_EQ(plan.ToString(),
            "tensors of tf.train.SequenceExample: 2, of 5 keys\n"
            "  \"dense\": matrix float16 [5]\n"
            "    \"I1\": fixed_len int64 as float16 [], with a default, from "
            "key \"I1\" in place\n"
            "    \"I2\": var_len float as float16, padded to 3, from key "
            "\"I2\", then a column of presence\n"
            "  \"ids\": jagged int32 with int32 lengths and weights\n"
            "    \"C1\": ragged int64 as int32, from key "
            "\"C1\", the last 5, weights from key \"w\"\n"
            "    \"C2\": ragged int64 as int32, from key "
            "\"C2\" of feature lists\n");
  EXPECT_THAT(plan.tensors()[1].feature.keys(), ElementsAre("C1", "w", "C2"));
}

}  // namespace
}  // namespace headrace::testing
