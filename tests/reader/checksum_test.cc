// Payloads whose damage only the checksum shows: the record can still be
// decoded, and nothing of it may be believed.

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/reader.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr size_t kChecked = 100;
constexpr size_t kBadRecord = 42;

// The last byte of each payload is its record's number; one of them is wrong.
std::string FileWithWrongValue() {
  std::vector<std::string> records;
  for (size_t i = 0; i < kChecked; ++i) {
    records.push_back(
        ExampleBuilder().Int64s("id", {static_cast<int64_t>(i)}).Build());
  }
  DamagedFile file(records);
  constexpr size_t kFooter = 4;
  file.FlipByte(file.offset(kBadRecord + 1) - kFooter - 1, 0x01);
  return file.bytes();
}

std::vector<int64_t> Ids(Reader* reader) {
  std::vector<int64_t> ids;
  while (const auto batch = reader->Next()) {
    const auto values = batch->columns()[0].int64s();
    ids.insert(ids.end(), values.begin(), values.end());
  }
  return ids;
}

std::vector<int64_t> Numbers(size_t begin, size_t end) {
  std::vector<int64_t> numbers;
  for (; begin < end; ++begin) numbers.push_back(static_cast<int64_t>(begin));
  return numbers;
}

TEST(Checksums, AWrongValueEndsTheStream) {
  const TemporaryFile file(FileWithWrongValue());
  ForEachTarget([&] {
    for (const size_t threads : {1u, 2u}) {
      auto reader = OrThrow(Reader::Open(
          {file.path()}, IdPlan(), {.batch_size = 30, .threads = threads}));
      EXPECT_EQ(Ids(&reader), Numbers(0, kBadRecord));
      EXPECT_THAT(reader.status(),
                  IsError(ErrorCode::kPayloadCrc, {.record = kBadRecord}));
    }
  });
}

TEST(Checksums, AWrongValueIsLeftOut) {
  const TemporaryFile file(FileWithWrongValue());
  std::vector<int64_t> expected = Numbers(0, kChecked);
  expected.erase(expected.begin() + kBadRecord);
  for (const OnCorrupt on_corrupt : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
    for (const size_t threads : {1u, 2u}) {
      auto reader = OrThrow(Reader::Open(
          {file.path()}, IdPlan(),
          {.batch_size = 30, .on_corrupt = on_corrupt, .threads = threads}));
      EXPECT_EQ(Ids(&reader), expected);
      EXPECT_THAT(reader.status(), IsOk());
      ASSERT_EQ(reader.report().num_regions, 1u);
      EXPECT_EQ(reader.report().regions[0].region.reason,
                ErrorCode::kPayloadCrc);
    }
  }
}

TEST(Checksums, AWrongValueIsGivenToThoseWhoDoNotVerify) {
  const TemporaryFile file(FileWithWrongValue());
  auto reader =
      OrThrow(Reader::Open({file.path()}, IdPlan(), {.verify_payload = false}));
  EXPECT_EQ(Ids(&reader)[kBadRecord], int64_t{kBadRecord ^ 1});
}

}  // namespace
}  // namespace headrace::testing
