// Zstd files as other writers make them, without checksums and with blocks
// that do not compress: every way in gives all rows.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/index.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "tests/compression/stored.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

std::string NoiseRecords(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string records;
  for (size_t i = 0; i < count; ++i) {
    std::string payload(900, '\0');
    for (char& byte : payload) byte = static_cast<char>(random());
    records += FramedRecord(payload);
  }
  return records;
}

struct ZstdFile {
  std::string plain;
  std::string stored;
};

// Frames of many sizes, so that their ends lie anywhere in the buffers.
std::vector<ZstdFile> ZstdFiles() {
  std::vector<ZstdFile> files;
  std::mt19937 random(4);
  for (const size_t most : {40u, 300u, 1000u}) {
    ZstdFile file;
    while (file.plain.size() < (size_t{1} << 20)) {
      const std::string part =
          NoiseRecords(1 + random() % most, static_cast<unsigned>(random()));
      file.plain += part;
      file.stored += compression::Zstd(part, 3, false);
    }
    files.push_back(file);
  }
  return files;
}

std::vector<std::string> ValuesOf(const Transcript& read) {
  EXPECT_THAT(read.status, IsOk());
  std::vector<std::string> values;
  for (const std::string& row : read.rows) {
    values.push_back(row.substr(row.find(' ', row.find('@'))));
  }
  return values;
}

std::vector<std::string> ValuesOf(const std::vector<std::string>& paths,
                                  const ReadOptions& options) {
  ReadOptions raw = options;
  raw.message = MessageType::kRaw;
  return ValuesOf(ReadAll(paths, raw));
}

std::vector<std::string> ByNumber(const std::string& path) {
  const Dataset dataset =
      OrThrow(Dataset::Open({path}, {.message = MessageType::kRaw}));
  std::vector<uint64_t> rows(dataset.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  Dataset copy = dataset;
  const Batch batch = OrThrow(copy.Take(rows));
  Transcript taken;
  AddRows(batch, &taken);
  return ValuesOf(taken);
}

TEST(ZstdFrames, EveryWayGivesAllRows) {
  for (const ZstdFile& file : ZstdFiles()) {
    const TemporaryFile plain(file.plain);
    const TemporaryFile data(file.stored);
    const auto truth = ValuesOf({plain.path()}, {});
    for (const size_t threads : {1u, 2u, 4u}) {
      EXPECT_TRUE(ValuesOf({data.path()}, {.threads = threads}) == truth);
    }
    EXPECT_TRUE(ByNumber(data.path()) == truth);
    EXPECT_EQ(OrThrow(Index::Build(data.path(), {})).size(), truth.size());
    MemoryFiles files;
    for (const size_t piece : {1000u, 65'536u, 1u << 20}) {
      files["pipe"] = {.bytes = file.stored,
                       .can_seek = false,
                       .piece = piece,
                       .knows_size = false};
      EXPECT_TRUE(ValuesOf({"pipe"}, Through(&files)) == truth) << piece;
    }
    RecordReader records = OrThrow(RecordReader::Open(data.path(), {}));
    size_t count = 0;
    while (records.Next()) ++count;
    EXPECT_EQ(count, truth.size());
  }
}

}  // namespace
}  // namespace headrace::testing
