#include "tests/c/c_calls.h"

#include <utility>

#include "gtest/gtest.h"
#include "tests/arrow/c_data_checker.h"

namespace headrace::testing {
namespace {

void AddRows(const ArrowSchema& schema, const ArrowArray& array,
             std::vector<std::string>* rows) {
  EXPECT_EQ(Violation(schema, array), "");
  for (std::string& row : RowTexts(schema, array)) {
    rows->push_back(std::move(row));
  }
}

}  // namespace

std::string MessageOf(int32_t code, CError error) {
  EXPECT_EQ(error == nullptr, code == HEADRACE_OK);
  if (!error) return "";
  EXPECT_EQ(error->code, code);
  return error->message;
}

CReader Open(const std::string& path, const char* options) {
  const char* const paths[] = {path.c_str()};
  headrace_reader* reader = nullptr;
  EXPECT_EQ(Call(headrace_open, paths, size_t{1}, options, &reader), "");
  return CReader(reader);
}

CDataset OpenDataset(const std::string& path, const char* options) {
  const char* const paths[] = {path.c_str()};
  headrace_dataset* dataset = nullptr;
  EXPECT_EQ(Call(headrace_dataset_open, paths, size_t{1}, options, &dataset),
            "");
  return CDataset(dataset);
}

CPlan Compile(const char* options) {
  headrace_plan* plan = nullptr;
  EXPECT_EQ(Call(headrace_plan_compile, options, &plan), "");
  return CPlan(plan);
}

std::string ReportOf(const CReader& reader) {
  char* json = nullptr;
  EXPECT_EQ(Call(headrace_report, reader.get(), &json), "");
  std::string text = json;
  headrace_text_free(json);
  return text;
}

std::vector<std::string> RowsOf(ArrowArrayStream* stream) {
  std::vector<std::string> rows;
  Owned<ArrowSchema> schema;
  EXPECT_EQ(stream->get_schema(stream, &schema), 0);
  while (true) {
    Owned<ArrowArray> array;
    if (stream->get_next(stream, &array) != 0) {
      rows.push_back(std::string("error: ") + stream->get_last_error(stream));
      return rows;
    }
    if (array.is_released()) return rows;
    AddRows(*schema, *array, &rows);
  }
}

std::vector<std::string> RestOf(const CReader& reader) {
  std::vector<std::string> rows;
  while (true) {
    Owned<ArrowArray> array;
    Owned<ArrowSchema> schema;
    const std::string message =
        Call(headrace_next, reader.get(), &array, &schema);
    if (!message.empty()) {
      EXPECT_TRUE(array.is_released() && schema.is_released());
      rows.push_back("error: " + message);
      return rows;
    }
    EXPECT_EQ(array.is_released(), schema.is_released());
    if (array.is_released()) return rows;
    AddRows(*schema, *array, &rows);
  }
}

}  // namespace headrace::testing
