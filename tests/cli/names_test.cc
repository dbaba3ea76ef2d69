// Names of outputs, and names that are near others.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "src/base/text/near_miss.h"
#include "src/cli/output/output_name.h"
#include "src/cli/text/argument.h"
#include "src/read/files/paths.h"
#include "tests/support/or_throw.h"
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
        std::pair("a.tfrecord a.tfrecords a.tfr a.tfrecord.gz a.tfr.zst "
                  "a.TFRecord a.tfrec a.record.gz .a.tfrecord a.tfrecord@4 "
                  "a.tfrecord@4.gz a-00000-of-00002 part-r-00000",
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

TEST(OutputPaths, AreOneFileOrAShardSet) {
  const std::vector<std::string> one[] = {
      {"a.tfr"}, {"-"}, {"@4"}, {"me@host.tfr"}, {"a@4x"}, {"a@"}, {"a@-1"}};
  for (const auto& paths : one) {
    EXPECT_EQ(testing::OrThrow(OutputPaths(paths[0], 0, 10)), paths);
  }
  EXPECT_EQ(
      testing::OrThrow(OutputPaths("x/a@2", 0, 10)),
      (std::vector<std::string>{"x/a-00000-of-00002", "x/a-00001-of-00002"}));
  EXPECT_EQ(testing::OrThrow(OutputPaths("a@b@1.tfrecord.gz", 0, 10)),
            std::vector<std::string>{"a@b-00000-of-00001.tfrecord.gz"});
  EXPECT_EQ(OutputPaths("a@10000", 0, 10000).ok(), true);
  for (const char* name : {"a@0", "a@10001.gz", "a@99999999999999999999"}) {
    EXPECT_EQ(OutputPaths(name, 0, 10000).status().message(),
              std::string(name) + " is a shard set of 1 to 10000 files");
  }
}

TEST(OutputPaths, NumberShardsBeforeTheCompression) {
  EXPECT_EQ(testing::OrThrow(OutputPaths("a.b/p.tfrecord.gz", 2, 10)),
            (std::vector<std::string>{"a.b/p.tfrecord-00000-of-00002.gz",
                                      "a.b/p.tfrecord-00001-of-00002.gz"}));
  EXPECT_EQ(testing::OrThrow(OutputPaths("a.b/p", 1, 10)),
            std::vector<std::string>{"a.b/p-00000-of-00001"});
  for (const char* name : {"p.tfrecord", "p.tfrecord.gz", "p.tfr.ZST", "p"}) {
    for (const std::string& path : testing::OrThrow(OutputPaths(name, 3, 10))) {
      EXPECT_TRUE(HasTfrecordName(path)) << path;
      EXPECT_EQ(FormatOfName(path), OutputFormat::kTfrecord) << path;
    }
  }
  EXPECT_EQ(OutputPaths("p@2", 2, 10).status().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(OutputPaths("p", 11, 10).status().code(),
            ErrorCode::kInvalidArgument);
}

TEST(ByteSize, IsAWholeNumberAndOneLetter) {
  EXPECT_EQ(ParseByteSize("0"), 0u);
  EXPECT_EQ(ParseByteSize("4096"), 4096u);
  EXPECT_EQ(ParseByteSize("16K"), 16384u);
  EXPECT_EQ(ParseByteSize("256m"), uint64_t{256} << 20);
  EXPECT_EQ(ParseByteSize("1G"), uint64_t{1} << 30);
  EXPECT_EQ(ParseByteSize("16777215T"), uint64_t{16777215} << 40);
  EXPECT_EQ(ParseByteSize("18446744073709551615"), ~uint64_t{0});
  for (const std::string& text :
       Split("|x|K|-1|+1|1.5G|1 G| 1|1KB|1KiB|1P|0x10|16777216T|"
             "18446744073709551616",
             '|')) {
    EXPECT_EQ(ParseByteSize(text), std::nullopt) << text;
  }
}

TEST(OutputName, OfAShardIsReadAsOne) {
  EXPECT_EQ(ShardName("a.tfr", 2, 4), "a.tfr-00002-of-00004");
  EXPECT_EQ(ShardName("", 0, 1), "-00000-of-00001");
  EXPECT_EQ(ShardName("a", 123456, 1234567), "a-123456-of-1234567");
}

TEST(DidYouMeanTest, NamesTheNearestOrNothing) {
  const std::vector<std::string> names = {"--format", "--from", "--features"};
  EXPECT_EQ(DidYouMean("--fromat", names), "; did you mean \"--format\"?");
  EXPECT_EQ(DidYouMean("--zzzzzz", names), "");
  EXPECT_EQ(DidYouMean("--format", std::vector<std::string>()), "");
}

}  // namespace
}  // namespace headrace::cli
