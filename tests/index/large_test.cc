// An index of very many records opens at once: it is neither read nor checked
// as a whole.

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "tests/index/naive_index.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/resident.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kRecords = 100'000'000;
constexpr uint64_t kBlocks = (kRecords + 63) / 64;
constexpr uint64_t kLength = 1000;

void Put(std::string* bytes, uint64_t number, size_t width) {
  for (size_t i = 0; i < width; ++i) {
    *bytes += static_cast<char>(number >> (8 * i));
  }
}

// Lengths of 2 bytes, all 0 behind the base: the file is a hole but for its
// head and the entries written.
class SparseIndex {
 public:
  explicit SparseIndex(const std::string& path)
      : file_(open(path.c_str(), O_RDWR | O_CREAT, 0600)) {
    std::string head = "HRI1";
    Put(&head, 1, 2);
    Put(&head, 0, 2);
    Put(&head, kRecords * (16 + kLength), 8);
    head.append(24, '\0');
    Put(&head, kRecords, 8);
    Put(&head, kRecords * (16 + kLength), 8);
    Put(&head, kDirectory, 8);
    Put(&head, XXH3_64bits(head.data(), head.size()), 8);
    Write(0, head);
    EXPECT_EQ(ftruncate(file_, kDirectory + kBlocks * 32), 0);
  }
  SparseIndex(const SparseIndex&) = delete;
  SparseIndex& operator=(const SparseIndex&) = delete;
  ~SparseIndex() { close(file_); }

  void WriteEntry(uint64_t block) {
    std::string entry;
    Put(&entry, block * 64 * (16 + kLength), 8);
    Put(&entry, 72 + block * 128, 8);
    Put(&entry, kLength, 8);
    Put(&entry, 2, 4);
    std::string checked = entry;
    checked.append(block + 1 < kBlocks ? 128 : 2 * (kRecords - 64 * block),
                   '\0');
    Put(&entry, XXH3_64bits_withSeed(checked.data(), checked.size(), block), 4);
    Write(kDirectory + block * 32, entry);
  }

 private:
  static constexpr uint64_t kDirectory = 72 + kRecords * 2;

  void Write(uint64_t at, const std::string& bytes) {
    EXPECT_EQ(pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(bytes.size()));
  }

  const int file_;
};

TEST(LargeIndex, OpensAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/x.hri";
  SparseIndex sparse(path);
  const std::vector<uint64_t> blocks = {0, 1, kBlocks / 2, kBlocks - 1};
  for (const uint64_t block : blocks) sparse.WriteEntry(block);
  const uint64_t resident = ResidentBytes();
  const auto begin = std::chrono::steady_clock::now();
  const Index index = OrThrow(Index::Open(path));
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(index.size(), kRecords);
  for (const uint64_t block : blocks) {
    for (const uint64_t record : {block * 64, block * 64 + 31}) {
      const std::array<uint64_t, 1> records = {record};
      std::array<RecordPlace, 1> places;
      ASSERT_THAT(index.Find(records, places), IsOk());
      EXPECT_EQ(places[0], (RecordPlace{.offset = record * (16 + kLength),
                                        .length = kLength}));
    }
  }
  // The others are a hole.
  const std::array<uint64_t, 1> records = {kRecords / 4};
  std::array<RecordPlace, 1> places;
  EXPECT_THAT(index.Find(records, places), HasCode(ErrorCode::kBadIndex));
  EXPECT_LT(ResidentBytes(), resident + (uint64_t{16} << 20));
  // It is some microseconds on an idle machine.
  if (!kInstrumented) {
    EXPECT_LT(took, std::chrono::milliseconds(50));
  }
}

// Made by the library, with as many records.
TEST(LargeIndex, IsMadeAndOpened) {
  if (!SlowTestsWanted()) GTEST_SKIP() << "set HEADRACE_SLOW_TESTS";
  const TemporaryFolder folder;
  const std::string text = folder.path() + "/x.idx";
  const std::string path = folder.path() + "/x.hri";
  {
    std::ofstream out(text);
    for (uint64_t i = 0, at = 0; i < kRecords; ++i) {
      const uint64_t size = 516 + i * i % 1000;
      out << at << " " << size << "\n";
      at += size;
    }
  }
  ASSERT_THAT(OrThrow(Index::Open(text)).Save(path), IsOk());
  const auto begin = std::chrono::steady_clock::now();
  const Index index = OrThrow(Index::Open(path));
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(50));
  EXPECT_LE(index.index_bytes(), 3 * kRecords);
  ASSERT_EQ(index.size(), kRecords);
  const std::array<uint64_t, 2> last = {kRecords - 2, kRecords - 1};
  std::array<RecordPlace, 2> places;
  ASSERT_THAT(index.Find(last, places), IsOk());
  EXPECT_EQ(places[0].offset + 16 + places[0].length, places[1].offset);
  EXPECT_EQ(places[1].offset + 16 + places[1].length, index.stream_bytes());
}

}  // namespace
}  // namespace headrace::testing
