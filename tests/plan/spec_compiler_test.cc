// What Plan::Compile refuses, rule by rule, and what it makes of the rest.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "src/plan/compile/program.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

// The error of a spec must name the feature and the rule.
void ExpectBad(const FeatureSpec& spec, const std::string& feature,
               const std::string& rule) {
  const auto plan = Plan::Compile(spec);
  ASSERT_FALSE(plan.ok()) << "accepted, though against " << rule;
  EXPECT_EQ(plan.status().code(), ErrorCode::kBadSpec);
  EXPECT_EQ(plan.status().info()->feature, feature);
  EXPECT_THAT(plan.status().ToString(), HasSubstr("(" + rule + ")"));
}

FeatureSpec One(FeatureConfig config) {
  return FeatureSpec().Add("x", std::move(config));
}

FeatureConfig With(FeatureConfig config, std::optional<DType> as) {
  config.as = as;
  return config;
}

TEST(SpecCompilerTest, S1Names) {
  ExpectBad(FeatureSpec()
                .Add("x", VarLen(DType::kInt64))
                .Add("x", VarLen(DType::kInt64)),
            "x", "S1");
  ExpectBad(FeatureSpec().Add("\xFF", VarLen(DType::kInt64)), "\xFF", "S1");
  ExpectBad(One(Ragged(DType::kInt64, {}, "\xFF")), "x", "S1");
  EXPECT_THAT(Plan::Compile(FeatureSpec()
                                .Add("x", VarLen(DType::kInt64))
                                .AddSequence("x", VarLen(DType::kFloat))),
              IsOk());
  EXPECT_THAT(Plan::Compile(FeatureSpec().Add("", VarLen(DType::kInt64))),
              IsOk());
}

TEST(SpecCompilerTest, S2Types) {
  ExpectBad(One(VarLen(DType::kInt32)), "x", "S2");
  ExpectBad(One(FixedLen(DType::kFloat64)), "x", "S2");
}

TEST(SpecCompilerTest, S3Places) {
  const auto sparse = Sparse({"i"}, "v", DType::kFloat, {3});
  ExpectBad(FeatureSpec(MessageType::kSequence).Add("x", sparse), "x", "S3");
  ExpectBad(FeatureSpec(MessageType::kSequence)
                .Add("x", FixedLenSequence(DType::kFloat, {}, true)),
            "x", "S3");
  ExpectBad(FeatureSpec().AddSequence("x", FixedLen(DType::kFloat)), "x", "S3");
  ExpectBad(FeatureSpec().AddSequence("x", sparse), "x", "S3");
  EXPECT_THAT(
      Plan::Compile(FeatureSpec(MessageType::kSequence).Add("x", sparse)),
      IsError(ErrorCode::kBadSpec,
              {.text = "which a context feature cannot be"}));
  EXPECT_THAT(
      Plan::Compile(FeatureSpec().AddSequence("x", sparse)),
      IsError(ErrorCode::kBadSpec, {.text = "which a feature list cannot be"}));
}

TEST(SpecCompilerTest, S4Shapes) {
  constexpr int64_t kHuge = int64_t{1} << 32;
  ExpectBad(One(FixedLen(DType::kInt64, {-1})), "x", "S4");
  ExpectBad(One(FixedLen(DType::kInt64, {2, -3, 4})), "x", "S4");
  ExpectBad(One(FixedLen(DType::kInt64, {kHuge, kHuge})), "x", "S4");
  // Products around the widths of integers, also those that wrap to something
  // harmless, and those that a zero would hide.
  ExpectBad(One(FixedLen(DType::kInt64, {int64_t{1} << 31})), "x", "S4");
  // 2^64, which is 0 where it is cut.
  ExpectBad(One(FixedLen(DType::kInt64, {int64_t{1} << 30, int64_t{1} << 34})),
            "x", "S4");
  ExpectBad(One(FixedLen(DType::kInt64, {kHuge, kHuge, 1})), "x", "S4");
  ExpectBad(One(FixedLen(DType::kInt64, {kHuge, 0, kHuge})), "x", "S4");
  ExpectBad(One(FixedLen(DType::kInt64, {0, 1 << 16, 1 << 16})), "x", "S4");
  ExpectBad(
      One(FixedLen(DType::kInt64, {std::numeric_limits<int64_t>::max(), 3})),
      "x", "S4");
  ExpectBad(One(FixedLenSequence(DType::kInt64, {2, 0}, true)), "x", "S4");
  EXPECT_THAT(
      Plan::Compile(One(FixedLen(DType::kInt64, {(int64_t{1} << 31) - 1}))),
      IsOk());
  EXPECT_THAT(Plan::Compile(One(FixedLen(DType::kInt64, {2, 0}))), IsOk());
}

TEST(SpecCompilerTest, S5Defaults) {
  ExpectBad(One(FixedLen(DType::kInt64, {2}).Default(1)), "x", "S5");
  ExpectBad(One(FixedLen(DType::kInt64).Default(0.5)), "x", "S5");
  ExpectBad(One(FixedLen(DType::kBytes).Default(0)), "x", "S5");
  ExpectBad(One(VarLen(DType::kInt64).Default(0)), "x", "S5");
  ExpectBad(One(FixedLen(DType::kInt64, {0}).Default(1)), "x", "S5");
  ExpectBad(FeatureSpec().AddSequence(
                "x", FixedLenSequence(DType::kInt64).Default(0)),
            "x", "S5");
  ExpectBad(
      One(With(FixedLen(DType::kBytes)
                   .Default(DefaultValues(std::vector<std::string>{"abcd"})),
               DType::kFloat)),
      "x", "S5");
  EXPECT_THAT(Plan::Compile(One(FixedLen(DType::kFloat).Default(1))), IsOk());
}

TEST(SpecCompilerTest, S5DefaultsFitTheirType) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  constexpr double kTooLarge = 3.5e38;
  const FeatureConfig real = FixedLen(DType::kFloat);
  const FeatureConfig whole = FixedLen(DType::kInt64);
  for (const FeatureConfig& config :
       {FeatureConfig(real).Default(1e300), FeatureConfig(real).Default(-1e39),
        FeatureConfig(real).Default(kTooLarge),
        FeatureConfig(real).Default(1e300L),
        FixedLen(DType::kFloat, {2}).Default({1.0, 1e300}),
        FixedLen(DType::kFloat, {2}).Default({1e300, 1.0}),
        FeatureConfig(whole).Default(kMax),
        FeatureConfig(whole).Default((uint64_t{1} << 63)),
        FixedLen(DType::kInt64, {2}).Default({uint64_t{0}, kMax}),
        FixedLenSequence(DType::kFloat, {}, true).Default(1e300)}) {
    ExpectBad(One(config), "x", "S5");
    // Nor does it become one that fits on the way through text.
    EXPECT_THAT(FeatureSpec::FromJson(One(config).ToJson()),
                HasCode(ErrorCode::kBadSpec));
  }
  const auto error = Plan::Compile(One(FeatureConfig(real).Default(1e300)));
  EXPECT_THAT(error, IsError(ErrorCode::kBadSpec,
                             {.text = "1e+300, which does not fit float"}));
  // What is infinite was meant to be; a later default stands for the earlier.
  for (const FeatureConfig& config :
       {FeatureConfig(real).Default(std::numeric_limits<double>::infinity()),
        FeatureConfig(real).Default(std::numeric_limits<double>::quiet_NaN()),
        FeatureConfig(real).Default(3.4028235e38),
        FeatureConfig(real).Default(kMax),
        FeatureConfig(real).Default(1e300).Default(1.0),
        FeatureConfig(real).Default(1e300).Default(std::vector<float>{1.0f}),
        FeatureConfig(whole).Default(kMax >> 1)}) {
    EXPECT_THAT(Plan::Compile(One(config)), IsOk());
  }
}

TEST(SpecCompilerTest, S6S7S8) {
  ExpectBad(One(FixedLenSequence(DType::kInt64, {}, false)), "x", "S6");
  ExpectBad(One(Sparse({}, "v", DType::kFloat, {})), "x", "S7");
  ExpectBad(One(Sparse({"i", "j"}, "v", DType::kFloat, {3})), "x", "S7");
  ExpectBad(One(Sparse({""}, "v", DType::kFloat, {3})), "x", "S7");
  ExpectBad(One(Sparse({"i"}, "v", DType::kFloat, {-2})), "x", "S7");
  ExpectBad(FeatureSpec().Add("", Ragged(DType::kFloat)), "", "S8");
  ExpectBad(One(Ragged(DType::kFloat, {}, "")), "x", "S8");
  ExpectBad(One(Sparse({"i"}, "", DType::kFloat, {3})), "x", "S7");
  ExpectBad(One(Ragged(DType::kFloat, {}, "v", DType::kFloat)), "x", "S8");
  for (const int64_t length : {int64_t{0}, int64_t{-1}}) {
    ExpectBad(
        One(Ragged(DType::kFloat,
                   {{PartitionType::kUniformRowLength, "", length}}, "v")),
        "x", "S8");
  }
  ExpectBad(One(Ragged(DType::kFloat, {{PartitionType::kRowSplits}}, "v")), "x",
            "S8");
}

TEST(SpecCompilerTest, FieldsOfOtherLayouts) {
  FeatureConfig keys = VarLen(DType::kInt64);
  keys.index_keys = {"i"};
  ExpectBad(One(keys), "x", "S7");
  FeatureConfig sizes = VarLen(DType::kInt64);
  sizes.size = {3};
  ExpectBad(One(sizes), "x", "S7");
  FeatureConfig partitions = VarLen(DType::kInt64);
  partitions.partitions = {{PartitionType::kRowSplits, "s"}};
  ExpectBad(One(partitions), "x", "S8");
}

TEST(SpecCompilerTest, OfRawRecordsIsNone) {
  for (const MessageType message : {MessageType::kRaw, MessageType::kAuto}) {
    EXPECT_THAT(Plan::Compile(FeatureSpec(message)),
                HasCode(ErrorCode::kBadSpec));
  }
}

// Lengths whose product is beyond any row are allowed; no values fit them.
TEST(SpecCompilerTest, UniformRowLengthsMayOverflow) {
  // The product of the second is 0 where it is cut.
  for (const int64_t huge :
       {std::numeric_limits<int64_t>::max(), int64_t{1} << 32}) {
    const Partition uniform{PartitionType::kUniformRowLength, "", huge};
    const auto plan = OrThrow(Plan::Compile(
        One(Ragged(DType::kInt64, {uniform, uniform, uniform}, "v"))));
    const plan::RaggedShape& shape =
        plan::Program::Of(plan).outputs()[0].ragged;
    EXPECT_EQ(shape.item().size(), 3u);
    EXPECT_EQ(shape.unit, std::numeric_limits<size_t>::max());
  }
}

TEST(SpecCompilerTest, S9KeysInConflictingRoles) {
  const auto sparse = Sparse({"i"}, "v", DType::kFloat, {3});
  ExpectBad(FeatureSpec().Add("i", FixedLen(DType::kInt64)).Add("s", sparse),
            "s", "S9");
  ExpectBad(FeatureSpec().Add("i", VarLen(DType::kFloat)).Add("s", sparse), "s",
            "S9");
  ExpectBad(FeatureSpec()
                .Add("a", Ragged(DType::kInt64, {}, "v"))
                .Add("b", Ragged(DType::kInt64, {}, "v", DType::kInt64)),
            "b", "S9");
  ExpectBad(FeatureSpec()
                .Add("v", VarLen(DType::kInt64))
                .Add("b", Ragged(DType::kInt64, {}, "v")),
            "b", "S9");
  ExpectBad(FeatureSpec()
                .Add("n", FixedLen(DType::kInt64))
                .Add("r", Ragged(DType::kInt64,
                                 {{PartitionType::kRowSplits, "n"}}, "v")),
            "r", "S9");
  EXPECT_THAT(
      Plan::Compile(
          FeatureSpec().Add("i", VarLen(DType::kInt64)).Add("s", sparse)),
      IsOk());
  // Only ragged tensors have row splits.
  FeatureConfig with_splits = VarLen(DType::kInt64);
  with_splits.row_splits_dtype = DType::kInt64;
  EXPECT_THAT(
      Plan::Compile(FeatureSpec().Add("i", with_splits).Add("s", sparse)),
      IsOk());
  FeatureConfig shared = FixedLen(DType::kInt64);
  shared.column = "i";
  EXPECT_THAT(
      Plan::Compile(FeatureSpec().Add("dense", shared).Add("s", sparse)),
      IsOk());
}

TEST(SpecCompilerTest, S10S11) {
  ExpectBad(One(With(VarLen(DType::kInt64), DType::kFloat16)), "x", "S10");
  ExpectBad(One(With(VarLen(DType::kFloat), DType::kInt32)), "x", "S10");
  ExpectBad(One(With(VarLen(DType::kBytes), DType::kUint8)), "x", "S10");
  ExpectBad(One(With(FixedLen(DType::kInt64).Default(256), DType::kUint8)), "x",
            "S10");
  ExpectBad(One(With(FixedLen(DType::kBytes, {1 << 30}), DType::kFloat64)), "x",
            "S10");
  ExpectBad(One(With(FixedLen(DType::kFloat).Default(1e6), DType::kFloat16)),
            "x", "S10");
  ExpectBad(One(With(VarLen(DType::kBytes), DType::kInt64)), "x", "S10");
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.truncate = true;
  ExpectBad(One(padded), "x", "S11");
  padded.pad_to = 0;
  ExpectBad(One(padded), "x", "S11");
  padded.pad_to = 3;
  EXPECT_THAT(Plan::Compile(One(padded)), IsOk());
  ExpectBad(FeatureSpec().AddSequence("x", padded), "x", "S11");
  FeatureConfig ragged = Ragged(DType::kInt64, {}, "v");
  ragged.pad_to = 3;
  ExpectBad(One(ragged), "x", "S11");
}

TEST(SpecCompilerTest, S10Bits) {
  FeatureConfig config = With(FixedLen(DType::kInt64), DType::kUint64);
  config.Default(-1);
  ExpectBad(One(config), "x", "S10");
  config.as_bits = true;
  EXPECT_THAT(Plan::Compile(One(config)), IsOk());
  config.as = DType::kUint32;
  ExpectBad(One(config), "x", "S10");
  config.as.reset();
  ExpectBad(One(config), "x", "S10");
}

FeatureConfig Shaped(std::vector<int64_t> shape,
                     std::vector<Partition> partitions = {}) {
  FeatureConfig config = Ragged(DType::kInt64, std::move(partitions));
  config.shape = std::move(shape);
  return config;
}

TEST(SpecCompilerTest, S12Shapes) {
  const Partition lengths{PartitionType::kRowLengths, "n"};
  const Partition starts{PartitionType::kRowStarts, "n"};
  const Partition threes{PartitionType::kUniformRowLength, "", 3};
  for (const FeatureConfig& config :
       {Shaped({-2}), Shaped({-1, -1}), Shaped({2, -1, -1}), Shaped({-1, 0}),
        Shaped({0, -1}), Shaped({int64_t{1} << 31}),
        Shaped({int64_t{1} << 30, 0, 2}), Shaped({INT64_MAX, INT64_MAX, 0}),
        Shaped({-1}, {lengths}), Shaped({-1, -1, -1}, {lengths}),
        Shaped({2, -1, -1}, {lengths}), Shaped({0, 2, -1}, {lengths}),
        Shaped({-1, 2}, {threes}), Shaped({-1, -1, -1}, {threes}),
        Shaped({-1, -1, 0}, {starts})}) {
    ExpectBad(One(config), "x", "S12");
  }
  for (const FeatureConfig& config :
       {Shaped({-1}), Shaped({-1, 3}), Shaped({2, -1, 2}), Shaped({2, 0}),
        Shaped({-1, -1}, {lengths}), Shaped({-1, -1, 0}, {lengths}),
        Shaped({2, 3, -1}, {lengths}), Shaped({-1, 3}, {threes}),
        Shaped({2, -1, -1}, {threes}), Shaped({-1, 0}, {starts})}) {
    EXPECT_THAT(Plan::Compile(One(config)), IsOk());
  }
}

TEST(SpecCompilerTest, S13Encoding) {
  FeatureConfig config = FixedLen(DType::kBytes);
  config.encoding = Encoding::kZlib;
  ExpectBad(One(config), "x", "S13");
  config.as = DType::kUint8;
  EXPECT_THAT(Plan::Compile(One(config)), IsOk());
  config.item_shape = {2};
  ExpectBad(One(config), "x", "S13");
  config = With(Ragged(DType::kBytes), DType::kUint8);
  ExpectBad(One(config), "x", "S13");
  config.item_shape_key = "s";
  ExpectBad(One(config), "x", "S13");
  config.item_shape = {-1};
  ExpectBad(One(config), "x", "S13");
  config.item_shape = {-1, -1};
  EXPECT_THAT(Plan::Compile(One(config)), IsOk());
  ExpectBad(FeatureSpec().AddSequence("x", config), "x", "S13");
  config.item_shape_key = "";
  ExpectBad(One(config), "x", "S13");
}

TEST(SpecCompilerTest, S14Groups) {
  FeatureConfig config = VarLen(DType::kInt64);
  config.group = "g";
  ExpectBad(One(config), "x", "S14");
  config.layout = Layout::kRagged;
  EXPECT_THAT(Plan::Compile(One(config)), IsOk());
  ExpectBad(FeatureSpec().AddSequence("x", config), "x", "S14");
  config.dtype = DType::kBytes;
  config.as = DType::kUint8;
  config.item_shape = {-1};
  ExpectBad(One(config), "x", "S14");
}

TEST(SpecCompilerTest, S10TypesThatFit) {
  for (const DType narrow :
       {DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8,
        DType::kUint64, DType::kUint32, DType::kUint16, DType::kUint8}) {
    EXPECT_THAT(
        Plan::Compile(One(With(FixedLen(DType::kInt64).Default(127), narrow))),
        IsOk());
  }
  for (const DType narrow :
       {DType::kFloat, DType::kFloat16, DType::kBfloat16}) {
    EXPECT_THAT(
        Plan::Compile(One(With(FixedLen(DType::kFloat).Default(0.5), narrow))),
        IsOk());
  }
  EXPECT_THAT(Plan::Compile(One(With(
                  FixedLen(DType::kBytes)
                      .Default(DefaultValues(std::vector<std::string>{"a"})),
                  DType::kBytes))),
              IsOk());
}

TEST(SpecCompilerTest, AFixedLenAloneOnItsKeyIsDecodedInPlace) {
  const auto plan = Plan::Compile(FeatureSpec()
                                      .Add("a", FixedLen(DType::kInt64))
                                      .Add("b", VarLen(DType::kInt64)));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan::Program::Of(*plan).slots()[0].form, plan::SlotForm::kDense);
  EXPECT_EQ(plan::Program::Of(*plan).slots()[1].form, plan::SlotForm::kList);
}

TEST(SpecCompilerTest, ManyFeatures) {
  FeatureSpec spec;
  for (int i = 0; i < 65536; ++i) {
    spec.Add("feature_" + std::to_string(i), FixedLen(DType::kFloat, {3}));
  }
  const auto plan = OrThrow(Plan::Compile(spec));
  EXPECT_EQ(plan.tensors().size(), 65536u);
  EXPECT_EQ(plan::Program::Of(plan).dense_slots().size(), 65536u);
}

TEST(SpecCompilerTest, PrintsItself) {
  const auto plan = Plan::Compile(
      FeatureSpec()
          .Add("a", FixedLen(DType::kInt64, {2}))
          .Add("r", Ragged(DType::kFloat,
                           {{PartitionType::kRowSplits, "s"},
                            {PartitionType::kUniformRowLength, "", 2}},
                           "v"))
          .AddSequence("q", FixedLenSequence(DType::kBytes)));

  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->ToString(),
            "tensors of tf.train.SequenceExample: 3, of 4 keys\n"
            "  \"a\": fixed_len int64 [2], required, from key \"a\" in place\n"
            "  \"r\": ragged float with int32 splits, row_splits \"s\", "
            "rows of shape [-1, -1, 2], from key \"v\"\n"
            "  ##SEQUENCE##.\"q\": fixed_len_sequence bytes [], required, from "
            "key \"q\"\n");
}

TEST(SpecCompilerTest, PrintsEveryLayoutOfExamples) {
  FeatureConfig padded = VarLen(DType::kBytes);
  padded.pad_to = 7;
  FeatureConfig sparse = Sparse({"i", "j"}, "v", DType::kFloat, {3, -1});
  FeatureConfig sorted = Sparse({"i"}, "v", DType::kFloat, {3}, true);
  const Partition uniform{PartitionType::kUniformRowLength, "", 2};
  const auto plan = OrThrow(Plan::Compile(
      FeatureSpec()
          .Add("d", With(FixedLen(DType::kInt64, {2, 3})
                             .Default(DefaultValues(std::vector<int64_t>(6))),
                         DType::kInt8))
          .Add("s", sparse)
          .Add("o", sorted)
          .Add("p", padded)
          .Add("q", FixedLenSequence(DType::kInt64, {}, true))
          .Add("r", Ragged(DType::kFloat,
                           {uniform, {PartitionType::kRowLengths, "n"}}, "w",
                           DType::kInt64))));
  EXPECT_EQ(plan.ToString(),
            "tensors of tf.train.Example: 6, of 8 keys\n"
            "  \"d\": fixed_len int64 as int8 [2, 3], with a default, from key "
            "\"d\" in place\n"
            "  \"s\": sparse float of size [3, -1], index \"i\", index \"j\", "
            "from key \"v\"\n"
            "  \"o\": sparse float of size [3], index \"i\", already sorted, "
            "from key \"v\"\n"
            "  \"p\": var_len bytes, padded to 7, from key \"p\"\n"
            "  \"q\": fixed_len_sequence int64 [], from key \"q\"\n"
            "  \"r\": ragged float with int64 splits, uniform_row_length 2, "
            "row_lengths \"n\", rows of shape [-1, 2, -1], from key \"w\"\n");
  FeatureConfig arrays = With(Ragged(DType::kBytes), DType::kBool);
  arrays.encoding = Encoding::kZlib;
  arrays.shape = {-1};
  arrays.item_shape = {-1, -1};
  arrays.item_shape_key = "s";
  arrays.group = "steps";
  FeatureConfig bits = With(VarLen(DType::kInt64), DType::kUint64);
  bits.as_bits = true;
  EXPECT_EQ(
      OrThrow(Plan::Compile(FeatureSpec().Add("a", arrays).Add("b", bits)))
          .ToString(),
      "tensors of tf.train.Example: 2, of 3 keys\n"
      "  \"a\": ragged bytes as bool of zlib with int32 splits, arrays of "
      "shape [-1, -1] in key \"s\", group \"steps\", from key \"a\"\n"
      "  \"b\": var_len int64 as uint64 by bits, from key \"b\"\n");
  const auto one = Plan::Compile(One(FixedLen(DType::kFloat)));
  EXPECT_EQ(one->ToString(),
            "tensors of tf.train.Example: 1, of 1 key\n"
            "  \"x\": fixed_len float [], required, from key \"x\" in place\n");
}

}  // namespace
}  // namespace headrace::testing
