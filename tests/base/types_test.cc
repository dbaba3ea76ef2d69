// Names of the vocabulary.

#include "headrace/types.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace headrace {
namespace {

TEST(CompressionOfNameTest, EveryEndingThatIsKnown) {
  struct Case {
    Compression compression;
    std::vector<std::string> endings;
  };
  for (const auto& [compression, endings] :
       std::vector<Case>{{Compression::kGzip, {".gz", ".gzip", ".GZ"}},
                         {Compression::kZlib, {".zz", ".zlib"}},
                         {Compression::kSnappy, {".snappy", ".sz", ".Snappy"}},
                         {Compression::kZstd, {".zst", ".zstd"}}}) {
    for (const std::string& ending : endings) {
      for (const std::string stem : {"x", "x.tfrecord", "a.b/x", "/x.zip"}) {
        EXPECT_EQ(CompressionOfName(stem + ending), compression)
            << stem << ending;
      }
    }
  }
}

TEST(CompressionOfNameTest, OtherNamesPromiseNothing) {
  for (const std::string name :
       {"", "x", "x.tfrecord", ".gz", "a/.gz", "a.gz/x", "x.gz.tmp", "x.zstd1",
        "gz", "x.", "x.lz4", "-", "/"}) {
    EXPECT_EQ(CompressionOfName(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace headrace
