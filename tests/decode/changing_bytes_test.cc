// Records whose bytes change while they are decoded, as those of a mapped file
// may: whatever comes of it, nothing is written or read where nothing is, and
// records that do not change are what they always are.

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/plan.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/explain/explain.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/census.h"
#include "src/read/batch/batch_storage.h"
#include "tests/naive/batch_columns.h"
#include "tests/process/single_step.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensor_proto.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"
#include "wire/wire.h"

namespace headrace::testing {
namespace {

constexpr size_t kSlackBytes = wire::kSlackBytes;

// A record that is one of several texts of the same size at a time, now this
// and now that.
class ChangingRecord {
 public:
  ChangingRecord(std::vector<std::string> texts, uint64_t seed)
      : texts_(std::move(texts)),
        random_(seed),
        // Soon or late it begins to change, and then stays as it is.
        steps_left_(static_cast<int64_t>(
            random_.Below(size_t{1} << random_.Below(kMaxBefore)))),
        changes_left_(random_.Below(200)),
        memory_(texts_[0].size() + kSlackBytes, 0) {
    Put(0);
  }

  // SingleStep calls this between two instructions. It returns false once the
  // record has changed for the last time.
  static bool Change(void* self) {
    return static_cast<ChangingRecord*>(self)->MayChange();
  }
  void Put(size_t text) {
    std::memcpy(memory_.data(), texts_[text].data(), texts_[text].size());
  }

  size_t num_texts() const { return texts_.size(); }
  const uint8_t* data() const { return memory_.data(); }
  size_t size() const { return memory_.size() - kSlackBytes; }
  std::string_view view() const {
    return {reinterpret_cast<const char*>(data()), size()};
  }

 private:
  // The binary logarithm of how many steps are the most before a change: most
  // families take some thousands.
  static constexpr size_t kMaxBefore = 14;

  bool MayChange() {
    if (steps_left_-- > 0) return true;
    if (changes_left_ == 0) return false;
    --changes_left_;
    steps_left_ =
        static_cast<int64_t>(random_.Below(size_t{1} << random_.Below(9)));
    Put(random_.Below(texts_.size()));
    return true;
  }

  const std::vector<std::string> texts_;
  Random random_;
  int64_t steps_left_;
  size_t changes_left_;
  std::vector<uint8_t> memory_;
};

// Records of a plan, all of the same size.
struct Family {
  std::string name;
  Plan plan;
  std::vector<std::string> texts;
};

class Decoding {
 public:
  explicit Decoding(const Plan& plan)
      : plan_(plan), pool_(std::make_shared<reader::BatchPool>(Limits())) {}

  // A batch of the record alone: `run` runs the decoder.
  template <class Run>
  Batch Decode(const ChangingRecord& record, decode::BlockEnd* end, Run&& run) {
    reader::BatchStorage* const storage = pool_->Acquire(plan_);
    Batch batch = reader::BatchStorage::MakeBatch(storage);
    const record::RecordSpan span{.payload = record.data(),
                                  .size = static_cast<uint32_t>(record.size())};
    infer::LateFeatures late;
    run([&] {
      *end = decode::DecodeBlock(plan::Program::Of(plan_), {&span, 1},
                                 {.check = storage->check(),
                                  .lists = storage->lists(),
                                  .order = &order_},
                                 &storage->columns(), &late);
    });
    const plan::Program& program = plan::Program::Of(plan_);
    ExpectInBounds(program, storage->columns());
    if (program.lists() != nullptr) {
      ExpectInBounds(*program.lists()->examples, storage->lists()->columns);
    }
    if (end->num_decoded == 1) storage->AddOrigin({.record = 0});
    EXPECT_THAT(storage->Seal(), IsOk());
    EXPECT_EQ(BrokenPromise(batch), "");
    ExpectInside(batch, record);
    return batch;
  }

 private:
  static void ExpectInBounds(const plan::Program& program,
                             const column::ColumnSet& columns) {
    for (uint32_t slot = 0; slot < program.slots().size(); ++slot) {
      const column::Builder& builder = columns.builder(slot);
      EXPECT_LE(builder.count, builder.capacity);
      EXPECT_LE(builder.steps, builder.step_capacity);
    }
  }
  static void ExpectInside(const Batch& batch, const ChangingRecord& record) {
    for (const Column& column : batch.columns()) {
      if (column.kind != Kind::kBytes) continue;
      for (const std::string_view value : column.bytes()) {
        EXPECT_GE(value.data(), record.view().data());
        EXPECT_LE(value.data() + value.size(),
                  record.view().data() + record.size());
      }
    }
  }

  const Plan plan_;
  std::shared_ptr<reader::BatchPool> pool_;
  decode::EntryOrder order_;
};

std::string WordsOf(const decode::BlockEnd& end, const Batch& batch) {
  return std::string(NameOf(end.code)) + " " + ToText(ToNaive(batch));
}

// ------------------------------------------------------------------- Families

Family LongLists() {
  // Ten bytes a value, or one.
  const std::vector<int64_t> long_ones(25, -1), short_ones(250, 1);
  const auto record = [](const std::vector<int64_t>& values) {
    return ExampleBuilder().Int64s("a", values).Build();
  };
  // The last value is cut.
  std::string cut = record(short_ones);
  cut.back() = '\x81';
  return {"long lists",
          *Plan::ForColumns({{"a", Kind::kInt64}}),
          {record(long_ones), record(short_ones), cut}};
}

// Texts in which bytes that say how long something is, and some others, are
// others.
std::vector<std::string> Variants(const std::string& text, uint64_t seed) {
  Random random(seed);
  std::vector<std::string> texts = {text};
  for (int i = 0; i < 12; ++i) {
    std::string other = text;
    for (size_t changes = 1 + random.Below(4); changes > 0; --changes) {
      other[random.Below(other.size())] =
          static_cast<char>(random.Below(random.OneIn(2) ? 256 : 16));
    }
    texts.push_back(std::move(other));
  }
  return texts;
}

// Entries that end elsewhere: of one kind of value each.
std::string Entries(size_t value_size) {
  ExampleBuilder builder;
  for (int i = 0; i < 4; ++i) {
    const std::string number(1, static_cast<char>('0' + i));
    builder.Bytes("b" + number, {std::string(value_size, 'v')});
    builder.Int64s("i" + number, {int64_t{1} << 40 >> value_size % 9});
    builder.Floats("f" + number, {0.5f});
    builder.Bytes("not in the plan " + number, {"value"});
  }
  return builder.Build();
}

Plan EntriesPlan() {
  std::vector<ColumnField> columns;
  for (const char number : {'0', '1', '2', '3'}) {
    columns.push_back({std::string("b") + number, Kind::kBytes});
    columns.push_back({std::string("f") + number, Kind::kFloat});
    columns.push_back({std::string("i") + number, Kind::kInt64});
  }
  return *Plan::ForColumns(columns);
}

Family ShortEntries() {
  return {"short entries", EntriesPlan(), Variants(Entries(9), 1)};
}

// The key that the plan asks for is there, or another one.
Family Keys() {
  const auto record = [](const std::string& key) {
    return ExampleBuilder()
        .Int64s(key, {1})
        .Int64s("other", {2})
        .Bytes(key + key, {"b"})
        .Build();
  };
  return {"keys",
          *Plan::ForColumns({{"kept", Kind::kInt64}, {"left", Kind::kInt64}}),
          {record("kept"), record("lost"), record("left"), record("\xFFost")}};
}

Family SeveralValues() {
  const std::string twice = ExampleOf(
      LenField(kMapEntry, LenField(kEntryValue, Int64Feature({1})) +
                              LenField(kEntryKey, "a") +
                              VarintField(kUnknownField, 300) +
                              LenField(kEntryValue, Int64Feature({2, 3}))));
  return {"several values", *Plan::ForColumns({{"a", Kind::kInt64}}),
          Variants(twice, 2)};
}

Family Steps() {
  const std::string record =
      ExampleBuilder().Int64s("c", {1}).Build() +
      FeatureListsField(
          EntryField("b", FeatureListOf({BytesFeature({"x", "yz"}), ""})) +
          EntryField("f", FeatureListOf({FloatFeature({1, 2, 3})})) +
          EntryField("i", FeatureListOf({Int64Feature({1}), Int64Feature({}),
                                         Int64Feature({-1, 5, 1 << 20})})));
  return {"steps",
          *Plan::ForColumns({{"c", Kind::kInt64},
                             {"b", Kind::kBytes, /*in_sequence=*/true},
                             {"f", Kind::kFloat, /*in_sequence=*/true},
                             {"i", Kind::kInt64, /*in_sequence=*/true}}),
          Variants(record, 3)};
}

// Keys that no column has are sorted.
Family LateKeys() {
  std::vector<std::string> texts;
  Random random(4);
  for (int i = 0; i < 8; ++i) {
    ExampleBuilder builder;
    for (int k = 0; k < 8; ++k) {
      builder.Int64s(std::string(1, static_cast<char>('a' + random.Below(26))),
                     {1});
    }
    texts.push_back(builder.Build());
  }
  auto program = plan::Program::ForColumns(
      {{"a", Kind::kNull}}, MessageType::kExample, /*sequence_struct=*/false,
      plan::LateKeys::kCollected);
  return {"late keys", plan::Program::MakePlan(*std::move(program)),
          std::move(texts)};
}

FeatureConfig Cast(FeatureConfig config, DType as) {
  config.as = as;
  return config;
}

FeatureConfig Shaped() {
  FeatureConfig config =
      Cast(Ragged(DType::kInt64, {{PartitionType::kRowLengths, "rows"}}),
           DType::kBool);
  config.shape = {-1, 2, 2};
  return config;
}

// A zlib stream of two bytes, which are stored in it.
const std::string kStream(
    "\x78\x01\x01\x02\x00\xfd\xff"
    "ab\x01\x26\x00\xc4",
    13);

FeatureConfig Arrays() {
  FeatureConfig config = Cast(Ragged(DType::kBytes), DType::kUint8);
  config.shape = {-1};
  config.encoding = Encoding::kZlib;
  config.item_shape = {-1, -1};
  config.item_shape_key = "shapes";
  return config;
}

FeatureConfig Protos() {
  FeatureConfig config = Cast(Ragged(DType::kBytes), DType::kInt16);
  config.shape = {-1};
  config.encoding = Encoding::kTensorProto;
  config.item_shape = {-1, -1};
  return config;
}

FeatureConfig ProtoOfTexts() {
  FeatureConfig config = Cast(FixedLen(DType::kBytes, {2}), DType::kBytes);
  config.encoding = Encoding::kTensorProto;
  return config;
}

Family Tensors() {
  const FeatureSpec spec =
      FeatureSpec()
          .Add("dense", FixedLen(DType::kInt64, {2}))
          .Add("pair", Cast(FixedLen(DType::kBytes, {2}), DType::kInt32))
          .Add("text", VarLen(DType::kBytes))
          .Add("ragged",
               Ragged(DType::kFloat, {{PartitionType::kRowLengths, "lengths"}},
                      "values"))
          .Add("sparse", Sparse({"at"}, "weights", DType::kFloat, {9}))
          .Add("narrow", Cast(VarLen(DType::kInt64), DType::kInt8))
          .Add("shaped", Shaped())
          .Add("arrays", Arrays())
          .Add("protos", Protos())
          .Add("texts", ProtoOfTexts());
  const std::string of_content = TensorOfContent(DType::kInt16, {1, 2}, "abcd");
  const std::string of_values =
      TensorHead(DType::kInt16, {2, 1}) + LenField(7, "\x01\x02");
  const std::string of_texts =
      TensorOfContent(DType::kBytes, {2}, Hex("01 02") + "xyz");
  const std::string record = ExampleBuilder()
                                 .Int64s("dense", {1, 2})
                                 .Bytes("pair", {"12345678"})
                                 .Bytes("text", {"x", ""})
                                 .Floats("values", {1, 2, 3})
                                 .Floats("weights", {1, 2, 3})
                                 .Int64s("lengths", {1, 2})
                                 .Int64s("at", {5, 0, 3})
                                 .Int64s("narrow", {7})
                                 .Int64s("shaped", {1, 0, 2, 3})
                                 .Int64s("rows", {2})
                                 .Bytes("arrays", {kStream, kStream})
                                 .Int64s("shapes", {1, 2, 2, 1})
                                 .Bytes("protos", {of_content, of_values})
                                 .Bytes("texts", {of_texts})
                                 .Build();
  const auto plan = Plan::Compile(spec);
  EXPECT_THAT(plan, IsOk());
  return {"tensors", *plan, Variants(record, 5)};
}

// Three Examples between the pieces of a context.
Family Lists() {
  const auto example = [](int64_t number, const char* text) {
    return ExampleBuilder().Int64s("n", {number}).Bytes("t", {text}).Build();
  };
  const std::string record =
      LenField(2, ExampleBuilder().Int64s("q", {1, 2}).Build()) +
      LenField(1, example(1, "one")) + LenField(1, example(2, "two")) +
      LenField(2, ExampleBuilder().Bytes("u", {"xyz"}).Build()) +
      LenField(1, example(3, "three"));
  const auto plan = Plan::ForColumns({{"q", Kind::kInt64},
                                      {"u", Kind::kBytes},
                                      {"n", Kind::kInt64, true},
                                      {"t", Kind::kBytes, true}},
                                     MessageType::kElwc,
                                     /*sequence_struct=*/false);
  EXPECT_THAT(plan, IsOk());
  return {"lists", *plan, Variants(record, 6)};
}

std::vector<Family> Families() {
  return {LongLists(), ShortEntries(), Keys(),    SeveralValues(),
          Steps(),     LateKeys(),     Tensors(), Lists()};
}

// ---------------------------------------------------------------------- Tests

void Stepping(ChangingRecord* record, const std::function<void()>& body) {
  SingleStep(&ChangingRecord::Change, record, body);
}

// What was learnt of a changing record must not be applied to others.
void ExpectAsEver(const Family& family, ChangingRecord* record,
                  Decoding* decoding) {
  const auto run = [](const auto& body) { body(); };
  for (size_t i = 0; i < record->num_texts(); ++i) {
    record->Put(i);
    decode::BlockEnd end;
    Decoding fresh(family.plan);
    const Batch expected = fresh.Decode(*record, &end, run);
    const std::string words = WordsOf(end, expected);
    const Batch batch = decoding->Decode(*record, &end, run);
    EXPECT_EQ(WordsOf(end, batch), words) << family.name;
  }
}

// Some thousand instructions each time, and several times as many where they
// are instrumented.
constexpr uint64_t kTimes = kInstrumented ? 3 : 9;

TEST(ChangingBytes, DecodeStaysInBounds) {
  if (!CanSingleStep()) GTEST_SKIP() << "no single steps here";
  uint64_t seed = 0;
  for (const Family& family : Families()) {
    ForEachTarget([&] {
      Decoding decoding(family.plan);
      for (uint64_t i = 0; i < kTimes; ++i) {
        ChangingRecord record(family.texts, ++seed);
        decode::BlockEnd end;
        decoding.Decode(record, &end, [&](const std::function<void()>& body) {
          Stepping(&record, body);
        });
        ExpectAsEver(family, &record, &decoding);
      }
    });
  }
}

// Keys of the tensors with a value of any kind.
std::vector<std::string> OtherKinds() {
  std::vector<std::string> records;
  for (const char* key :
       {"dense", "pair", "text", "values", "lengths", "at", "narrow"}) {
    records.push_back(ExampleBuilder().Int64s(key, {1}).Build());
    records.push_back(ExampleBuilder().Floats(key, {1}).Build());
    records.push_back(ExampleBuilder().Bytes(key, {"x"}).Build());
  }
  return records;
}

// An error is found in other bytes than it is explained from.
TEST(ChangingBytes, ErrorsAreExplained) {
  constexpr ErrorCode kCodes[] = {
      ErrorCode::kMalformed,      ErrorCode::kWrongKind,
      ErrorCode::kWrongCount,     ErrorCode::kMissingFeature,
      ErrorCode::kBadSparseIndex, ErrorCode::kBadPartition};
  for (const Family& family : Families()) {
    std::vector<std::string> texts = OtherKinds();
    texts.insert(texts.end(), family.texts.begin(), family.texts.end());
    for (const std::string& text : texts) {
      for (const ErrorCode code : kCodes) {
        const ErrorInfo info =
            tensor::ExplainRow(plan::Program::Of(family.plan), text, code);
        EXPECT_TRUE(IsRowError(info.code));
      }
    }
  }
}

TEST(ChangingBytes, MessagesStayInBounds) {
  if (!CanSingleStep()) GTEST_SKIP() << "no single steps here";
  for (const Family& family : Families()) {
    for (uint64_t seed = 0; seed < kTimes; ++seed) {
      ChangingRecord record(family.texts, seed);
      FeatureCensus census(family.plan.message());
      Stepping(&record, [&] {
        const Status status = census.Add(record.view(), 0);
        if (status.ok()) return;
        tensor::ExplainRow(plan::Program::Of(family.plan), record.view(),
                           ErrorCode::kMalformed);
      });
      for (const ColumnField& column : census.columns()) {
        EXPECT_TRUE(IsUtf8(column.name)) << family.name;
      }
    }
  }
}

}  // namespace
}  // namespace headrace::testing
