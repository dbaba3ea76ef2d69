// How many bytes of memory one byte of input may become: the table of
// docs/semantics.md. Of each kind of content that is small on the wire there
// is a record of it, so large that all else does not count.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/message.h"
#include "src/plan/infer/late_features.h"
#include "src/read/batch/batch_storage.h"
#include "tests/process/heap.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

constexpr size_t kUnits = 1'000'000;

std::string Repeated(std::string_view unit, size_t times) {
  std::string text;
  for (size_t i = 0; i < times; ++i) text += unit;
  return text;
}

std::string ListOf(Kind kind, std::string_view values) {
  return ExampleOf(EntryField("x", FeatureOf(kind, values)));
}

struct Cost {
  double first = 0;   // bytes a unit, in a first batch
  double steady = 0;  // in one that knows what those before needed
};

Cost CostOf(const Plan& plan, const std::vector<std::string_view>& records,
            size_t units) {
  Decoder decoder(plan);
  Cost cost;
  for (const bool is_first : {true, false}) {
    const auto batch = decoder.Decode(records);
    EXPECT_THAT(batch, IsOk());
    if (!batch.ok()) return cost;
    const auto used = static_cast<double>(
        reader::BatchStorage::Of(*batch)->columns().memory_used());
    (is_first ? cost.first : cost.steady) = used / static_cast<double>(units);
  }
  return cost;
}

// A first batch doubles its arrays as it grows and keeps the smaller ones.
void ExpectCost(const Cost& cost, double bytes) {
  EXPECT_GE(cost.steady, bytes * 0.99);
  EXPECT_LE(cost.steady, bytes * 1.13);
  EXPECT_LE(cost.first, bytes * 4.1);
}

Plan PlanOf(Kind kind, bool in_sequence = false) {
  return *Plan::ForColumns({{"x", kind, in_sequence}});
}

TEST(Amplification, PackedInt64OfOneByte) {
  const std::string record =
      ListOf(Kind::kInt64, LenField(1, std::string(kUnits, '\1')));
  ExpectCost(CostOf(PlanOf(Kind::kInt64), {record}, kUnits), 8);
}

TEST(Amplification, UnpackedInt64OfTwoBytes) {
  const std::string record =
      ListOf(Kind::kInt64, Repeated(VarintField(1, 1), kUnits));
  ExpectCost(CostOf(PlanOf(Kind::kInt64), {record}, kUnits), 8);
}

TEST(Amplification, FloatsOfFourBytes) {
  const std::string record =
      ListOf(Kind::kFloat, LenField(1, std::string(4 * kUnits, '\0')));
  ExpectCost(CostOf(PlanOf(Kind::kFloat), {record}, kUnits), 4);
}

TEST(Amplification, EmptyBytesValueOfTwoBytes) {
  const std::string record =
      ListOf(Kind::kBytes, Repeated(LenField(1, ""), kUnits));
  ExpectCost(CostOf(PlanOf(Kind::kBytes), {record}, kUnits),
             sizeof(std::string_view));
}

// An offset and a byte, and a bit where any step is null.
TEST(Amplification, EmptyStepOfTwoBytes) {
  const std::string record = FeatureListsField(
      EntryField("x", Repeated(LenField(kFeatureListStep, ""), kUnits)));
  ExpectCost(CostOf(PlanOf(Kind::kInt64, true), {record}, kUnits), 5.125);
}

// An offset and a byte a column that any row has, and a bit where any is null.
TEST(Amplification, EmptyRecordOfAColumn) {
  std::vector<std::string_view> records(kUnits / 10);
  const std::string one = ListOf(Kind::kInt64, VarintField(1, 1));
  records.front() = records.back() = one;
  ExpectCost(CostOf(PlanOf(Kind::kInt64), records, records.size()), 5.125);
}

// Columns that no row has share their offsets.
TEST(Amplification, EmptyRecordOfManyColumns) {
  std::vector<ColumnField> columns;
  for (int i = 0; i < 100; ++i) {
    columns.push_back({"x" + std::to_string(i), Kind::kInt64});
  }
  const std::vector<std::string_view> records(kUnits / 10);
  ExpectCost(CostOf(*Plan::ForColumns(columns), records, records.size()), 4);
}

// What the plan gives it: the default, and no more.
TEST(Amplification, EmptyRecordOfADefault) {
  constexpr size_t kElements = 100;
  const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add(
      "x", FixedLen(DType::kFloat, {kElements})
               .Default(DefaultValues(std::vector<float>(kElements, 1.0f))))));
  const std::vector<std::string_view> records(kUnits / 100);
  ExpectCost(CostOf(plan, records, records.size()), kElements * sizeof(float));
}

// A few bytes that announce gigabytes.
TEST(Amplification, DeclaredLengthsTakeNothing) {
  for (const uint64_t length :
       {(uint64_t{1} << 20), (uint64_t{1} << 31) - 1, uint64_t{1} << 31}) {
    for (const Kind kind : {Kind::kInt64, Kind::kFloat, Kind::kBytes}) {
      const std::string record = ListOf(kind, LenFieldDeclaring(1, length, ""));
      const std::string_view view = record;
      const size_t before = HeapBytes();
      Decoder decoder(PlanOf(kind));
      EXPECT_THAT(decoder.Decode({&view, 1}), HasCode(ErrorCode::kMalformed));
      // A decoder alone takes half of this.
      EXPECT_LE(HeapBytes(), before + 400'000);
    }
  }
}

// Skipped content becomes nothing.
TEST(Amplification, WhatThePlanDoesNotHave) {
  const std::string unknown = Repeated(VarintField(15, 1), kUnits);
  const std::string other = ExampleOf(EntryField(
      "other", FeatureOf(Kind::kInt64, LenField(1, std::string(kUnits, 1)))));
  const std::string entries = Repeated(LenField(kMapEntry, ""), kUnits);
  for (const std::string& record : {unknown, other, ExampleOf(entries)}) {
    const std::vector<std::string_view> records = {record};
    EXPECT_LE(CostOf(PlanOf(Kind::kInt64), records, kUnits).first, 0.01);
  }
}

// Entries of a key that the sample did not show: as many as differ are noted
// while their record is read, so that one that is there a million times costs
// what it costs once.
TEST(Amplification, LateKeys) {
  const std::string key = "late";
  infer::LateFeatures late;
  const size_t before = HeapBytes();
  for (size_t i = 0; i < kUnits; ++i) {
    late.Note(key, Kind::kInt64, /*in_columns=*/false, /*in_sequence=*/false,
              /*is_wrong=*/false);
  }
  EXPECT_LE(HeapBytes(), before + 200'000);
  late.CommitRow();
  EXPECT_EQ(late.total(), 1u);
}

// Only while a record is looked at to find columns or to explain an error.
TEST(Amplification, EmptyStepOfAMessage) {
  const std::string record = FeatureListsField(
      EntryField("x", Repeated(LenField(kFeatureListStep, ""), kUnits)));
  const size_t before = HeapBytes();
  const auto message = OrThrow(ParseMessage(record, MessageType::kSequence));
  EXPECT_EQ(message.feature_lists.at("x").size(), kUnits);
  EXPECT_LE(HeapBytes(), before + 2 * sizeof(Feature) * kUnits + 100'000);
  EXPECT_LE(sizeof(Feature), 80u);
}

}  // namespace
}  // namespace headrace::testing
