// What a file of blocked gzip says of its size, and when it is believed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "headrace/record_reader.h"
#include "headrace/record_writer.h"
#include "tests/compression/stored.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

std::optional<ClaimedSize> ClaimOf(const std::string& bytes) {
  const TemporaryFile file(bytes);
  const auto claimed = ReadClaimedSize(file.path());
  EXPECT_TRUE(claimed.ok()) << claimed.status().ToString();
  if (!claimed) return {};
  return *claimed;
}

std::vector<std::string> SomeRecords(size_t count) {
  std::vector<std::string> records;
  for (size_t i = 0; i < count; ++i) {
    records.push_back(std::string(i % 300, static_cast<char>(i)));
  }
  return records;
}

std::string Blocked(const std::vector<std::string>& records,
                    Compression compression = Compression::kGzip) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/a";
  RecordWriter writer = OrThrow(RecordWriter::Open(
      path, {.compression = compression, .block_bytes = 4096}));
  for (const std::string& record : records) {
    EXPECT_THAT(writer.Write(record), IsOk());
  }
  EXPECT_THAT(writer.Close(), IsOk());
  return ContentOf(path);
}

TEST(ClaimedSize, IsThatOfTheRecordsWritten) {
  for (const size_t count : {0u, 1u, 1000u}) {
    const auto records = SomeRecords(count);
    const auto claimed = ClaimOf(Blocked(records));
    ASSERT_TRUE(claimed);
    EXPECT_EQ(claimed->records, count);
    EXPECT_EQ(claimed->bytes, RecordFile(records).size());
  }
}

TEST(ClaimedSize, OfFilesThatFollowOneAnotherIsTheSum) {
  const auto claimed = ClaimOf(Blocked(SomeRecords(7)) + Blocked({}) +
                               Blocked(SomeRecords(500)));
  ASSERT_TRUE(claimed);
  EXPECT_EQ(claimed->records, 507u);
}

TEST(ClaimedSize, MustBeThatOfAllOfTheFile) {
  const std::string blocked = Blocked(SomeRecords(100));
  const std::string plain = RecordFile(SomeRecords(5));
  using compression::Gzip;
  EXPECT_FALSE(ClaimOf(blocked + Gzip(plain)));
  EXPECT_FALSE(ClaimOf(Gzip(plain) + blocked));
  EXPECT_FALSE(ClaimOf(blocked + '\0'));
  for (size_t size = 0; size < blocked.size(); size += 13) {
    EXPECT_FALSE(ClaimOf(blocked.substr(0, size))) << size;
  }
  std::string other_size = blocked;
  other_size[other_size.size() - 1] ^= 1;  // in the last trailer
  EXPECT_FALSE(ClaimOf(other_size));
}

// BGZF says where members end, but not how many records they have.
TEST(ClaimedSize, NeedsTheRecordsOfEveryMember) {
  const std::string blocked = Blocked(SomeRecords(100));
  const std::string bgzf = compression::Bgzf({RecordFile(SomeRecords(5))});
  EXPECT_FALSE(ClaimOf(bgzf));
  EXPECT_FALSE(ClaimOf(blocked + bgzf));
  EXPECT_FALSE(ClaimOf(bgzf + blocked));
}

TEST(ClaimedSize, IsSaidByGzipAlone) {
  const auto records = SomeRecords(50);
  EXPECT_FALSE(ClaimOf(RecordFile(records)));
  EXPECT_FALSE(ClaimOf(Blocked(records, Compression::kZstd)));
  EXPECT_FALSE(ClaimOf(Blocked(records, Compression::kZlib)));
  EXPECT_FALSE(ClaimOf(""));
}

TEST(ClaimedSize, OfNoFileIsNotLookedFor) {
  const TemporaryFolder folder;
  // Opening it would wait for a writer.
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path :
       {pipe, folder.path(), folder.path() + "/missing", std::string("-")}) {
    const auto claimed = ReadClaimedSize(path);
    EXPECT_TRUE(claimed.ok());
    EXPECT_FALSE(claimed);
  }
}

}  // namespace
}  // namespace headrace::testing
