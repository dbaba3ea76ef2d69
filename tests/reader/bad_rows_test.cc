// A bad row leaves no trace (rule E5): wherever it stands, the columns found,
// the rows and the tensors are those of the file without it.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/reader.h"
#include "tests/naive/batch_tensors.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

struct BadRow {
  std::string name;
  std::string record;
  ErrorCode code = ErrorCode::kMalformed;
  // Bad whatever the other rows are: it may be the first that is seen.
  bool is_bad_alone = true;
};

// Rows without their origins.
std::vector<std::string> RowsOf(const Transcript& transcript) {
  std::vector<std::string> rows;
  for (const std::string& row : transcript.rows) {
    // Of tensors there is nothing behind it.
    rows.push_back(row.substr(std::min(row.find(' '), row.size())));
  }
  return rows;
}

std::string FoundIn(const std::string& path, const ReadOptions& options) {
  const auto reader = Reader::Open({path}, options);
  EXPECT_THAT(reader, IsOk());
  return reader.ok() ? reader->plan().ToString() : "";
}

// `records` hold the bad row at `place`, or its payload is damaged there.
void ExpectNoTraceInFile(const std::string& without, const std::string& with,
                         const Plan* plan, ErrorCode code, size_t place) {
  const TemporaryFile whole(without), file(with);
  for (const size_t threads : {1u, 2u}) {
    const ReadOptions options = {.on_corrupt = OnCorrupt::kSkip,
                                 .on_row_error = OnRowError::kSkip,
                                 .threads = threads};
    const Transcript expected = ReadAll({whole.path()}, options, plan);
    const Transcript read = ReadAll({file.path()}, options, plan);
    if (plan == nullptr) {
      EXPECT_EQ(FoundIn(file.path(), options), FoundIn(whole.path(), options));
    }
    EXPECT_THAT(read.status, IsOk());
    EXPECT_EQ(RowsOf(read), RowsOf(expected));
    EXPECT_EQ(read.tensors, expected.tensors);
    EXPECT_EQ(read.report.num_late, 0u);
    if (code == ErrorCode::kPayloadCrc) {
      EXPECT_EQ(read.report.num_regions, 1u);
      continue;
    }
    ASSERT_EQ(read.report.num_rows, 1u);
    EXPECT_THAT(read.report.rows[0], IsError(code, {.record = place}));
  }
}

void ExpectNoTraceInBatch(const std::vector<std::string>& good,
                          const std::vector<std::string>& records,
                          const Plan& plan, ErrorCode code, size_t place) {
  const std::vector<std::string_view> views(records.begin(), records.end());
  const std::vector<std::string_view> others(good.begin(), good.end());
  Decoder decoder(plan, {.on_row_error = OnRowError::kSkip});
  const auto batch = decoder.Decode(views);
  const std::vector<Status> skipped = decoder.skipped();
  const auto expected = decoder.Decode(others);
  ASSERT_THAT(batch, IsOk());
  ASSERT_THAT(expected, IsOk());
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_THAT(skipped[0], IsError(code, {.record = place}));
  EXPECT_EQ(ToText(ToNaive(*batch)), ToText(ToNaive(*expected)));
  EXPECT_EQ(ToText(TensorsOf(*batch)), ToText(TensorsOf(*expected)));
}

// A null plan: of columns found.
void ExpectNoTrace(const std::vector<std::string>& good,
                   const std::vector<BadRow>& bad_rows, const Plan* plan) {
  for (size_t place = 0; place <= good.size(); ++place) {
    for (const BadRow& bad : bad_rows) {
      if (plan == nullptr && place == 0 && !bad.is_bad_alone) continue;
      SCOPED_TRACE(bad.name + " at " + std::to_string(place));
      std::vector<std::string> records = good;
      records.insert(records.begin() + static_cast<ptrdiff_t>(place),
                     bad.record);
      ExpectNoTraceInFile(RecordFile(good), RecordFile(records), plan, bad.code,
                          place);
      if (plan != nullptr) {
        ExpectNoTraceInBatch(good, records, *plan, bad.code, place);
      }
    }
    SCOPED_TRACE("damage at " + std::to_string(place));
    std::vector<std::string> records = good;
    records.insert(records.begin() + static_cast<ptrdiff_t>(place),
                   ExampleBuilder().Int64s("only here", {1}).Build());
    DamagedFile damaged(records);
    damaged.FlipByte(damaged.offset(place + 1) - 5);
    ExpectNoTraceInFile(RecordFile(good), damaged.bytes(), plan,
                        ErrorCode::kPayloadCrc, place);
  }
}

// ------------------------------------------------------------------- Examples

ExampleBuilder Good(int64_t i) {
  return ExampleBuilder()
      .Int64s("a", {i, i + 1})
      .Bytes("b", {std::string(static_cast<size_t>(i), 'x')})
      .Floats("f", std::vector<float>(static_cast<size_t>(i % 3), 0.5f))
      .Unset("unset");
}

std::vector<std::string> GoodExamples() {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 4; ++i) records.push_back(Good(i).Build());
  return records;
}

std::vector<BadRow> BadExamples() {
  const auto begin = [] { return ExampleBuilder().Int64s("only here", {1}); };
  const std::string good = begin().Int64s("a", {1, 2}).Build();
  const auto list = [&](Kind kind, const std::string& run) {
    return begin().Feature("new", FeatureOf(kind, LenField(1, run))).Build();
  };
  return {
      {"cut", good.substr(0, good.size() - 1)},
      {"a group that is not closed", good + StartGroup(kUnknownField)},
      {"a key that is not UTF-8", begin().Int64s("\xFF", {1}).Build()},
      {"a varint of eleven bytes",
       list(Kind::kInt64, std::string(10, '\xFF') + '\x01')},
      {"a varint that is cut", list(Kind::kInt64, "\x01\x80")},
      {"packed floats of five bytes", list(Kind::kFloat, "12345")},
      {"another kind", begin().Bytes("a", {"x"}).Build(), ErrorCode::kWrongKind,
       /*is_bad_alone=*/false},
      {"another kind, empty", begin().Floats("b", {}).Build(),
       ErrorCode::kWrongKind, /*is_bad_alone=*/false},
  };
}

Plan ExamplePlan() {
  return *Plan::ForColumns({{"a", Kind::kInt64},
                            {"b", Kind::kBytes},
                            {"f", Kind::kFloat},
                            {"new", Kind::kInt64}});
}

TEST(BadRows, OfExamplesWithColumnsFound) {
  ExpectNoTrace(GoodExamples(), BadExamples(), nullptr);
}

TEST(BadRows, OfExamplesWithColumnsGiven) {
  const Plan plan = ExamplePlan();
  ExpectNoTrace(GoodExamples(), BadExamples(), &plan);
}

// ---------------------------------------------------------- SequenceExamples

std::string Sequence(const ExampleBuilder& context, const std::string& key,
                     const std::vector<std::string>& steps) {
  return context.Build() +
         FeatureListsField(EntryField(key, FeatureListOf(steps)));
}

std::vector<std::string> GoodSequences() {
  std::vector<std::string> records;
  for (int64_t i = 0; i < 4; ++i) {
    const auto value = static_cast<float>(i);
    records.push_back(Sequence(
        Good(i), "s", {FloatFeature({value}), "", FloatFeature({value, 2})}));
  }
  return records;
}

std::vector<BadRow> BadSequences() {
  std::vector<BadRow> bad = BadExamples();
  const auto context = ExampleBuilder().Int64s("only here", {1});
  const std::vector<std::string> mixed = {BytesFeature({"x"}),
                                          FloatFeature({1})};
  const ErrorCode wrong = ErrorCode::kWrongKind;
  bad.push_back({"steps of two kinds", Sequence(context, "s", mixed), wrong});
  bad.push_back({"steps of two kinds, the right one first",
                 Sequence(context, "s", {mixed[1], mixed[0]}), wrong});
  bad.push_back({"steps of another kind",
                 Sequence(context, "s", {"", Int64Feature({1})}), wrong,
                 /*is_bad_alone=*/false});
  bad.push_back({"a step that is cut",
                 Sequence(context, "s", {FloatFeature({1}), "\x12\x05\x0A"})});
  return bad;
}

// Of a list that no other record has.
BadRow MixedStepsOfANewList() {
  return {"steps of two kinds in a new list",
          Sequence(ExampleBuilder(), "only here",
                   {"", BytesFeature({}), FloatFeature({1})}),
          ErrorCode::kWrongKind};
}

TEST(BadRows, OfSequencesWithColumnsFound) {
  std::vector<BadRow> bad = BadSequences();
  bad.push_back(MixedStepsOfANewList());
  ExpectNoTrace(GoodSequences(), bad, nullptr);
}

TEST(BadRows, OfSequencesWithColumnsGiven) {
  const Plan plan = *Plan::ForColumns({{"a", Kind::kInt64},
                                       {"b", Kind::kBytes},
                                       {"new", Kind::kInt64},
                                       {"s", Kind::kFloat, true}});
  ExpectNoTrace(GoodSequences(), BadSequences(), &plan);
}

// A row with a list that no column has is judged after all of it: the last
// entry of a key counts.
TEST(BadRows, MixedStepsThatAreReplacedAreNoError) {
  const std::string mixed =
      EntryField("l", FeatureListOf({BytesFeature({"x"}), FloatFeature({1})}));
  const std::string right = EntryField("l", FeatureListOf({FloatFeature({1})}));
  const TemporaryFile replaced(
      RecordFile({GoodSequences()[0], FeatureListsField(mixed + right)}));
  const ReadOptions options = {.sample = 1};
  const Transcript read = ReadAll({replaced.path()}, options);
  EXPECT_THAT(read.status, IsOk());
  EXPECT_EQ(read.report.num_late, 1u);
  const TemporaryFile file(
      RecordFile({GoodSequences()[0], FeatureListsField(right + mixed)}));
  const Transcript failed = ReadAll({file.path()}, options);
  EXPECT_THAT(failed.status, IsError(ErrorCode::kWrongKind,
                                     {.feature = "l", .text = "step 1"}));
}

// -------------------------------------------------------------------- Tensors

std::string TensorRow(const std::vector<int64_t>& dense,
                      const std::vector<int64_t>& lengths,
                      const std::vector<int64_t>& at) {
  return ExampleBuilder()
      .Int64s("dense", dense)
      .Floats("values", {1, 2, 3})
      .Floats("weights", {1, 2, 3})
      .Int64s("lengths", lengths)
      .Int64s("at", at)
      .Build();
}

TEST(BadRows, OfTensors) {
  FeatureConfig sparse = Sparse({"at"}, "weights", DType::kFloat, {9});
  sparse.check_indices = true;
  const auto plan = OrThrow(Plan::Compile(
      FeatureSpec()
          .Add("dense", FixedLen(DType::kInt64, {2}))
          .Add("text",
               FixedLen(DType::kBytes)
                   .Default(DefaultValues(std::vector<std::string>{"none"})))
          .Add("ragged",
               Ragged(DType::kFloat, {{PartitionType::kRowLengths, "lengths"}},
                      "values"))
          .Add("sparse", sparse)));
  std::vector<std::string> good;
  for (int64_t i = 0; i < 3; ++i) {
    good.push_back(TensorRow({i, 1}, {i, 3 - i}, {i, 5, 7}));
  }
  const std::string right = TensorRow({1, 2}, {3}, {0, 1, 2});
  ExpectNoTrace(
      good,
      {{"cut", right.substr(0, right.size() - 1)},
       {"another kind", right + ExampleBuilder().Floats("dense", {1}).Build(),
        ErrorCode::kWrongKind},
       {"a value too many", TensorRow({1, 2, 3}, {3}, {0, 1, 2}),
        ErrorCode::kWrongCount},
       {"no value", ExampleBuilder().Floats("values", {}).Build(),
        ErrorCode::kMissingFeature},
       {"lengths too long", TensorRow({1, 2}, {2, 2}, {0, 1, 2}),
        ErrorCode::kBadPartition},
       {"too few indices", TensorRow({1, 2}, {3}, {0, 1}),
        ErrorCode::kBadSparseIndex},
       {"an index too large", TensorRow({1, 2}, {3}, {0, 1, 9}),
        ErrorCode::kBadSparseIndex}},
      &plan);
}

// A row that fits no batch.
TEST(BadRows, OfTheLimit) {
  const Plan plan = ExamplePlan();
  for (size_t place = 0; place <= 4; ++place) {
    std::vector<std::string> records = GoodExamples();
    records.insert(
        records.begin() + static_cast<ptrdiff_t>(place),
        ExampleBuilder().Int64s("a", std::vector<int64_t>(50'000, 1)).Build());
    const TemporaryFile file(RecordFile(records));
    const TemporaryFile whole(RecordFile(GoodExamples()));
    ReadOptions options = {.on_row_error = OnRowError::kSkip};
    options.limits.max_batch_bytes = 200'000;
    const Transcript read = ReadAll({file.path()}, options, &plan);
    EXPECT_THAT(read.status, IsOk());
    EXPECT_EQ(RowsOf(read), RowsOf(ReadAll({whole.path()}, options, &plan)));
    EXPECT_EQ(read.report.num_rows, 1u);
  }
}

}  // namespace
}  // namespace headrace::testing
