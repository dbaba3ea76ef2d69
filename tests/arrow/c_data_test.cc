// The C data interface: layouts, sharing, ownership.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/batch.h"
#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/schema.h"
#include "src/exchange/arrow/c_export.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/arrow/cases.h"
#include "tests/arrow/column_maker.h"
#include "tests/support/example_builder.h"
#include "tests/support/exported.h"
#include "tests/support/matchers.h"

// AddressSanitizer would otherwise end the process where malloc fails.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace headrace::testing {
namespace {

Status Export(ColumnMaker* maker, BytesAs bytes_as, Exported* out) {
  const ArrowOptions options{.bytes_as = bytes_as};
  Status status = arrow::ExportFields(maker->fields(), options, &out->schema);
  if (!status.ok()) return status;
  return arrow::ExportColumns(maker->batch(), Batch(), options, &out->array);
}

// A consumer that takes a node for its own.
template <class Node>
Node MoveOut(Node* node) {
  return std::exchange(*node, Node{});
}
ArrowArray MoveChild(ArrowArray* parent, size_t child) {
  ArrowArray moved = *parent->children[child];
  parent->children[child]->release = nullptr;
  return moved;
}

// An address for values that are never read.
const char* NoMemory() {
  static constexpr char kByte = 0;
  return &kByte;
}

TEST(CDataTest, CarriesEveryCase) {
  for (const Case& c : Cases()) {
    for (const BytesAs bytes_as : kAllBytesAs) {
      SCOPED_TRACE(c.name + " " + std::to_string(static_cast<int>(bytes_as)));
      if (!c.has_c_names || (!c.is_utf8 && bytes_as == BytesAs::kString)) {
        continue;
      }
      Exported out;
      ASSERT_THAT(Export(c.columns.get(), bytes_as, &out), IsOk());
      EXPECT_EQ(Violation(out.schema, out.array), "");
      EXPECT_EQ(RowTexts(out.schema, out.array), RowTexts(c.columns->batch()));
    }
  }
}

TEST(CDataTest, SchemaNamesTypesAndFlags) {
  const std::vector<ColumnField> columns = {{"i", Kind::kInt64},
                                            {"f", Kind::kFloat},
                                            {"b", Kind::kBytes},
                                            {"n", Kind::kNull}};
  ArrowSchema schema;
  ASSERT_THAT(arrow::ExportFields({.columns = columns}, {}, &schema), IsOk());
  EXPECT_STREQ(schema.format, "+s");
  EXPECT_STREQ(schema.name, "");
  EXPECT_EQ(schema.flags, 0);
  ASSERT_EQ(schema.n_children, 4);
  const char* const formats[] = {"+l", "+l", "+l", "n"};
  const char* const items[] = {"l", "f", "z"};
  for (size_t i = 0; i < 4; ++i) {
    const ArrowSchema& child = *schema.children[i];
    EXPECT_EQ(child.name, columns[i].name);
    EXPECT_STREQ(child.format, formats[i]);
    EXPECT_EQ(child.flags, ARROW_FLAG_NULLABLE);
    ASSERT_EQ(child.n_children, i < 3 ? 1 : 0);
    if (i == 3) continue;
    EXPECT_STREQ(child.children[0]->name, "item");
    EXPECT_STREQ(child.children[0]->format, items[i]);
    EXPECT_EQ(child.children[0]->flags, ARROW_FLAG_NULLABLE);
  }
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);
}

TEST(CDataTest, BytesAsDecidesTheType) {
  const std::vector<ColumnField> columns = {{"b", Kind::kBytes}};
  std::vector<std::string> formats;
  for (const BytesAs bytes_as : kAllBytesAs) {
    ArrowSchema schema;
    ASSERT_THAT(arrow::ExportFields({.columns = columns},
                                    {.bytes_as = bytes_as}, &schema),
                IsOk());
    formats.push_back(schema.children[0]->children[0]->format);
    schema.release(&schema);
  }
  EXPECT_THAT(formats, ElementsAre("z", "Z", "vz", "u"));
}

TEST(CDataTest, NameThatIsNoCStringIsRefused) {
  const std::vector<ColumnField> columns = {
      {"fine", Kind::kInt64}, {std::string("a\0b", 3), Kind::kInt64}};
  ArrowSchema schema;
  const Status status = arrow::ExportFields({.columns = columns}, {}, &schema);
  EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                              {.feature = std::string("a\0b", 3)}));
  EXPECT_EQ(schema.release, nullptr);
}

TEST(CDataTest, NameThatIsNotUtf8IsRefused) {
  const std::vector<ColumnField> columns = {{"\xff", Kind::kInt64}};
  ArrowSchema schema;
  EXPECT_THAT(arrow::ExportFields({.columns = columns}, {}, &schema),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(schema.release, nullptr);
}

TEST(CDataTest, NumbersOffsetsAndValidityAreNotCopied) {
  ColumnMaker maker(2);
  maker.Int64s("i", {{{1, 2}}, std::nullopt}).Floats("f", {{{1}}, {{2}}});
  Exported out;
  ASSERT_THAT(Export(&maker, BytesAs::kBinary, &out), IsOk());
  const arrow::ColumnBatch batch = maker.batch();
  for (size_t i = 0; i < 2; ++i) {
    const ArrowArray& child = *out.array.children[i];
    EXPECT_EQ(child.buffers[0], batch.columns[i].validity);
    EXPECT_EQ(child.buffers[1], batch.columns[i].offsets);
    EXPECT_EQ(child.children[0]->buffers[1], batch.columns[i].values);
  }
  EXPECT_EQ(out.array.children[1]->buffers[0], nullptr);
}

TEST(CDataTest, ChildrenMayBeMovedOutAndReleasedInAnyOrder) {
  for (const bool parent_first : {true, false}) {
    ColumnMaker maker(1);
    maker.Int64s("i", {{{1}}}).Bytes("b", {{{"a value of some length"}}});
    Exported out;
    ASSERT_THAT(Export(&maker, BytesAs::kBinary, &out), IsOk());
    ArrowArray list = MoveChild(&out.array, 1);
    ArrowArray item = MoveChild(&list, 0);
    ArrowSchema schema = MoveOut(out.schema.children[1]);
    if (parent_first) {
      out.array.release(&out.array);
      out.schema.release(&out.schema);
      list.release(&list);
    }
    EXPECT_EQ(Violation(*schema.children[0], item), "");
    EXPECT_EQ(ValueText(*schema.children[0], item, 0),
              "\"a value of some length\"");
    schema.release(&schema);
    item.release(&item);
    if (!parent_first) list.release(&list);
    EXPECT_EQ(item.release, nullptr);
    EXPECT_EQ(list.release, nullptr);
  }
}

TEST(CDataTest, ChildrenMayBeReleasedInPlace) {
  ColumnMaker maker(1);
  maker.Int64s("i", {{{1}}}).Int64s("j", {{{1}}});
  Exported out;
  ASSERT_THAT(Export(&maker, BytesAs::kBinary, &out), IsOk());
  out.array.children[1]->release(out.array.children[1]);
  EXPECT_EQ(out.array.children[1]->release, nullptr);
  EXPECT_EQ(ValueText(*out.schema.children[0], *out.array.children[0], 0),
            "[1]");
}

TEST(CDataTest, ReleaseFromManyThreads) {
  constexpr size_t kColumns = 16;
  for (int round = 0; round < 20; ++round) {
    ColumnMaker maker(1);
    for (size_t i = 0; i < kColumns; ++i) {
      maker.Bytes(std::to_string(i), {{{"a value of some length"}}});
    }
    Exported out;
    ASSERT_THAT(Export(&maker, BytesAs::kBinary, &out), IsOk());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kColumns; ++i) {
      threads.emplace_back([child = MoveChild(&out.array, i)]() mutable {
        child.release(&child);
      });
    }
    out.array.release(&out.array);
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(CDataTest, ArraysOutliveTheBatchAndItsDecoder) {
  Exported out;
  {
    auto plan =
        OrThrow(Plan::ForColumns({{"b", Kind::kBytes}, {"i", Kind::kInt64}}));
    Decoder decoder(plan);
    const std::string a = ExampleBuilder()
                              .Bytes("b", {"longer than a view holds", "x"})
                              .Int64s("i", {7})
                              .Build();
    const std::string b =
        ExampleBuilder().Bytes("b", {"the second record's value"}).Build();
    const std::vector<std::string_view> records = {a, b};
    auto batch = decoder.Decode(records);
    ASSERT_THAT(batch, IsOk());
    const ArrowOptions options{.bytes_as = BytesAs::kBinaryView};
    ASSERT_THAT(ExportSchema(plan, options, &out.schema), IsOk());
    ASSERT_THAT(ExportBatch(*batch, options, &out.array), IsOk());
    // The records lie side by side in the batch: one buffer for both.
    EXPECT_EQ(out.array.children[0]->children[0]->n_buffers, 4);
    batch = decoder.Decode({});
  }
  EXPECT_EQ(Violation(out.schema, out.array), "");
  EXPECT_THAT(RowTexts(out.schema, out.array),
              ElementsAre("{b: [\"longer than a view holds\", \"x\"], i: [7]}",
                          "{b: [\"the second record's value\"], i: null}"));
}

TEST(CDataTest, EmptyBatchIsAnEmptyStruct) {
  ArrowArray array;
  ASSERT_THAT(ExportBatch(Batch(), {}, &array), IsOk());
  EXPECT_EQ(array.length, 0);
  EXPECT_EQ(array.n_children, 0);
  array.release(&array);
}

// Its columns are decoded, so that wrong kinds are found, but are not given.
TEST(CDataTest, ASchemaWithoutTensorsHasNoChildren) {
  auto schema = OrThrow(Schema::Parse(
      "feature { name: \"a\" type: INT lifecycle_stage: PLANNED }"));
  auto plan = OrThrow(Plan::Compile(schema));
  Decoder decoder(plan);
  const std::string record = ExampleBuilder().Int64s("a", {7}).Build();
  const std::vector<std::string_view> records = {record};
  auto batch = OrThrow(decoder.Decode(records));
  EXPECT_TRUE(batch.columns().empty());
  Exported out;
  ASSERT_THAT(ExportSchema(plan, {}, &out.schema), IsOk());
  ASSERT_THAT(ExportBatch(batch, {}, &out.array), IsOk());
  EXPECT_EQ(Violation(out.schema, out.array), "");
  EXPECT_EQ(out.array.length, 1);
  EXPECT_EQ(out.array.n_children, 0);
}

TEST(CDataTest, NoRowsHaveOneOffset) {
  ColumnMaker maker(0);
  maker.Bytes("b", {});
  Exported out;
  ASSERT_THAT(Export(&maker, BytesAs::kLargeBinary, &out), IsOk());
  const ArrowArray& list = *out.array.children[0];
  EXPECT_EQ(*static_cast<const int32_t*>(list.buffers[1]), 0);
  EXPECT_EQ(*static_cast<const int64_t*>(list.children[0]->buffers[1]), 0);
}

TEST(CDataTest, StringNamesColumnRowAndRecordOfABadValue) {
  ColumnMaker maker(3);
  maker.Bytes("fine", {{{"a"}}, std::nullopt, {{"b"}}});
  maker.Bytes("bad", {{{"a"}}, std::vector<std::string>(), {{"b", "\xc0"}}});
  maker.SetOrigins({{}, {}, {.record = 41, .offset = 977, .file = 1}});
  arrow::ColumnBatch batch = maker.batch();
  const std::vector<std::string> files = {"one", "two"};
  batch.files = files;
  ArrowArray array;
  const Status status = arrow::ExportColumns(
      batch, Batch(), {.bytes_as = BytesAs::kString}, &array);
  EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                              {.file = "two",
                               .feature = "bad",
                               .record = 41u,
                               .offset = 977u,
                               .text = "value 1 of row 2"}));
  EXPECT_EQ(array.release, nullptr);
}

TEST(CDataTest, MoreBytesThan32BitOffsetsReachIsALimit) {
  const std::string_view large(NoMemory(), size_t{1} << 30);
  ColumnMaker maker(3);
  maker.Views("big", {large, large, large});
  ArrowArray array;
  const Status status =
      arrow::ExportColumns(maker.batch(), Batch(), {}, &array);
  EXPECT_THAT(status, IsError(ErrorCode::kLimit, {.feature = "big"}));
  EXPECT_EQ(array.release, nullptr);
}

TEST(CDataTest, NoMemoryIsAnError) {
  // With 32 bits, the bytes of all are not even a size.
  const std::string_view large(NoMemory(),
                               std::numeric_limits<size_t>::max() / 8);
  const std::vector<std::string_view> values(sizeof(size_t) > 4 ? 2 : 9, large);
  ColumnMaker maker(values.size());
  maker.Views("huge", values);
  ArrowArray array;
  EXPECT_THAT(arrow::ExportColumns(maker.batch(), Batch(),
                                   {.bytes_as = BytesAs::kLargeBinary}, &array),
              HasCode(ErrorCode::kOutOfMemory));
  EXPECT_EQ(array.release, nullptr);
}

}  // namespace
}  // namespace headrace::testing
