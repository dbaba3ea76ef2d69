// Every public accessor of every kind and state: a mistaken one is empty, or an
// error, and never memory.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/output_file.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/record_writer.h"
#include "src/read/reader/byte_reader.h"
#include "tests/support/example_builder.h"
#include "tests/support/exported.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr ErrorCode kNoContent = ErrorCode::kInvalidArgument;

std::string FeaturesOfEachKind() {
  return ExampleBuilder()
      .Int64s("int64", {1, 2})
      .Floats("float", {0.5f, 1.5f})
      .Bytes("bytes", {"a", "b"})
      .Build();
}

Batch DecodeWith(const Plan& plan, const std::string& payload) {
  return OrThrow(Decoder(plan).Decode(std::vector<std::string_view>{payload}));
}

// ------------------------------------------------------------------ Columns

TEST(AccessorsTest, ValuesOfAnotherKindAreNone) {
  const auto plan = Plan::ForColumns({{"int64", Kind::kInt64},
                                      {"float", Kind::kFloat},
                                      {"bytes", Kind::kBytes},
                                      {"none", Kind::kNull}});
  const Batch batch = DecodeWith(*plan, FeaturesOfEachKind());
  ASSERT_THAT(batch.columns(), SizeIs(4));
  for (const Column& column : batch.columns()) {
    SCOPED_TRACE(column.name);
    const auto values = [&column](Kind kind) -> size_t {
      return column.kind == kind ? 2 : 0;
    };
    EXPECT_THAT(column.int64s(), SizeIs(values(Kind::kInt64)));
    EXPECT_THAT(column.floats(), SizeIs(values(Kind::kFloat)));
    EXPECT_THAT(column.bytes(), SizeIs(values(Kind::kBytes)));
    EXPECT_EQ(column.num_values(), column.kind == Kind::kNull ? 0u : 2u);
    EXPECT_EQ(column.num_steps(), 0u);
    EXPECT_EQ(column.IsNull(0), column.kind == Kind::kNull);
    EXPECT_THAT(batch.FindTensor(column.name), nullptr);
  }
}

TEST(AccessorsTest, StepsOfAnotherKindHaveNoValues) {
  const auto plan = Plan::ForColumns(
      {{"int64", Kind::kInt64, true}, {"none", Kind::kNull, true}});
  // No feature list at all, then one of either with two steps.
  const std::string lists = FeatureListsField(
      EntryField("int64",
                 FeatureListOf({Int64Feature({7}), Int64Feature({7})})) +
      EntryField("none", FeatureListOf({"", ""})));
  for (const std::string& payload : {std::string(), lists}) {
    const Batch batch = DecodeWith(*plan, payload);
    const size_t steps = payload.empty() ? 0 : 2;
    for (const Column& column : batch.columns()) {
      SCOPED_TRACE(column.name);
      const bool is_int64 = column.kind == Kind::kInt64;
      EXPECT_EQ(column.num_steps(), steps);
      EXPECT_THAT(column.int64s(), SizeIs(is_int64 ? steps : 0));
      EXPECT_THAT(column.floats(), IsEmpty());
      EXPECT_THAT(column.bytes(), IsEmpty());
      EXPECT_EQ(column.IsNull(0), payload.empty());
      for (size_t step = 0; step < steps; ++step) {
        EXPECT_EQ(column.IsNullStep(step), !is_int64);
      }
    }
  }
}

TEST(AccessorsTest, AColumnOfNothingIsEmpty) {
  const Column column;
  EXPECT_EQ(column.num_values() + column.num_steps(), 0u);
  EXPECT_THAT(column.int64s(), IsEmpty());
  EXPECT_THAT(column.floats(), IsEmpty());
  EXPECT_THAT(column.bytes(), IsEmpty());
}

// ------------------------------------------------------------------ Tensors

template <class... Types>
size_t NumSeen(const Tensor& tensor) {
  return (tensor.As<Types>().size() + ...);
}

size_t NumSeenAsAnything(const Tensor& tensor) {
  return NumSeen<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                 uint64_t, float, double, bool, std::string_view>(tensor);
}

TEST(AccessorsTest, TensorsHaveValuesOfOneTypeOnly) {
  struct Case {
    DType dtype;
    DType as;
  };
  for (const auto& [dtype, as] :
       {Case{DType::kInt64, DType::kInt64}, Case{DType::kInt64, DType::kInt32},
        Case{DType::kInt64, DType::kInt16}, Case{DType::kInt64, DType::kInt8},
        Case{DType::kInt64, DType::kUint64},
        Case{DType::kInt64, DType::kUint32},
        Case{DType::kInt64, DType::kUint16}, Case{DType::kInt64, DType::kUint8},
        Case{DType::kInt64, DType::kBool}, Case{DType::kFloat, DType::kFloat},
        Case{DType::kFloat, DType::kFloat64},
        Case{DType::kFloat, DType::kFloat16},
        Case{DType::kFloat, DType::kBfloat16},
        Case{DType::kBytes, DType::kBytes}}) {
    SCOPED_TRACE(DTypeName(as));
    const std::string key(DTypeName(dtype));
    for (FeatureConfig config :
         {FixedLen(dtype, {2}), VarLen(dtype), Ragged(dtype)}) {
      config.as = as;
      const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add(key, config)));
      const Batch batch = DecodeWith(plan, FeaturesOfEachKind());
      EXPECT_THAT(batch.columns(), IsEmpty());
      EXPECT_EQ(batch.Find(key), nullptr);
      const Tensor* const tensor = batch.FindTensor(key);
      ASSERT_NE(tensor, nullptr);
      EXPECT_EQ(tensor->num_values, 2u);
      EXPECT_EQ(NumSeenAsAnything(*tensor), 2u);
      EXPECT_THAT(tensor->int64s(), SizeIs(as == DType::kInt64 ? 2 : 0));
      EXPECT_THAT(tensor->floats(), SizeIs(as == DType::kFloat ? 2 : 0));
      EXPECT_THAT(tensor->bytes(), SizeIs(as == DType::kBytes ? 2 : 0));
    }
  }
}

TEST(AccessorsTest, TensorsOfRawBytesHaveTheirType) {
  FeatureConfig config = FixedLen(DType::kBytes, {1});
  config.as = DType::kFloat64;
  const auto plan = OrThrow(Plan::Compile(FeatureSpec().Add("x", config)));
  const Batch batch = DecodeWith(
      plan,
      ExampleBuilder().Bytes("x", {std::string(6, '\0') + "\xF8\x3F"}).Build());
  EXPECT_THAT(batch.FindTensor("x")->As<double>(), ElementsAre(1.5));
  EXPECT_EQ(NumSeenAsAnything(*batch.FindTensor("x")), 1u);
}

TEST(AccessorsTest, ATensorOfNothingIsEmpty) {
  EXPECT_EQ(NumSeenAsAnything(Tensor()), 0u);
}

TEST(AccessorsTest, RowSplitsAreReadByTheirType) {
  for (const DType dtype : {DType::kInt32, DType::kInt64}) {
    const auto plan = Plan::Compile(
        FeatureSpec().Add("int64", Ragged(DType::kInt64, {}, {}, dtype)));
    const Batch batch = DecodeWith(*plan, FeaturesOfEachKind());
    const auto splits = batch.FindTensor("int64")->row_splits;
    ASSERT_THAT(splits, SizeIs(1));
    ASSERT_EQ(splits[0].size, 2u);
    EXPECT_EQ(splits[0][0], 0);
    EXPECT_EQ(splits[0][1], 2);
  }
}

// ------------------------------------------------------------------ Batches

void ExpectNothingIn(const Batch& batch) {
  EXPECT_EQ(batch.num_rows(), 0u);
  EXPECT_THAT(batch.columns(), IsEmpty());
  EXPECT_THAT(batch.tensors(), IsEmpty());
  EXPECT_THAT(batch.origins(), IsEmpty());
  EXPECT_EQ(batch.Find("int64"), nullptr);
  EXPECT_EQ(batch.FindTensor("int64"), nullptr);
  for (const BytesAs bytes_as : kAllBytesAs) {
    const ArrowOptions options{.bytes_as = bytes_as};
    Exported exported;
    ASSERT_THAT(ExportBatch(batch, options, &exported.array), IsOk());
    EXPECT_EQ(exported.array.length, 0);
    EXPECT_EQ(exported.array.n_children, 0);
    ArrowArray field;
    EXPECT_THAT(ExportField(batch, 0, options, &field), HasCode(kNoContent));
    EXPECT_EQ(field.release, nullptr);
  }
}

TEST(AccessorsTest, AnEmptyBatch) {
  ExpectNothingIn(Batch());
  Batch batch = DecodeWith(Plan(), FeaturesOfEachKind());
  EXPECT_EQ(batch.num_rows(), 1u);
  const Batch moved = std::move(batch);
  ExpectNothingIn(batch);  // NOLINT: on purpose
  EXPECT_EQ(moved.num_rows(), 1u);
  batch = moved;
  EXPECT_EQ(batch.num_rows(), 1u);
}

// ------------------------------------------------------------------ Plans

void ExpectCountsRows(const Plan& plan) {
  EXPECT_THAT(plan.columns(), IsEmpty());
  EXPECT_THAT(plan.tensors(), IsEmpty());
  EXPECT_FALSE(plan.has_sequence_struct());
  EXPECT_EQ(plan.message(), MessageType::kExample);
  EXPECT_EQ(plan.ToString(), Plan::ForColumns({})->ToString());
  const Batch batch = DecodeWith(plan, FeaturesOfEachKind());
  EXPECT_EQ(batch.num_rows(), 1u);
  EXPECT_THAT(batch.columns(), IsEmpty());
  Exported exported;
  EXPECT_THAT(ExportSchema(plan, {}, &exported.schema), IsOk());
  EXPECT_THAT(ExportBatch(batch, {}, &exported.array), IsOk());
  EXPECT_EQ(exported.array.length, 1);
}

TEST(AccessorsTest, APlanWithoutColumnsCountsRows) {
  ExpectCountsRows(Plan());
  Plan plan;
  plan = *Plan::ForColumns({{"int64", Kind::kInt64}});
  EXPECT_THAT(plan.columns(), SizeIs(1));
}

TEST(AccessorsTest, APlanIsAPlanAfterItWasMovedFrom) {
  Plan plan = *Plan::ForColumns({{"int64", Kind::kInt64}});
  const Plan moved = std::move(plan);
  for (const Plan& each : {plan, moved}) {  // NOLINT: on purpose
    EXPECT_EQ(DecodeWith(each, FeaturesOfEachKind()).columns().size(), 1u);
  }
}

TEST(AccessorsTest, ADecoderIsADecoderAfterItWasMovedFrom) {
  const std::string payload = FeaturesOfEachKind();
  const std::vector<std::string_view> records = {payload, "\xFF"};
  Decoder decoder(*Plan::ForColumns({{"int64", Kind::kInt64}}),
                  {.on_row_error = OnRowError::kSkip});
  EXPECT_THAT(decoder.Decode(records), IsOk());
  EXPECT_THAT(decoder.skipped(), SizeIs(1));
  Decoder moved = std::move(decoder);
  EXPECT_THAT(moved.skipped(), SizeIs(1));
  EXPECT_THAT(decoder.skipped(), IsEmpty());  // NOLINT: on purpose
  for (Decoder* each : {&decoder, &moved}) {
    const auto batch = OrThrow(each->Decode(records));
    EXPECT_EQ(batch.num_rows(), 1u);
    EXPECT_THAT(each->skipped(), SizeIs(1));
  }
}

// ------------------------------------------------------------------ Readers

void ExpectNothingRead(Reader* reader) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(reader->Next(), HasCode(kNoContent));
  }
  EXPECT_THAT(reader->status(), HasCode(kNoContent));
  EXPECT_THAT(reader->files(), IsEmpty());
  EXPECT_THAT(reader->report().regions, IsEmpty());
  EXPECT_THAT(reader->report().rows, IsEmpty());
  EXPECT_THAT(reader->report().late, IsEmpty());
  EXPECT_EQ(reader->report().num_late, 0u);
  EXPECT_EQ(reader->num_records() + reader->num_bytes(), 0u);
  EXPECT_EQ(reader->stored_position() + reader->stored_size(), 0u);
  EXPECT_EQ(reader->message(), reader->plan().message());
  EXPECT_THAT(reader->columns(), reader->plan().columns());
}

class MovedFromTest : public ::testing::Test {
 protected:
  const TemporaryFile file_ = TemporaryFile(
      DamagedFile(std::vector<std::string>{FeaturesOfEachKind()}).bytes());
  const std::string path_ = file_.path();
};

TEST_F(MovedFromTest, AReaderIsDeclaredAndAssigned) {
  Reader reader;
  ExpectNothingRead(&reader);
  EXPECT_THAT(reader.columns(), IsEmpty());
  auto opened = OrThrow(Reader::Open({path_}));
  reader = std::move(opened);
  ExpectNothingRead(&opened);
  EXPECT_THAT(reader.columns(), SizeIs(3));
  EXPECT_EQ(reader.Next()->num_rows(), 1u);
  const auto end = reader.Next();
  EXPECT_THAT(end, IsOk());
  EXPECT_FALSE(end);
  EXPECT_THAT(reader.status(), IsOk());
  EXPECT_EQ(reader.num_records(), 1u);
  EXPECT_THAT(reader.files(), ElementsAre(path_));
}

TEST(AccessorsTest, AnEmptyReaderAsAStreamIsAnError) {
  ArrowArrayStream stream;
  ASSERT_THAT(ExportStream(Reader(), {}, &stream), IsOk());
  ArrowArray array;
  EXPECT_NE(stream.get_next(&stream, &array), 0);
  EXPECT_THAT(std::string(stream.get_last_error(&stream)),
              ::testing::HasSubstr("never opened"));
  stream.release(&stream);
}

TEST_F(MovedFromTest, ReadersThatWereMovedFrom) {
  auto records = OrThrow(RecordReader::Open(path_));
  const RecordReader moved_records = std::move(records);
  EXPECT_THAT(records.Next(), HasCode(kNoContent));
  EXPECT_THAT(records.skipped(), IsEmpty());
  EXPECT_EQ(records.num_skipped() + records.position(), 0u);
  EXPECT_EQ(records.compression(), Compression::kNone);

  auto bytes = OrThrow(ByteReader::Open(path_));
  const ByteReader moved_bytes = std::move(bytes);
  EXPECT_THAT(bytes.Next(), HasCode(kNoContent));
  EXPECT_EQ(bytes.position(), 0u);
  EXPECT_EQ(bytes.compression(), Compression::kNone);
}

TEST_F(MovedFromTest, WritersThatWereMovedFrom) {
  const std::string path = path_ + ".out";
  auto records = OrThrow(RecordWriter::Open(path));
  const RecordWriter moved_records = std::move(records);
  EXPECT_THAT(records.Write("x"), HasCode(kNoContent));
  EXPECT_THAT(records.Close(), HasCode(kNoContent));
  EXPECT_EQ(records.num_records() + records.num_bytes(), 0u);

  auto file = OrThrow(OutputFile::Open(path));
  const OutputFile moved_file = std::move(file);
  EXPECT_THAT(file.Write("x"), HasCode(kNoContent));
  EXPECT_THAT(file.Flush(), HasCode(kNoContent));
  EXPECT_THAT(file.Close(), HasCode(kNoContent));
  EXPECT_EQ(file.size(), 0u);
  EXPECT_EQ(file.name(), "");
  EXPECT_EQ(moved_file.name(), path);

  auto arrow = OrThrow(ArrowWriter::Open(path, ArrowFormat::kStream, Plan()));
  const ArrowWriter moved_arrow = std::move(arrow);
  EXPECT_THAT(arrow.Write(Batch()), HasCode(kNoContent));
  EXPECT_THAT(arrow.Close(), HasCode(kNoContent));
  EXPECT_EQ(arrow.num_bytes(), 0u);
}

}  // namespace
}  // namespace headrace::testing
