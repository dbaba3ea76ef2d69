// Rows of folders have the values that TensorFlow Datasets gives.

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/record_reader.h"
#include "headrace/tfds.h"
#include "nlohmann/json.hpp"
#include "src/base/json/json_text.h"
#include "tests/support/matchers.h"
#include "tests/tfds/golden_folders.h"
#include "tests/tfds/nested_values.h"

namespace headrace::testing {
namespace {

using nlohmann::json;

struct FolderRow {
  std::string id;
  std::string payload;
};

std::vector<FolderRow> RowsOf(const tfds::Info& info,
                              const std::string& split) {
  std::vector<FolderRow> rows;
  for (const tfds::Slice& slice : OrThrow(Select(info, split))) {
    RecordReader reader = OrThrow(RecordReader::Open(slice.path));
    const std::string name = std::filesystem::path(slice.path).filename();
    auto record = reader.Next();
    for (; record; record = reader.Next()) {
      rows.push_back({name + "__" + std::to_string(record->number),
                      std::string(record->payload)});
    }
    EXPECT_THAT(record, IsOk());
  }
  return rows;
}

// Compares a row of each tensor.
void CompareRow(const tfds::Columns& columns, const Batch& batch, size_t row,
                const json& example) {
  for (size_t i = 0; i < columns.leaves.size(); ++i) {
    const tfds::Leaf& leaf = columns.leaves[i];
    const Tensor& tensor = batch.tensors()[i];
    ASSERT_EQ(tensor.name, leaf.path());
    ASSERT_EQ(NestedValues(tensor, row), GoldenValues(example, leaf))
        << leaf.path() << " of row " << row;
    const std::string dtype = GoldenDType(example, leaf);
    EXPECT_TRUE(dtype.empty() || dtype == leaf.dtype) << leaf.path();
  }
}

class FolderValuesTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, FolderValuesTest,
                         ::testing::ValuesIn(kGoldenFolders),
                         [](const auto& test) { return test.param; });

TEST_P(FolderValuesTest, AllRows) {
  const tfds::Info info = OrThrow(tfds::OpenFolder(GoldenFolder(GetParam())));
  const tfds::Columns columns = OrThrow(Choose(info));
  Decoder decoder(OrThrow(Plan::Compile(columns.spec)));
  const std::vector<json> golden = GoldenLines(GetParam(), "example");
  size_t compared = 0;
  for (const tfds::Split& split : info.splits) {
    const std::vector<FolderRow> rows = RowsOf(info, split.name);
    ASSERT_EQ(rows.size(), split.num_examples);
    std::vector<std::string_view> payloads;
    for (const FolderRow& row : rows) payloads.push_back(row.payload);
    const Result<Batch> batch = decoder.Decode(payloads);
    ASSERT_THAT(batch, IsOk());
    for (const json& line : golden) {
      if (line["split"] != split.name) continue;
      const size_t row = line["row"];
      EXPECT_EQ(rows.at(row).id, line["id"]);
      CompareRow(columns, *batch, row, line["example"]);
      ++compared;
    }
  }
  EXPECT_EQ(compared, golden.size());
}

TEST(OddRecordsTest, All) {
  const auto lines = ReadGoldenLines(VectorPath("tfds/odd.jsonl.gz"));
  ASSERT_TRUE(lines && lines->size() > 10);
  for (const std::string& line : *lines) {
    const json golden = json::parse(line);
    SCOPED_TRACE(golden["id"]);
    const tfds::Info info = OrThrow(
        tfds::ParseInfo("{\"name\": \"d\"}", golden["features"].dump()));
    const tfds::Columns columns = OrThrow(Choose(info));
    Decoder decoder(OrThrow(Plan::Compile(columns.spec)));
    const std::string payload =
        ParseBase64(golden["record"].get<std::string>()).value();
    const std::string_view records[] = {payload};
    const Result<Batch> batch = decoder.Decode(records);
    if (golden["expect"].contains("error")) {
      EXPECT_FALSE(batch.ok());
      EXPECT_TRUE(IsRowError(batch.status().code()))
          << batch.status().ToString();
      continue;
    }
    ASSERT_THAT(batch, IsOk());
    CompareRow(columns, *batch, 0, golden["expect"]);
  }
}

}  // namespace
}  // namespace headrace::testing
