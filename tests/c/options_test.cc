// Options of readers and datasets: each is heeded, or refused by its name.

#include <string>
#include <utility>
#include <vector>

#include "tests/c/c_calls.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using Rows = std::vector<std::string>;

class COptionsTest : public ::testing::Test {
 protected:
  static std::string SomeRecords() {
    std::vector<std::string> records;
    for (int64_t i = 0; i < 6; ++i) {
      records.push_back(
          ExampleBuilder().Int64s("i", {i}).Bytes("b", {"x"}).Build());
    }
    return RecordFile(records);
  }
  // The whole numbers of the column i.
  std::string Read(const std::string& options) {
    std::string numbers;
    for (const std::string& row : RestOf(Open(file_.path(), options.c_str()))) {
      if (row.find("error") == 0) return row;
      numbers += row.substr(row.find("i: [") + 4, 1);
    }
    return numbers;
  }
  std::string Refusal(const char* options) {
    const char* const paths[] = {file_.path().c_str()};
    auto* reader = reinterpret_cast<headrace_reader*>(1);
    const std::string message =
        Call(headrace_open, paths, size_t{1}, options, &reader);
    EXPECT_EQ(reader, nullptr);
    return message;
  }

  const TemporaryFile file_{SomeRecords()};
};

TEST_F(COptionsTest, NothingIsTheDefaults) {
  EXPECT_EQ(RestOf(Open(file_.path())).size(), 6u);
  EXPECT_EQ(Read("{}"), "012345");
  EXPECT_EQ(Read(" {\"threads\": null, \"spec\": null}"), "012345");
}

TEST_F(COptionsTest, EachIsHeeded) {
  EXPECT_EQ(Read("{\"shard\": [1, 2]}").size(), 3u);
  EXPECT_EQ(Read("{\"shard\": [[0, 2], [0, 3]]}").size(), 1u);
  EXPECT_EQ(Read("{\"record_ranges\": [[2, 4]]}"), "23");
  EXPECT_EQ(Read("{\"record_ranges\": [[4, null, 6]]}"), "45");
  EXPECT_THAT(Read("{\"record_ranges\": [[4, null, 7]]}"),
              HasSubstr("wrong_record_count"));
  EXPECT_EQ(Read("{\"byte_range\": [0, 1]}"), "0");
  EXPECT_EQ(Read("{\"byte_range\": [1, null]}"), "12345");
  EXPECT_EQ(RestOf(Open(file_.path(), "{\"columns\": [\"b\"]}"))[0],
            "{b: [\"x\"]}");
  EXPECT_THAT(RestOf(Open(file_.path(), "{\"message\": \"raw\"}"))[0],
              StartsWith("{payload: "));
  EXPECT_THAT(Read("{\"compression\": \"gzip\"}"), HasSubstr("decompress"));
  EXPECT_THAT(Refusal("{\"index\": \"required\"}"), HasSubstr("not_found"));
  EXPECT_THAT(Read("{\"max_record_bytes\": 3}"), HasSubstr("too_large"));
  EXPECT_EQ(Read("{\"batch_size\": \"auto\", \"threads\": 0, \"index\": "
                 "\"none\", \"mmap\": true, \"verify\": false, "
                 "\"verify_unselected\": true, \"sample_bytes\": 0, "
                 "\"max_inflated_bytes\": 0, \"max_reported\": 1, "
                 "\"max_batch_bytes\": 1000000, \"max_bad\": 0, "
                 "\"strict_columns\": true}"),
            "012345");
}

TEST_F(COptionsTest, APlanIsForDatasetsToo) {
  const CDataset dataset = OpenDataset(
      file_.path(),
      "{\"spec\": {\"features\": [{\"name\": \"i\", \"kind\": \"fixed_len\", "
      "\"dtype\": \"int64\", \"shape\": []}]}, \"threads\": 2, \"mmap\": true, "
      "\"index\": \"none\"}");
  headrace_plan* plan = nullptr;
  EXPECT_EQ(Call(headrace_dataset_plan, dataset.get(), &plan), "");
  const CPlan owned(plan);
  char* text = nullptr;
  EXPECT_EQ(Call(headrace_plan_text, plan, &text), "");
  EXPECT_THAT(text, HasSubstr("i"));
  headrace_text_free(text);
}

TEST_F(COptionsTest, WhatIsWrongIsNamed) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"", "the options are not JSON: line 1, column 1"},
      {"{\"threads\": 1", "the options are not JSON: line 1"},
      {"[]", "options are an object like {\"threads\": 4}, not a list"},
      {"{\"threads\": 1, \"threads\": 1}", "the key \"threads\" occurs twice"},
      {"{\"thread\": 1}",
       "there is no option \"thread\"; did you mean \"threads\"?"},
      {"{\"qqqqqqqqqq\": 1}", "; the options are \"message\", \"columns\", "},
      {"{\"shuffle\": true}", "there is no option \"shuffle\""},
      {"{\"threads\": true}", "\"threads\" is true; it takes a whole number"},
      {"{\"threads\": 1.5}", "\"threads\" is 1.5; it takes"},
      {"{\"threads\": 1e3}", "\"threads\" is 1e3; it takes"},
      {"{\"threads\": -1}", "\"threads\" is -1; it takes"},
      {"{\"max_bad\": 18446744073709551616}", "it takes a whole number"},
      {"{\"verify\": 1}", "\"verify\" is 1; it takes true or false"},
      {"{\"batch_size\": 0}", "\"batch_size\" is 0; it takes"},
      {"{\"batch_size\": \"many\"}", "\"batch_size\" is \"many\"; it takes"},
      {"{\"on_corrupt\": \"skipp\"}",
       "\"on_corrupt\" is \"skipp\"; did you mean \"skip\"?"},
      {"{\"on_row_error\": \"x\"}", "its values are \"fail\", \"skip\""},
      {"{\"on_row_error\": 1}", "it takes a string that is not empty"},
      {"{\"bytes_as\": \"\"}", "it takes a string that is not empty"},
      {"{\"columns\": \"i\"}", "\"columns\" is \"i\"; it takes a list"},
      {"{\"columns\": []}", "it takes a list of at least one string"},
      {"{\"columns\": [1]}", "it takes a list of strings"},
      {"{\"columns\": [\"j\"]}", "\"j\""},
      {"{\"shard\": [2, 2]}", "\"shard\" is [2, 2]; it takes [index, count]"},
      {"{\"shard\": [[0, 2], 1]}", "\"shard\" is 1; it takes"},
      {"{\"shard\": [0, 4294967296]}", "it takes [index, count]"},
      {"{\"shard\": {}}", "\"shard\" is an object"},
      {"{\"byte_range\": [2, 1]}", "\"byte_range\" is [2, 1]; it takes"},
      {"{\"byte_range\": [null, 1]}", "\"byte_range\" is [null, 1]; it takes"},
      {"{\"record_ranges\": [[0]]}", "\"record_ranges\" is [0]; it takes"},
      {"{\"record_ranges\": 1}", "\"record_ranges\" is 1; it takes"},
      {"{\"index\": \"/no/such/folder\", \"threads\": []}",
       "\"threads\" is []"},
      {"{\"message\": \"exampel\"}", "did you mean \"example\"?"},
  };
  for (const auto& bad : cases) {
    EXPECT_THAT(Refusal(bad.first),
                AllOf(StartsWith("invalid_argument: "), HasSubstr(bad.second)))
        << bad.first;
  }
}

TEST_F(COptionsTest, DatasetsHaveNoOptionsOfReaders) {
  const char* const paths[] = {file_.path().c_str()};
  headrace_dataset* dataset = nullptr;
  for (const char* options :
       {"{\"batch_size\": 1}", "{\"on_corrupt\": \"skip\"}"}) {
    EXPECT_THAT(
        Call(headrace_dataset_open, paths, size_t{1}, options, &dataset),
        HasSubstr("there is no option"));
  }
}

}  // namespace
}  // namespace headrace::testing
