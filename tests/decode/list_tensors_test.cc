// Lists of Examples: random ones beside the naive way, and hostile ones.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/schema.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/message_judge.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/protobuf_oracle.h"
#include "tests/random/mutator.h"
#include "tests/random/random_lists.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

using ListRecords = std::vector<std::string>;

constexpr int kListSpecs = kInstrumented ? 40 : 150;
constexpr size_t kListBatches = 6;

class ListsRandom : public ::testing::TestWithParam<MessageType> {};

INSTANTIATE_TEST_SUITE_P(Messages, ListsRandom,
                         ::testing::Values(MessageType::kElwc,
                                           MessageType::kExampleInExample),
                         [](const auto& message) {
                           return message.param == MessageType::kElwc
                                      ? "Elwc"
                                      : "ExampleInExample";
                         });

template <class Make>
void CheckLists(MessageType message, uint64_t seed, const Make& make,
                DecodeAgreement* agreement) {
  RandomLists lists(seed);
  for (int i = 0; i < kListSpecs && !agreement->enough(); ++i) {
    const FeatureSpec spec = lists.NextSpec(message);
    DecodeAgreement::Batches batches(kListBatches);
    for (size_t rows = 0; rows < kListBatches; ++rows) {
      for (size_t row = 0; row < rows; ++row) {
        batches[rows].push_back(make(spec, &lists));
      }
    }
    SCOPED_TRACE("spec " + std::to_string(i));
    agreement->Check(spec, batches);
  }
}

TEST_P(ListsRandom, RecordsThatMostlyFit) {
  DecodeAgreement agreement;
  CheckLists(
      GetParam(), /*seed=*/41,
      [](const FeatureSpec& spec, RandomLists* lists) {
        return lists->NextRecord(spec);
      },
      &agreement);
  agreement.ExpectOften(
      {ErrorCode::kOk, ErrorCode::kWrongKind, ErrorCode::kMissingFeature},
      kListSpecs / 10);
}

TEST_P(ListsRandom, BatchesWithMutatedRecords) {
  Mutator mutator(/*seed=*/42);
  Random random(/*seed=*/43);
  DecodeAgreement agreement;
  CheckLists(
      GetParam(), /*seed=*/44,
      [&](const FeatureSpec& spec, RandomLists* lists) {
        const std::string record = lists->NextRecord(spec);
        return random.OneIn(3) ? mutator.Mutate(record) : record;
      },
      &agreement);
}

// A list of Examples of one number each.
std::string ListOfNumbers(const std::vector<int64_t>& numbers) {
  ListRecords examples;
  for (const int64_t number : numbers) {
    examples.push_back(ExampleOf(EntryField("n", Int64Feature({number}))));
  }
  return RandomLists::ListOf(ExampleOf(EntryField("q", Int64Feature({7}))),
                             examples, MessageType::kElwc);
}

FeatureSpec SpecOfNumbers(int64_t list_size = 0) {
  return FeatureSpec(MessageType::kElwc)
      .Add("q", FixedLen(DType::kInt64).Default(-1))
      .AddToExamples("n", FixedLen(DType::kInt64).Default(-2))
      .SetLists({.list_size = list_size});
}

Result<Batch> DecodeLists(const FeatureSpec& spec, const ListRecords& records,
                          const DecodeOptions& options = {}) {
  const std::vector<std::string_view> views(records.begin(), records.end());
  return Decoder(*Plan::Compile(spec), options).Decode(views);
}

std::vector<int64_t> NumbersOf(const Batch& batch) {
  const auto values = batch.FindTensor("n", true)->int64s();
  return {values.begin(), values.end()};
}

TEST(ListTensors, ManyExamples) {
  std::vector<int64_t> many(100'000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int64_t>(i);
  const auto batch = DecodeLists(SpecOfNumbers(), {ListOfNumbers(many)});
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  EXPECT_EQ(NumbersOf(*batch), many);
}

// What a short list costs beside a long one is counted before it is taken.
TEST(ListTensors, FewBytesMustNotTakeAllMemory) {
  ListRecords records = {ListOfNumbers(std::vector<int64_t>(200'000))};
  records.resize(2000, ListOfNumbers({1}));
  const auto batch = DecodeLists(SpecOfNumbers(), records,
                                 {.limits = {.max_batch_bytes = 64 << 20}});
  EXPECT_EQ(batch.status().code(), ErrorCode::kLimit);
  const auto fixed =
      DecodeLists(SpecOfNumbers(int64_t{1} << 30), {ListOfNumbers({1})});
  EXPECT_EQ(fixed.status().code(), ErrorCode::kLimit);
}

// A batch ends before the list that would make it too large.
TEST(ListTensors, ABatchEndsBeforeItTakesTooMuch) {
  constexpr size_t kShort = 300;
  ListRecords records(kShort, ListOfNumbers({1}));
  records.push_back(ListOfNumbers(std::vector<int64_t>(100'000)));
  records.resize(2 * kShort + 1, ListOfNumbers({1}));
  const TemporaryFile file(RecordFile(records));
  ReadOptions options = {.batch_size = records.size()};
  options.limits.max_batch_bytes = 64 << 20;
  auto reader =
      Reader::Open({file.path()}, *Plan::Compile(SpecOfNumbers()), options);
  ASSERT_TRUE(reader.ok());
  size_t rows = 0;
  size_t batches = 0;
  while (const auto batch = reader->Next()) {
    rows += batch->num_rows();
    ++batches;
  }
  EXPECT_TRUE(reader->status().ok()) << reader->status().ToString();
  EXPECT_EQ(rows, records.size());
  EXPECT_GT(batches, 2u);
}

// A row that fails takes those before it in its list with it, in every form
// that columns have by then.
TEST(ListTensors, BadListsLeaveNothing) {
  const std::string bad_kind =
      LenField(1, ExampleOf(EntryField("n", FloatFeature({1}))));
  for (const size_t good : std::initializer_list<size_t>{0, 1, 3, 40, 700}) {
    ListRecords records, rest;
    for (size_t i = 0; i < good; ++i) {
      records.push_back(ListOfNumbers({static_cast<int64_t>(i), 5, 6}));
      rest.push_back(records.back());
      records.push_back(ListOfNumbers({9, 9, 9, 9}) + bad_kind);
    }
    const DecodeOptions skip{.on_row_error = OnRowError::kSkip};
    const auto skipped = DecodeLists(SpecOfNumbers(), records, skip);
    const auto expected = DecodeLists(SpecOfNumbers(), rest);
    ASSERT_TRUE(skipped.ok() && expected.ok());
    EXPECT_EQ(NumbersOf(*skipped), NumbersOf(*expected));
    EXPECT_EQ(skipped->num_rows(), good);
  }
}

TEST(ListTensors, GroupsMayBeNestedOneLevelLessDeep) {
  for (const size_t depth : std::initializer_list<size_t>{98, 99, 100, 101}) {
    const std::string groups = NestedGroups(5, depth);
    for (const std::string& record :
         {groups, LenField(1, groups), LenField(2, groups)}) {
      const bool accepted = ProtobufParseList(record).has_value();
      EXPECT_EQ(ParseMessage(record, MessageType::kElwc).ok(), accepted);
      EXPECT_EQ(DecodeLists(SpecOfNumbers(), {record}).ok(), accepted) << depth;
    }
  }
}

TEST(ListTensors, ErrorsNameThePlaceInTheList) {
  const std::string record =
      ListOfNumbers({1, 2}) +
      LenField(1, ExampleOf(EntryField("n", FloatFeature({1}))));
  const auto wrong = DecodeLists(SpecOfNumbers(), {ListOfNumbers({}), record});
  EXPECT_EQ(wrong.status().code(), ErrorCode::kWrongKind);
  EXPECT_EQ(wrong.status().info()->record, 1u);
  EXPECT_EQ(wrong.status().info()->feature, "n");
  EXPECT_NE(wrong.status().message().find("Example 2 of the list"),
            std::string_view::npos);
  const auto malformed = DecodeLists(
      SpecOfNumbers(), {LenField(2, ExampleOf(EntryField("q", "\xff")))});
  EXPECT_EQ(malformed.status().code(), ErrorCode::kMalformed);
  EXPECT_NE(malformed.status().message().find("context"),
            std::string_view::npos);
}

TEST(ListTensors, MalformedIsWorseThanAnythingElse) {
  const std::string bad_kind =
      LenField(1, ExampleOf(EntryField("n", FloatFeature({1}))));
  const auto batch =
      DecodeLists(SpecOfNumbers(1), {bad_kind + LenField(1, "\xff")});
  EXPECT_EQ(batch.status().code(), ErrorCode::kMalformed);
}

TEST(ListTensors, SpecsThatAreRefused) {
  const auto code = [](const FeatureSpec& spec) {
    return Plan::Compile(spec).status().code();
  };
  EXPECT_EQ(code(FeatureSpec(MessageType::kElwc)), ErrorCode::kOk);
  EXPECT_EQ(code(SpecOfNumbers(int64_t{1} << 31)), ErrorCode::kBadSpec);
  EXPECT_EQ(code(SpecOfNumbers().SetLists({.size_feature_name = "n"})),
            ErrorCode::kBadSpec);
  EXPECT_EQ(code(SpecOfNumbers().SetLists({.mask_feature_name = "q"})),
            ErrorCode::kBadSpec);
  EXPECT_EQ(code(SpecOfNumbers().SetLists(
                {.size_feature_name = "x", .mask_feature_name = "x"})),
            ErrorCode::kBadSpec);
  EXPECT_EQ(code(SpecOfNumbers().AddToExamples("q", VarLen(DType::kInt64))),
            ErrorCode::kOk);
}

TEST(ListTensors, SchemasHaveNoLists) {
  EXPECT_EQ(Plan::ForColumnsOf(Schema(), MessageType::kElwc).status().code(),
            ErrorCode::kBadSpec);
  EXPECT_EQ(Plan::Compile(Schema(), {}, MessageType::kElwc).status().code(),
            ErrorCode::kBadSpec);
}

TEST(ListTensors, SpecsAreTheSameAsJson) {
  RandomLists lists(/*seed=*/45);
  for (const auto message :
       {MessageType::kElwc, MessageType::kExampleInExample}) {
    for (int i = 0; i < 50; ++i) {
      const FeatureSpec spec = lists.NextSpec(message);
      const auto read = FeatureSpec::FromJson(spec.ToJson());
      ASSERT_TRUE(read.ok()) << read.status().ToString();
      EXPECT_EQ(read->ToJson(), spec.ToJson());
    }
  }
}

// Columns of the Examples are like feature lists with a step an Example.
TEST(ListColumns, AreThoseOfTheMessages) {
  const std::vector<ColumnField> columns = {
      {"q", Kind::kInt64},
      {"n", Kind::kInt64, /*in_sequence=*/true},
      {"absent", Kind::kFloat, /*in_sequence=*/true}};
  const ListRecords records = {ListOfNumbers({1, 2, 3}), "", ListOfNumbers({}),
                               LenField(1, "") + ListOfNumbers({4})};
  const std::vector<std::string_view> views(records.begin(), records.end());
  const auto plan =
      Plan::ForColumns(columns, MessageType::kElwc, /*sequence_struct=*/false);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  const auto batch = Decoder(*plan).Decode(views);
  ASSERT_TRUE(batch.ok()) << batch.status().ToString();
  ASSERT_EQ(batch->columns().size(), 3u);
  EXPECT_TRUE(batch->columns()[0].IsNull(1));
  const Column& numbers = batch->columns()[1];
  EXPECT_EQ(std::vector<int32_t>(numbers.offsets, numbers.offsets + 5),
            std::vector<int32_t>({0, 3, 3, 3, 5}));
  EXPECT_TRUE(numbers.IsNullStep(3));
  EXPECT_FALSE(numbers.IsNullStep(4));
  EXPECT_EQ(
      std::vector<int64_t>(numbers.int64s().begin(), numbers.int64s().end()),
      std::vector<int64_t>({1, 2, 3, 4}));
  EXPECT_EQ(batch->columns()[2].num_steps(), 5u);
  EXPECT_EQ(batch->columns()[2].step_null_count, 5u);
}

TEST(ListMessages, AreReadAndWritten) {
  RandomLists lists(/*seed=*/46);
  for (int i = 0; i < 300; ++i) {
    const FeatureSpec spec = lists.NextSpec(MessageType::kElwc);
    const std::string record = lists.NextRecord(spec);
    const auto message = ParseMessage(record, MessageType::kElwc);
    const auto expected = ProtobufParseList(record);
    ASSERT_EQ(message.ok(), expected.has_value());
    if (!message.ok()) continue;
    const auto written = SerializeMessage(*message);
    ASSERT_TRUE(written.ok());
    const auto again = ProtobufParseList(*written);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(Agree(*again, *expected));
  }
}

TEST(ListMessages, LookLikeThemselvesAlone) {
  EXPECT_TRUE(LooksLikeElwc(ListOfNumbers({1, 2})));
  EXPECT_FALSE(LooksLikeElwc(""));
  EXPECT_FALSE(LooksLikeElwc("\xff"));
  RandomExample examples(/*seed=*/47, {.plain = true});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(LooksLikeElwc(examples.Next()));
    EXPECT_FALSE(LooksLikeElwc(examples.NextSequence()));
  }
}

// The type that a judge finds.
MessageType Chosen(const ListRecords& records) {
  MessageJudge judge;
  for (const std::string& record : records) judge.Look(record);
  return judge.message();
}

TEST(ListMessages, AreChosenBeforeAnyExample) {
  const std::string list = ListOfNumbers({1, 2});
  const std::string example = ExampleBuilder().Int64s("a", {1}).Build();
  const std::string sequence =
      FeatureListsField(EntryField("s", FeatureListOf({Int64Feature({1})})));
  // Read as a SequenceExample it has a feature list, whose name is bytes.
  EXPECT_TRUE(HasFeatureLists(list));
  EXPECT_EQ(Chosen({}), MessageType::kExample);
  EXPECT_EQ(Chosen({list}), MessageType::kElwc);
  EXPECT_EQ(Chosen({"", list}), MessageType::kElwc);
  EXPECT_EQ(Chosen({"\xff", list}), MessageType::kElwc);
  EXPECT_EQ(Chosen({list, example}), MessageType::kElwc);
  EXPECT_EQ(Chosen({example, list}), MessageType::kExample);
  EXPECT_EQ(Chosen({example, list, sequence}), MessageType::kSequence);
  EXPECT_EQ(Chosen({sequence, list}), MessageType::kSequence);
  ListRecords late(100);
  late.push_back(list);
  EXPECT_EQ(Chosen(late), MessageType::kExample);
}

TEST(ListMessages, ErrorsOfOtherTypesSayWhatTheyLookLike) {
  const std::string list = RandomLists::ListOf(
      "", {ExampleOf(EntryField("t", BytesFeature({"\xff"})))},
      MessageType::kElwc);
  for (const MessageType type :
       {MessageType::kExample, MessageType::kSequence}) {
    const Status error = ParseMessage(list, type).status();
    EXPECT_EQ(error.code(), ErrorCode::kMalformed);
    EXPECT_NE(error.ToString().find("ExampleListWithContext"),
              std::string::npos)
        << error.ToString();
  }
  const Status other = ParseMessage("\xff", MessageType::kExample).status();
  EXPECT_EQ(other.ToString().find("ExampleListWithContext"), std::string::npos);
}

TEST(ListMessages, AutoReadsWhatExplicitReads) {
  // The first list shows nothing, and is counted all the same.
  const ListRecords records = {"", ListOfNumbers({1, 2}), ListOfNumbers({3})};
  const TemporaryFile file(RecordFile(records));
  std::vector<std::string> schemas;
  for (const MessageType type : {MessageType::kAuto, MessageType::kElwc}) {
    auto reader = Reader::Open({file.path()}, {.message = type});
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(reader->message(), MessageType::kElwc);
    schemas.push_back(reader->plan().ToString());
    const auto batch = reader->Next();
    ASSERT_TRUE(batch.ok());
    EXPECT_EQ(batch->num_rows(), 3u);
    FeatureCensus census(type);
    for (const std::string& record : records) {
      EXPECT_TRUE(census.Add(record, 0).ok());
    }
    EXPECT_EQ(census.num_records(), 3u);
    EXPECT_EQ(census.num_examples(), 3u);
    EXPECT_EQ(census.message(), MessageType::kElwc);
  }
  EXPECT_EQ(schemas[0], schemas[1]);
}

}  // namespace
}  // namespace headrace::testing
