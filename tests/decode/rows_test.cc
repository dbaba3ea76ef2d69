// What a row is: duplicates, kinds, errors, and that a bad row leaves nothing.
//
// The naive decoder says the same (the other tests here); these are the rules
// one by one, spelled out.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

using Ints = Cells<int64_t>;

Plan PlanFor(std::vector<ColumnField> columns) {
  auto plan = Plan::ForColumns(std::move(columns));
  EXPECT_THAT(plan, IsOk());
  return *plan;
}

Decoder StrictDecoder(std::vector<ColumnField> columns,
                      OnRowError policy = OnRowError::kFail) {
  DecodeOptions options = {.on_row_error = policy, .verify_unselected = true};
  return Decoder(PlanFor(std::move(columns)), options);
}

Result<Batch> Decode(Decoder& decoder, const std::vector<std::string>& rows) {
  const std::vector<std::string_view> records(rows.begin(), rows.end());
  return decoder.Decode(records);
}

// One record, column "a" as int64, on every target.
void ExpectCell(const std::string& record,
                std::optional<std::vector<int64_t>> cell) {
  ForEachTarget([&] {
    Decoder decoder = StrictDecoder({{"a", Kind::kInt64}});
    const auto batch = OrThrow(Decode(decoder, {record}));
    EXPECT_THAT(batch.columns(), ElementsAre(ColumnIs<int64_t>("a", {cell})))
        << ToHex(record);
  });
}

void ExpectError(const std::string& record, ErrorCode code) {
  ForEachTarget([&] {
    Decoder decoder = StrictDecoder({{"a", Kind::kInt64}});
    EXPECT_THAT(Decode(decoder, {record}), HasCode(code)) << ToHex(record);
  });
}

const std::string kOneTwo = Int64Feature({1, 2});
const std::string kThree = Int64Feature({3});
const std::string kEmpty = FeatureOf(Kind::kInt64, "");
const std::string kFloats = FloatFeature({1.0f});
const std::string kUnset = "";

std::string Entries(const std::vector<std::string>& features) {
  std::string entries;
  for (const std::string& feature : features) {
    entries += EntryField("a", feature);
  }
  return ExampleOf(entries);
}

std::string OneEntry(const std::vector<std::string>& values) {
  std::string entry = LenField(kEntryKey, "a");
  for (const std::string& value : values) {
    entry += LenField(kEntryValue, value);
  }
  return ExampleOf(LenField(kMapEntry, entry));
}

TEST(Rows, NullAndEmpty) {
  ExpectCell("", std::nullopt);
  ExpectCell(ExampleOf(""), std::nullopt);
  ExpectCell(Entries({kUnset}), std::nullopt);
  ExpectCell(Entries({VarintField(9, 1)}), std::nullopt);
  ExpectCell(Entries({kEmpty}), {{}});
  ExpectCell(Entries({Int64Feature({7})}), {{7}});
}

TEST(Rows, LaterEntryReplacesEarlier) {
  ExpectCell(Entries({kOneTwo, kThree}), {{3}});
  ExpectCell(Entries({kOneTwo, kEmpty}), {{}});
  ExpectCell(Entries({kOneTwo, kUnset}), std::nullopt);
  ExpectCell(Entries({kUnset, kOneTwo}), {{1, 2}});
  ExpectCell(Entries({kOneTwo, kThree, kOneTwo, kThree}), {{3}});
  ExpectCell(Entries({kOneTwo}) + Entries({kThree}), {{3}});
}

TEST(Rows, ValuesInOneEntryMerge) {
  ExpectCell(OneEntry({kOneTwo, kThree}), {{1, 2, 3}});
  ExpectCell(OneEntry({kOneTwo, kUnset}), {{1, 2}});
  ExpectCell(OneEntry({kOneTwo, kEmpty, kThree}), {{1, 2, 3}});
  ExpectCell(OneEntry({kOneTwo + kThree}), {{1, 2, 3}});
  ExpectCell(OneEntry({kFloats, kThree}), {{3}});
  ExpectCell(OneEntry({kOneTwo, kFloats, kThree}), {{3}});
  ExpectCell(OneEntry({kOneTwo + kFloats + kThree}), {{3}});
}

TEST(Rows, WrongKind) {
  ExpectError(Entries({kFloats}), ErrorCode::kWrongKind);
  ExpectError(Entries({FeatureOf(Kind::kFloat, "")}), ErrorCode::kWrongKind);
  ExpectError(Entries({kOneTwo, kFloats}), ErrorCode::kWrongKind);
  ExpectError(OneEntry({kOneTwo, kFloats}), ErrorCode::kWrongKind);
}

TEST(Rows, WrongKindReplacedIsNoError) {
  ExpectCell(Entries({kFloats, kThree}), {{3}});
  ExpectCell(Entries({kFloats, kUnset}), std::nullopt);
  ExpectCell(Entries({kOneTwo, kFloats, kThree}), {{3}});
  ExpectCell(Entries({BytesFeature({"x"}), kFloats, kEmpty}), {{}});
}

// A record is walked to its end before a kind is complained about.
TEST(Rows, MalformedGoesBeforeWrongKind) {
  ExpectError(Entries({kFloats}) + Hex("00"), ErrorCode::kMalformed);
  ExpectError(Entries({kFloats}) + Hex("0a05"), ErrorCode::kMalformed);
  ExpectError(Entries({kFloats, Hex("1a01")}), ErrorCode::kMalformed);
}

TEST(Rows, MalformedIsMalformedEvenIfReplaced) {
  const std::string broken = FeatureOf(Kind::kInt64, LenField(1, Hex("80")));
  ExpectError(Entries({broken, kThree}), ErrorCode::kMalformed);
  ExpectError(OneEntry({broken, kFloats, kThree}), ErrorCode::kMalformed);
}

TEST(Rows, LowestBadRecordIsReported) {
  ForEachTarget([&] {
    Decoder decoder = StrictDecoder({{"a", Kind::kInt64}});
    const auto result = Decode(decoder, {Entries({kOneTwo}), Entries({kFloats}),
                                         Hex("00"), Entries({kFloats})});
    EXPECT_THAT(result, IsError(ErrorCode::kWrongKind, {.feature = "a",
                                                        .record = 1u,
                                                        .expected = "int64",
                                                        .found = "float"}));
  });
}

TEST(Rows, BadRowsLeaveNothing) {
  // Bad after it has filled every column, good rows on both sides.
  const std::string good = ExampleBuilder()
                               .Int64s("a", {1, 2, 3})
                               .Bytes("b", {"x", "yz"})
                               .Floats("f", {0.5f})
                               .Build();
  const std::string late = good + Hex("0a");
  const std::string wrong = good + ExampleBuilder().Bytes("f", {"!"}).Build();
  const std::vector<ColumnField> columns = {
      {"a", Kind::kInt64}, {"b", Kind::kBytes}, {"f", Kind::kFloat}};
  ForEachTarget([&] {
    Decoder decoder = StrictDecoder(columns, OnRowError::kSkip);
    const auto batch = OrThrow(
        Decode(decoder, {late, good, wrong, wrong, "", late, good, late}));
    EXPECT_EQ(batch.num_rows(), 3u);
    EXPECT_THAT(batch.columns()[0],
                ColumnIs<int64_t>("a", {{{1, 2, 3}}, {}, {{1, 2, 3}}}));
    EXPECT_THAT(
        batch.columns()[1],
        ColumnIs<std::string_view>("b", {{{"x", "yz"}}, {}, {{"x", "yz"}}}));
    EXPECT_THAT(batch.columns()[2],
                ColumnIs<float>("f", {{{0.5f}}, {}, {{0.5f}}}));
    ASSERT_EQ(decoder.skipped().size(), 5u);
    EXPECT_THAT(decoder.skipped()[0], HasCode(ErrorCode::kMalformed));
    EXPECT_THAT(decoder.skipped()[1],
                IsError(ErrorCode::kWrongKind, {.record = 2u}));
    EXPECT_EQ(decoder.skipped()[4].info()->record, 7u);
    ASSERT_EQ(batch.origins().size(), 3u);
    EXPECT_EQ(batch.origins()[0].record, 1u);
    EXPECT_EQ(batch.origins()[2].record, 6u);
  });
}

TEST(Rows, DecoderIsUsableAfterAnError) {
  Decoder decoder = StrictDecoder({{"a", Kind::kInt64}});
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(Decode(decoder, {Entries({kOneTwo}), Entries({kFloats})}),
                HasCode(ErrorCode::kWrongKind));
    const auto batch = OrThrow(Decode(decoder, {Entries({kThree}), ""}));
    EXPECT_THAT(batch.columns(),
                ElementsAre(ColumnIs<int64_t>("a", Ints{{{3}}, {}})));
    EXPECT_TRUE(decoder.skipped().empty());
  }
}

// Batches outlive the decoder and the records that were not padded.
TEST(Rows, BatchesOwnWhatTheyPointTo) {
  Batch kept;
  {
    Decoder decoder = StrictDecoder({{"b", Kind::kBytes}});
    std::vector<std::string> rows = {
        ExampleBuilder().Bytes("b", {"one", ""}).Build()};
    kept = *Decode(decoder, rows);
    rows[0].assign(rows[0].size(), '!');
    const Batch other =
        *Decode(decoder, {ExampleBuilder().Bytes("b", {"two"}).Build()});
    EXPECT_THAT(other.columns()[0],
                ColumnIs<std::string_view>("b", {{{"two"}}}));
  }
  EXPECT_THAT(kept.columns()[0],
              ColumnIs<std::string_view>("b", {{{"one", ""}}}));
}

TEST(Rows, NoColumnsStillCountRows) {
  Decoder decoder = StrictDecoder({});
  const auto batch = OrThrow(Decode(decoder, {"", Entries({kOneTwo})}));
  EXPECT_EQ(batch.num_rows(), 2u);
  EXPECT_TRUE(batch.columns().empty());
  EXPECT_THAT(Decode(decoder, {Hex("00")}), HasCode(ErrorCode::kMalformed));
}

TEST(Rows, NoRecords) {
  Decoder decoder = StrictDecoder({{"a", Kind::kInt64}, {"n", Kind::kNull}});
  const auto batch = OrThrow(Decode(decoder, {}));
  EXPECT_EQ(batch.num_rows(), 0u);
  EXPECT_THAT(batch.columns()[0], ColumnIs<int64_t>("a", {}));
  EXPECT_EQ(BrokenPromise(batch), "");
}

TEST(Rows, TooLongARecord) {
  DecodeOptions options;
  options.limits.max_record_bytes = 10;
  Decoder decoder(PlanFor({{"a", Kind::kInt64}}), options);
  const std::string record = Entries({kOneTwo});
  ASSERT_GT(record.size(), 10u);
  EXPECT_THAT(Decode(decoder, {"", record}), HasCode(ErrorCode::kTooLarge));
}

TEST(Rows, MemoryIsBounded) {
  DecodeOptions options;
  options.limits.max_batch_bytes = 1 << 16;
  Decoder decoder(PlanFor({{"a", Kind::kInt64}}), options);
  const std::string record =
      Entries({Int64Feature(std::vector<int64_t>(100000, 1))});
  EXPECT_THAT(Decode(decoder, {record}), HasCode(ErrorCode::kLimit));
  EXPECT_THAT(Decode(decoder, {Entries({kThree})}), IsOk());
}

// What earlier batches needed is no reason to refuse a small one.
TEST(Rows, EarlierBatchesDoNotUseUpTheBudget) {
  constexpr size_t kValues = 5000;
  DecodeOptions options;
  options.limits.max_batch_bytes = 2 * kValues * sizeof(int64_t);
  std::vector<ColumnField> columns;
  for (const char* name : {"a", "b", "c", "d"}) {
    columns.push_back({name, Kind::kInt64});
  }
  Decoder decoder(PlanFor(columns), options);
  std::vector<int64_t> many(kValues, 1);
  ExampleBuilder small;
  for (const ColumnField& column : columns) {
    const std::string large =
        ExampleBuilder().Int64s(column.name, many).Build();
    EXPECT_THAT(Decode(decoder, {large}), IsOk());
    small.Int64s(column.name, {1});
  }
  EXPECT_THAT(Decode(decoder, {small.Build()}), IsOk());
}

}  // namespace
}  // namespace headrace::testing
