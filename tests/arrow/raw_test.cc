// Raw records as Arrow: one plain column that is never null.

#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

struct Type {
  BytesAs bytes_as;
  const char* format;
};
constexpr Type kTypes[] = {{BytesAs::kBinary, "z"},
                           {BytesAs::kLargeBinary, "Z"},
                           {BytesAs::kBinaryView, "vz"},
                           {BytesAs::kString, "u"}};

Batch Decode(const std::vector<std::string_view>& records) {
  Decoder decoder(Plan::ForRaw());
  auto batch = decoder.Decode(records);
  EXPECT_THAT(batch, IsOk());
  return *batch;
}

TEST(RawArrowTest, IsOnePlainColumn) {
  const Batch batch = Decode({"a", "", "longer than a view holds"});
  for (const auto& [bytes_as, format] : kTypes) {
    SCOPED_TRACE(format);
    const ArrowOptions options{.bytes_as = bytes_as};
    ArrowSchema schema;
    ArrowArray array;
    ASSERT_THAT(ExportSchema(Plan::ForRaw(), options, &schema), IsOk());
    ASSERT_THAT(ExportBatch(batch, options, &array), IsOk());
    ASSERT_EQ(schema.n_children, 1);
    EXPECT_STREQ(schema.children[0]->name, "payload");
    EXPECT_STREQ(schema.children[0]->format, format);
    EXPECT_EQ(schema.children[0]->flags, 0);
    EXPECT_EQ(Violation(schema, array), "");
    EXPECT_THAT(RowTexts(schema, array),
                ElementsAre("{payload: \"a\"}", "{payload: \"\"}",
                            "{payload: \"longer than a view holds\"}"));
    schema.release(&schema);
    array.release(&array);

    ASSERT_THAT(ExportFieldSchema(Plan::ForRaw(), 0, options, &schema), IsOk());
    ASSERT_THAT(ExportField(batch, 0, options, &array), IsOk());
    EXPECT_STREQ(schema.format, format);
    EXPECT_EQ(schema.flags, 0);
    EXPECT_EQ(array.null_count, 0);
    EXPECT_EQ(ValueText(schema, array, 2), "\"longer than a view holds\"");
    schema.release(&schema);
    array.release(&array);
  }
}

// Views go into the batch's own copy of the records, which lie side by side.
TEST(RawArrowTest, ViewsPointIntoTheInput) {
  const Batch batch = Decode({"a value of some length", "another, as long"});
  ArrowArray array;
  ASSERT_THAT(ExportField(batch, 0, {.bytes_as = BytesAs::kBinaryView}, &array),
              IsOk());
  ASSERT_EQ(array.n_buffers, 4);
  EXPECT_EQ(array.buffers[2], batch.columns()[0].bytes()[0].data());
  array.release(&array);
}

TEST(RawArrowTest, StringNamesTheRowThatIsNone) {
  const Batch batch = Decode({"a", "\xff"});
  ArrowArray array;
  const Status status =
      ExportBatch(batch, {.bytes_as = BytesAs::kString}, &array);
  EXPECT_THAT(status, IsError(ErrorCode::kInvalidArgument,
                              {.feature = "payload", .record = 1u}));
  EXPECT_EQ(array.release, nullptr);
}

// A list column of the same name is another type.
TEST(RawArrowTest, WritersTellItFromLists) {
  const Batch batch = Decode({"a"});
  const Plan lists = *Plan::ForColumns({{"payload", Kind::kBytes}});
  const TemporaryFile file("");
  const std::string path = file.path() + ".arrow";
  auto writer = ArrowWriter::Open(path, ArrowFormat::kStream, lists);
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT(writer->Write(batch), HasCode(ErrorCode::kInvalidArgument));
  writer = ArrowWriter::Open(path, ArrowFormat::kStream, Plan::ForRaw());
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT(writer->Write(batch), IsOk());
}

}  // namespace
}  // namespace headrace::testing
