// A list that is broken at any of its values, or of another kind than the spec
// says, in every layout: TensorFlow's parser counted values in one pass and
// copied them in another, and the two did not agree.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "tests/naive/batch_tensors.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

constexpr size_t kValues = 4;

struct Place {
  std::string name;
  FeatureSpec spec;
  bool in_list = false;
};

// Every layout at every place that takes it; all read the key "x", in which
// good rows have four values.
std::vector<Place> Places(DType dtype) {
  const auto partition = Partition{.type = PartitionType::kUniformRowLength,
                                   .uniform_row_length = 2};
  const auto sparse = Sparse({"i"}, "x", dtype, {100});
  FeatureConfig padded = VarLen(dtype);
  padded.pad_to = 6;
  const FeatureSpec sequence(MessageType::kSequence);
  const auto in_list = [&](const FeatureConfig& config) {
    return FeatureSpec(sequence).AddSequence("x", config);
  };
  return {
      {"fixed", FeatureSpec().Add("x", FixedLen(dtype, {kValues}))},
      {"fixed sequence",
       FeatureSpec().Add("x", FixedLenSequence(dtype, {2}, true))},
      {"var", FeatureSpec().Add("x", VarLen(dtype))},
      {"padded", FeatureSpec().Add("x", padded)},
      {"sparse", FeatureSpec().Add("s", sparse)},
      {"ragged", FeatureSpec().Add("x", Ragged(dtype))},
      {"partitioned", FeatureSpec().Add("r", Ragged(dtype, {partition}, "x"))},
      {"context fixed",
       FeatureSpec(sequence).Add("x", FixedLen(dtype, {kValues}))},
      {"context var", FeatureSpec(sequence).Add("x", VarLen(dtype))},
      {"context ragged", FeatureSpec(sequence).Add("x", Ragged(dtype))},
      {"list of sequences", in_list(FixedLenSequence(dtype, {kValues})), true},
      {"list of var", in_list(VarLen(dtype)), true},
      {"list of ragged", in_list(Ragged(dtype)), true},
  };
}

Kind KindOf(DType dtype) {
  return dtype == DType::kInt64   ? Kind::kInt64
         : dtype == DType::kFloat ? Kind::kFloat
                                  : Kind::kBytes;
}

std::string GoodValues(DType dtype) {
  if (dtype == DType::kInt64) return PackedInt64s({1, 2, 3, 300});
  if (dtype == DType::kFloat) return PackedFloats({1, 2, 3, 4});
  return BytesValues({"a", "", "longer than that", "d"});
}

// A record whose feature, or second of three steps, has these contents.
std::string RecordOf(const Place& place, DType dtype,
                     const std::string& feature) {
  if (!place.in_list) {
    return ExampleOf(EntryField("i", Int64Feature({0, 1, 2, 3})) +
                     EntryField("x", feature));
  }
  const std::string good = FeatureOf(KindOf(dtype), GoodValues(dtype));
  return FeatureListsField(
      EntryField("x", FeatureListOf({good, feature, good})));
}

// Lists that end in the midst of one of their values, or seem to go on behind
// their end.
std::vector<std::string> BrokenLists(DType dtype) {
  std::vector<std::string> lists;
  for (size_t broken = 0; broken < kValues; ++broken) {
    std::string before;
    for (size_t i = 0; i < broken; ++i) {
      before += dtype == DType::kInt64   ? VarintField(1, 300)
                : dtype == DType::kFloat ? Fixed32Field(1, 300)
                                         : LenField(1, "value");
    }
    const std::string after = LenField(1, dtype == DType::kBytes ? "abcd" : "");
    // As one value of kind bytes, and as a packed run of the others.
    for (const uint64_t more :
         {uint64_t{1}, uint64_t{5}, uint64_t{1000}, (uint64_t{1} << 31) - 6,
          uint64_t{1} << 31, (uint64_t{1} << 32) - 5, uint64_t{1} << 32}) {
      lists.push_back(before + LenFieldDeclaring(1, 4 + more, "abcd"));
      lists.push_back(before + LenFieldDeclaring(1, 1000 + more, "abcd") +
                      after);
    }
    lists.push_back(before + "\x0a");
    lists.push_back(before + "\x0a\x80");
    if (dtype == DType::kInt64) lists.push_back(before + LenField(1, "\x80"));
    if (dtype == DType::kInt64) lists.push_back(before + "\x08\x80");
    if (dtype == DType::kFloat) lists.push_back(before + LenField(1, "abc"));
    if (dtype == DType::kFloat) lists.push_back(before + "\x0d" + "abc");
  }
  return lists;
}

Result<Batch> DecodeWith(const Plan& plan, OnRowError on_row_error,
                         const std::vector<std::string_view>& records) {
  Decoder decoder(plan, {.on_row_error = on_row_error});
  return decoder.Decode(records);
}

// The record is refused, and leaves nothing.
void ExpectRefused(const Place& place, const Plan& plan, DType dtype,
                   const std::string& bad, ErrorCode code) {
  const std::string good =
      RecordOf(place, dtype, FeatureOf(KindOf(dtype), GoodValues(dtype)));
  EXPECT_THAT(DecodeWith(plan, OnRowError::kFail, {good, bad, good}),
              IsError(code, {.record = 1u}));
  const auto expected =
      OrThrow(DecodeWith(plan, OnRowError::kFail, {good, good}));
  EXPECT_EQ(Difference(TensorsOf(expected), DecodeWith(plan, OnRowError::kSkip,
                                                       {good, bad, good, bad})),
            "");
}

constexpr DType kTypes[] = {DType::kInt64, DType::kFloat, DType::kBytes};

TEST(BrokenListsTest, AtEveryValueOfEveryLayout) {
  ForEachTarget([] {
    for (const DType dtype : kTypes) {
      for (const Place& place : Places(dtype)) {
        SCOPED_TRACE(place.name);
        const auto plan = OrThrow(Plan::Compile(place.spec));
        for (const std::string& list : BrokenLists(dtype)) {
          ExpectRefused(place, plan, dtype,
                        RecordOf(place, dtype, FeatureOf(KindOf(dtype), list)),
                        ErrorCode::kMalformed);
        }
      }
    }
  });
}

TEST(BrokenListsTest, OfEveryOtherKind) {
  ForEachTarget([] {
    for (const DType dtype : kTypes) {
      for (const Place& place : Places(dtype)) {
        SCOPED_TRACE(place.name);
        const auto plan = OrThrow(Plan::Compile(place.spec));
        for (const DType other : kTypes) {
          if (other == dtype) continue;
          for (const std::string& list : {GoodValues(other), std::string()}) {
            ExpectRefused(
                place, plan, dtype,
                RecordOf(place, dtype, FeatureOf(KindOf(other), list)),
                ErrorCode::kWrongKind);
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace headrace::testing
