// Reading, from the bytes of a file to a batch, fits a stack of 64 KiB
// whatever the file holds.

#include "tests/process/small_stack.h"

#include <string>
#include <vector>

#include "headrace/reader.h"
#include "tests/reader/inputs/random_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"
#include "tests/support/wire_families.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

// Each a row error, between rows that are good.
std::string DeepFile() {
  std::vector<std::string> records = IdRecords(0, 1);
  for (const Level& level : Levels()) {
    records.push_back(level.wrap(NestedGroups(kUnknownField, 20'000)));
    records.push_back(IdRecords(0, 1)[0]);
  }
  records.push_back(NestedGroups(kUnknownField, 10'000'000));
  records.push_back(StartGroup(kUnknownField) + IdRecords(0, 1)[0]);
  // And records inside of records.
  std::string nested = "x";
  for (int i = 0; i < 300; ++i) nested = FramedRecord(nested);
  return RecordFile(records) + nested;
}

TEST(SmallStackTest, DeepRecords) {
  const std::string bytes = DeepFile();
  for (const Compression compression : kCompressions) {
    const TemporaryFile file(CompressedBytes(bytes, compression));
    for (const OnCorrupt on_corrupt : {OnCorrupt::kFail, OnCorrupt::kRescan}) {
      const ReadOptions options{.on_corrupt = on_corrupt,
                                .on_row_error = OnRowError::kSkip,
                                .verify_unselected = true};
      OnSmallStack([&] {
        const Transcript read = ReadAll({file.path()}, options);
        EXPECT_THAT(read.status, IsOk());
        // Inside what only looks like feature lists an Example may be deep.
        EXPECT_GE(read.report.num_rows, 10u);
        EXPECT_GT(read.rows.size(), 10u);
      });
    }
  }
}

TEST(SmallStackTest, RandomFiles) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const RandomFile random = RandomFileOf(seed);
    const TemporaryFile file(random.bytes);
    OnSmallStack([&] {
      ReadAll(
          {file.path()},
          {.on_corrupt = OnCorrupt::kRescan, .on_row_error = OnRowError::kSkip},
          &random.plan);
    });
  }
}

}  // namespace
}  // namespace headrace::testing
