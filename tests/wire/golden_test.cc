// The naive decoder against the golden columns: an oracle has to be right
// before anything is compared with it.

#include "tests/golden/golden.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/golden/vectors.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/naive_columns.h"

namespace headrace::testing {
namespace {

using nlohmann::json;

// Cases of Examples without a schema.
size_t CheckFile(const std::string& name) {
  const auto lines = ReadGoldenLines(VectorPath(name));
  if (!lines) {
    ADD_FAILURE() << "no file " << VectorPath(name);
    return 0;
  }
  size_t checked = 0;
  for (const std::string& line : *lines) {
    const json golden = json::parse(line);
    if (golden["message"] != "example" || golden.contains("schema_pbtxt")) {
      continue;
    }
    SCOPED_TRACE(name + ":" + golden["id"].get<std::string>());
    const std::vector<std::string> bytes = GoldenRecords(golden["records"]);
    const std::vector<std::string_view> records(bytes.begin(), bytes.end());
    EXPECT_EQ(Difference(GoldenColumns(golden["expect"], records.size()),
                         NaiveDecodeAny(records)),
              "");
    ++checked;
  }
  return checked;
}

TEST(NaiveDecoder, AgreesWithGoldenColumns) {
  EXPECT_GT(CheckFile("columns-catalogue.jsonl.gz"), 50u);
  EXPECT_GT(CheckFile("columns-random.jsonl.gz"), 150u);
}

}  // namespace
}  // namespace headrace::testing
