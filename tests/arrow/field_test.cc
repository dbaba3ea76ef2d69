// One column or tensor alone is the child that the whole batch has for it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "src/exchange/arrow/c_export.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/arrow/cases.h"
#include "tests/arrow/column_maker.h"
#include "tests/arrow/nested_cases.h"
#include "tests/support/example_builder.h"
#include "tests/support/exported.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

Status ExportOne(const arrow::PlanFields& fields,
                 const arrow::ColumnBatch& batch, size_t index,
                 const ArrowOptions& options, Exported* out) {
  Status status = arrow::ExportOneField(fields, index, options, &out->schema);
  if (!status.ok()) return status;
  return arrow::ExportOneColumn(batch, index, Batch(), options, &out->array);
}

// For each column or tensor in the order of the plan, its place in the struct;
// those of feature lists in the last child.
struct Child {
  bool in_sequence;
  int64_t index;
};
std::vector<Child> ChildrenOf(const arrow::PlanFields& fields) {
  std::vector<Child> children;
  int64_t counts[2] = {};
  const auto add = [&](bool in_sequence) {
    children.push_back({in_sequence, counts[in_sequence]++});
  };
  for (const ColumnField& column : fields.columns) add(column.in_sequence);
  for (const TensorField& tensor : fields.tensors) add(tensor.in_sequence);
  return children;
}

template <class Node>
const Node& Find(const Node& root, const Child& child) {
  const Node& parent =
      child.in_sequence ? *root.children[root.n_children - 1] : root;
  return *parent.children[child.index];
}

// All that two trees can differ in, save addresses.
std::string ShapeText(const ArrowSchema& schema, const ArrowArray& array) {
  std::string text =
      std::string(schema.format) + " " + schema.name + " " +
      std::to_string(schema.flags) + " " + std::to_string(array.length) + " " +
      std::to_string(array.null_count) + " " + std::to_string(array.offset) +
      " " + std::to_string(array.n_buffers) + "(";
  for (int64_t i = 0; i < array.n_children; ++i) {
    text += ShapeText(*schema.children[i], *array.children[i]);
  }
  return text + ")";
}

// Of at most so many rows: enough, and the largest case stays quick.
std::string ValueTexts(const ArrowSchema& schema, const ArrowArray& array) {
  std::string text;
  for (int64_t i = 0; i < std::min<int64_t>(array.length, 20); ++i) {
    text += ValueText(schema, array, i) + "\n";
  }
  return text;
}

void ExpectChildren(const arrow::PlanFields& fields,
                    const arrow::ColumnBatch& batch, BytesAs bytes_as) {
  const ArrowOptions options{.bytes_as = bytes_as};
  Exported all;
  ASSERT_THAT(arrow::ExportFields(fields, options, &all.schema), IsOk());
  ASSERT_THAT(arrow::ExportColumns(batch, Batch(), options, &all.array),
              IsOk());
  const std::vector<Child> children = ChildrenOf(fields);
  for (size_t i = 0; i < children.size(); ++i) {
    SCOPED_TRACE(i);
    Exported one;
    ASSERT_THAT(ExportOne(fields, batch, i, options, &one), IsOk());
    const ArrowSchema& schema = Find(all.schema, children[i]);
    const ArrowArray& array = Find(all.array, children[i]);
    EXPECT_EQ(Violation(one.schema, one.array), "");
    EXPECT_EQ(TypeText(one.schema), TypeText(schema));
    EXPECT_EQ(ShapeText(one.schema, one.array), ShapeText(schema, array));
    EXPECT_EQ(ValueTexts(one.schema, one.array), ValueTexts(schema, array));
  }
  Exported none;
  EXPECT_THAT(
      arrow::ExportOneField(fields, children.size(), options, &none.schema),
      HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(arrow::ExportOneColumn(batch, children.size(), Batch(), options,
                                     &none.array),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(none.schema.release, nullptr);
  EXPECT_EQ(none.array.release, nullptr);
}

TEST(FieldTest, IsTheChildOfEveryCase) {
  for (const Case& c : Cases()) {
    for (const BytesAs bytes_as : kAllBytesAs) {
      if (!c.has_c_names || (!c.is_utf8 && bytes_as == BytesAs::kString)) {
        continue;
      }
      SCOPED_TRACE(c.name + " " + std::to_string(static_cast<int>(bytes_as)));
      ExpectChildren(c.columns->fields(), c.columns->batch(), bytes_as);
    }
  }
}

TEST(FieldTest, IsTheChildOfEveryNestedCase) {
  for (const NestedCase& c : NestedCases()) {
    for (const BytesAs bytes_as : kAllBytesAs) {
      SCOPED_TRACE(c.name + " " + std::to_string(static_cast<int>(bytes_as)));
      ExpectChildren(c.fields, c.batch, bytes_as);
    }
  }
}

TEST(FieldTest, OnlyItsOwnFaultsMatter) {
  ColumnMaker maker(1);
  maker.Int64s("fine", {{{7}}}).Bytes(std::string("b\0", 2), {{{"\xff"}}});
  const ArrowOptions options{.bytes_as = BytesAs::kString};
  Exported fine;
  ASSERT_THAT(ExportOne(maker.fields(), maker.batch(), 0, options, &fine),
              IsOk());
  EXPECT_EQ(ValueText(fine.schema, fine.array, 0), "[7]");
  Exported bad;
  EXPECT_THAT(
      arrow::ExportOneField(maker.fields(), 1, options, &bad.schema),
      IsError(ErrorCode::kInvalidArgument, {.feature = std::string("b\0", 2)}));
  EXPECT_THAT(
      arrow::ExportOneColumn(maker.batch(), 1, Batch(), options, &bad.array),
      IsError(ErrorCode::kInvalidArgument, {.text = "value 0 of row 0"}));
  EXPECT_EQ(bad.schema.release, nullptr);
  EXPECT_EQ(bad.array.release, nullptr);
}

// The decoder and all other handles go first, then children before parents and
// the other way round.
TEST(FieldTest, OutlivesTheBatch) {
  for (const bool parent_first : {true, false}) {
    Exported one;
    {
      auto plan =
          OrThrow(Plan::ForColumns({{"i", Kind::kInt64}, {"b", Kind::kBytes}}));
      Decoder decoder(plan);
      const std::string record =
          ExampleBuilder().Bytes("b", {"longer than a view holds"}).Build();
      const std::vector<std::string_view> records = {record};
      auto batch = OrThrow(decoder.Decode(records));
      const ArrowOptions options{.bytes_as = BytesAs::kBinaryView};
      EXPECT_THAT(ExportFieldSchema(plan, 2, options, &one.schema),
                  HasCode(ErrorCode::kInvalidArgument));
      EXPECT_THAT(ExportField(batch, 2, options, &one.array),
                  HasCode(ErrorCode::kInvalidArgument));
      ASSERT_THAT(ExportField(batch, 1, options, &one.array), IsOk());
      ASSERT_THAT(ExportFieldSchema(plan, 1, options, &one.schema), IsOk());
    }
    EXPECT_STREQ(one.schema.name, "b");
    ArrowArray item = *one.array.children[0];
    one.array.children[0]->release = nullptr;
    if (parent_first) one.array.release(&one.array);
    EXPECT_EQ(ValueText(*one.schema.children[0], item, 0),
              "\"longer than a view holds\"");
    item.release(&item);
    if (!parent_first) one.array.release(&one.array);
    EXPECT_EQ(one.array.release, nullptr);
  }
}

TEST(FieldTest, ABatchOfNothingHasNoColumn) {
  ArrowArray array;
  EXPECT_THAT(ExportField(Batch(), 0, {}, &array),
              HasCode(ErrorCode::kInvalidArgument));
  EXPECT_EQ(array.release, nullptr);
}

}  // namespace
}  // namespace headrace::testing
