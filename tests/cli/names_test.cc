// Names of outputs, and names that are near others.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/paths.h"
#include "src/cli/output_name.h"
#include "src/cli/text/did_you_mean.h"
#include "tests/support/words.h"

namespace headrace::cli {
namespace {

using testing::Split;

TEST(OutputName, SaysTheFormat) {
  using enum OutputFormat;
  for (const auto& [names, format] :
       {std::pair("a.arrow a.feather a.ipc x.y/a.b.arrow", kArrow),
        std::pair("a.arrows a.stream", kArrowStream),
        std::pair("a.jsonl a.ndjson", kJsonl), std::pair("a.csv .csv", kCsv),
        std::pair("a.tfrecord a.tfrecords a.tfr a.tfrecord.gz a.tfr.zst",
                  kTfrecord)}) {
    for (const std::string& name : Split(names, ' ')) {
      EXPECT_EQ(FormatOfName(name), format) << name;
    }
  }
  for (const std::string& name : Split(
           "a|a.|a.txt|a.gz|a.csv.gz|a.arrow.zst|a.csv/b|csv||-|a.CSV", '|')) {
    EXPECT_EQ(FormatOfName(name), std::nullopt) << name;
  }
}

TEST(OutputName, OfAShardIsReadAsOne) {
  EXPECT_EQ(ShardName("a.tfr", 2, 4), "a.tfr-00002-of-00004");
  EXPECT_EQ(ShardName("", 0, 1), "-00000-of-00001");
  EXPECT_EQ(ShardName("a", 123456, 1234567), "a-123456-of-1234567");
}

TEST(DidYouMeanTest, NamesTheNearestOrNothing) {
  const std::vector<std::string> names = {"--format", "--from", "--features"};
  EXPECT_EQ(DidYouMean("--fromat", names), "; did you mean --format?");
  EXPECT_EQ(DidYouMean("--zzzzzz", names), "");
  EXPECT_EQ(DidYouMean("--format", {}), "");
}

}  // namespace
}  // namespace headrace::cli
