// Feature lists and tensors in the C data interface and in the IPC writer. That
// Arrow reads the files is tested in read_back_test.py.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "src/exchange/arrow/c_export.h"
#include "src/exchange/arrow/ipc_writer.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/arrow/column_maker.h"
#include "tests/arrow/nested_cases.h"
#include "tests/arrow/tensor_maker.h"
#include "tests/support/exported.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

Status Export(const arrow::PlanFields& fields, const arrow::ColumnBatch& batch,
              BytesAs bytes_as, Exported* out) {
  const ArrowOptions options{.bytes_as = bytes_as};
  Status status = arrow::ExportFields(fields, options, &out->schema);
  if (!status.ok()) return status;
  return arrow::ExportColumns(batch, Batch(), options, &out->array);
}

TEST(NestedTest, CarriesEveryCase) {
  for (const NestedCase& c : NestedCases()) {
    for (const BytesAs bytes_as : kAllBytesAs) {
      SCOPED_TRACE(c.name + " " + std::to_string(static_cast<int>(bytes_as)));
      Exported out;
      ASSERT_THAT(Export(c.fields, c.batch, bytes_as, &out), IsOk());
      EXPECT_EQ(TypeText(out.schema), TypeIn(c, bytes_as));
      EXPECT_EQ(Violation(out.schema, out.array), "");
      EXPECT_EQ(RowTexts(out.schema, out.array), c.rows);
    }
  }
}

TEST(NestedTest, WhatArrowHasTheSameWayIsNotCopied) {
  TensorMaker maker(2);
  maker.Dense<int64_t>({"dense", FixedLen(DType::kInt64, {2})}, {1, 2, 3, 4});
  maker.Lists<float>({"seq", FixedLenSequence(DType::kFloat)}, {0, 1, 2},
                     {1, 2});
  maker.Ragged<int64_t>({"cut", Ragged(DType::kInt64, {{.key = "k"}})},
                        {{0, 1, 2}, {0, 1, 2}}, {}, {1, 2});
  const arrow::ColumnBatch batch = maker.batch();
  Exported out;
  ASSERT_THAT(Export(maker.fields(), batch, BytesAs::kBinary, &out), IsOk());
  const ArrowArray& dense = *out.array.children[0];
  EXPECT_EQ(dense.children[0]->buffers[1], batch.tensors[0].values);
  const ArrowArray& seq = *out.array.children[1];
  EXPECT_EQ(seq.buffers[1], batch.tensors[1].row_offsets);
  EXPECT_EQ(seq.children[0]->buffers[1], batch.tensors[1].list_values);
  const ArrowArray& cut = *out.array.children[2];
  EXPECT_EQ(cut.buffers[1], batch.tensors[2].row_splits[0].data);
  EXPECT_EQ(cut.children[0]->buffers[1], batch.tensors[2].row_splits[1].data);
}

TEST(NestedTest, TheDefaultOfAColumnIsKeptOnce) {
  constexpr size_t kRows = 1000;
  const std::string text(500, 'd');
  TensorMaker maker(kRows);
  maker.Dense<std::string_view>({"b", FixedLen(DType::kBytes)},
                                std::vector<std::string_view>(kRows, text));
  Exported out;
  ASSERT_THAT(Export(maker.fields(), maker.batch(), BytesAs::kBinaryView, &out),
              IsOk());
  const ArrowArray& views = *out.array.children[0];
  ASSERT_EQ(views.n_buffers, 4);
  EXPECT_EQ(*static_cast<const int64_t*>(views.buffers[3]), 500);
  EXPECT_NE(views.buffers[2], text.data());
  EXPECT_EQ(Violation(out.schema, out.array), "");
}

TEST(NestedTest, SplitsThatOffsetsCannotHoldAreALimit) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const FeatureConfig config =
      Ragged(DType::kInt64, {{.key = "k"}}, "", DType::kInt64);
  TensorMaker maker(1);
  // Nothing looks further: the values need not be there.
  maker.Ragged<int64_t>({"big", config}, {{0, 1}, {0, kMax + 1}}, {}, {});
  ArrowArray array;
  const Status status =
      arrow::ExportColumns(maker.batch(), Batch(), {}, &array);
  EXPECT_THAT(status, IsError(ErrorCode::kLimit, {.feature = "big"}));
  EXPECT_EQ(array.release, nullptr);
}

TEST(NestedTest, StringNamesTheRowOfANestedValue) {
  ColumnMaker steps(3);
  steps.BytesSteps(
      "s",
      {{{{{"a"}}}}, std::nullopt, {{std::nullopt, {{"b"}}, {{"c", "\xff"}}}}});
  ArrowArray array;
  const ArrowOptions options{.bytes_as = BytesAs::kString};
  Status status = arrow::ExportColumns(steps.batch(), Batch(), options, &array);
  EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                              {.feature = "s", .text = "value 2 of row 2"}));

  TensorMaker shaped(2);
  shaped.Dense<std::string_view>({"t", FixedLen(DType::kBytes, {2})},
                                 {"a", "b", "c", "\xff"});
  status = arrow::ExportColumns(shaped.batch(), Batch(), options, &array);
  EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                              {.feature = "t", .text = "value 1 of row 1"}));
}

TEST(NestedTest, KeysOfSparseIndicesAreNamesToo) {
  for (const std::string& key : {std::string("\xff"), std::string("a\0b", 3)}) {
    TensorMaker maker(0);
    maker.Sparse<float>({"sp", Sparse({key}, "v", DType::kFloat, {5})}, {0}, {},
                        {});
    ArrowSchema schema;
    const Status status = arrow::ExportFields(maker.fields(), {}, &schema);
    EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument, {.feature = key}));
    EXPECT_EQ(schema.release, nullptr);
  }
}

// Whether a writer opened for `field` takes a batch of `given`.
Status WriteOther(const arrow::PlanFields& opened,
                  const arrow::ColumnBatch& given) {
  const TemporaryFile file("");
  auto writer = arrow::IpcWriter::Open(file.path() + ".arrow",
                                       ArrowFormat::kStream, opened, {});
  EXPECT_THAT(writer, IsOk());
  return writer->Write(given);
}

TEST(NestedTest, TheWriterTakesWhatHasItsTypes) {
  const FeatureConfig config = FixedLen(DType::kInt64);
  TensorMaker maker(1);
  maker.Dense<int64_t>({"i", config}, {1});
  FeatureConfig with_default = config;
  with_default.Default(7);
  TensorMaker same(0);
  same.Dense<int64_t>({"i", with_default}, {});
  EXPECT_THAT(WriteOther(same.fields(), maker.batch()), IsOk());

  const std::vector<TensorMaker::Feature> others = {
      {"j", config},
      {"i", FixedLen(DType::kFloat)},
      {"i", FixedLen(DType::kInt64, {1})},
      {"i", VarLen(DType::kInt64)},
      {"i", config, true}};
  for (const TensorMaker::Feature& feature : others) {
    TensorMaker other(0);
    other.Dense<int64_t>(feature, {});
    EXPECT_THAT(WriteOther(other.fields(), maker.batch()),
                HasCode(ErrorCode::kInvalidArgument));
  }
  EXPECT_THAT(WriteOther({}, maker.batch()),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST(NestedTest, TheWriterTellsFeatureListsFromColumns) {
  ColumnMaker steps(1);
  steps.Int64Steps("i", {{{{{1}}}}});
  const std::vector<ColumnField> list = {
      {.name = "i", .kind = Kind::kInt64, .in_sequence = true}};
  const std::vector<ColumnField> plain = {{.name = "i", .kind = Kind::kInt64}};
  EXPECT_THAT(
      WriteOther({.columns = list, .has_sequence_struct = true}, steps.batch()),
      IsOk());
  EXPECT_THAT(WriteOther({.columns = plain, .has_sequence_struct = true},
                         steps.batch()),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(WriteOther({.columns = plain}, steps.batch()),
              HasCode(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace headrace::testing
