// Parts of a file give together what one reader gives, or one of them fails.

#include "src/input/record/seam.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_reader.h"
#include "headrace/record_writer.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/source/source.h"
#include "tests/random/random_example.h"
#include "tests/record/random_damage.h"
#include "tests/record/scan.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

// The end of the record whose header is at `at`; 0 where there is none.
uint64_t NaiveEnd(std::string_view file, uint64_t at) {
  if (file.size() - at < kRecordOverhead) return 0;
  const auto* const header = reinterpret_cast<const uint8_t*>(&file[at]);
  const uint64_t length = LoadLittle64(header);
  if (!IsRecordHeader(header) || length > file.size() - at - kRecordOverhead) {
    return 0;
  }
  return at + kRecordOverhead + length;
}

uint64_t NaiveSeam(std::string_view file, uint64_t from) {
  if (from == 0) return 0;
  for (uint64_t begin = from; begin < file.size(); ++begin) {
    uint64_t at = begin;
    size_t count = 0;
    while (at < file.size() &&
           (count < 1 + 8 || at - begin < (uint64_t{64} << 10))) {
      at = NaiveEnd(file, at);
      if (at == 0) break;
      ++count;
    }
    if (at != 0) return begin;
  }
  return file.size();
}

struct PartRead {
  std::vector<std::string> payloads;
  Status status;
};

PartRead ReadPart(Result<RecordReader> reader) {
  PartRead read;
  if (!reader.ok()) {
    read.status = reader.status();
    return read;
  }
  while (true) {
    auto record = reader->Next();
    if (!record.ok()) read.status = record.status();
    if (!record) return read;
    read.payloads.emplace_back(record->payload);
  }
}

std::string RandomPayload(Random* random, int depth) {
  if (depth < 2 && random->OneIn(150)) {
    const std::string payload = RandomPayload(random, depth + 1);
    return RecordFile(std::vector<std::string>(
        random->Below(200000) / (payload.size() + 16), payload));
  }
  switch (random->Below(100)) {
    case 0:
      return random->Bytes(random->Below(100000));
    case 1:
      return "";
    default:
      return random->Bytes(random->Below(200));
  }
}

std::string RandomFile(Random* random) {
  std::vector<std::string> payloads;
  for (size_t i = random->Below(60); i > 0; --i) {
    payloads.push_back(RandomPayload(random, 0));
  }
  if (random->OneIn(200)) payloads.push_back(random->Bytes(size_t{1} << 20));
  DamagedFile file(payloads);
  if (random->OneIn(2)) DamageAtRandom(random, &file);
  return file.bytes();
}

// Bounds are near records, or anywhere.
std::vector<uint64_t> RandomCuts(Random* random, uint64_t size) {
  std::vector<uint64_t> cuts = {0};
  for (size_t i = random->Below(8); i > 0; --i) {
    cuts.push_back(random->Below(static_cast<size_t>(size) + 20));
  }
  cuts.push_back(random->OneIn(2) ? size : ~uint64_t{0});
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

enum class Parts { kWhole, kSplitSeam, kSameError };

// Fails unless the parts before the first failure are what one reader gives.
Parts Compare(const std::string& file, const std::vector<uint64_t>& cuts,
              RecordReaderOptions options) {
  const PartRead whole = ReadPart(RecordReader::FromMemory(file, options));
  std::vector<std::string> payloads;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    options.range = {.begin = cuts[i], .end = cuts[i + 1]};
    const PartRead part = ReadPart(RecordReader::FromMemory(file, options));
    payloads.insert(payloads.end(), part.payloads.begin(), part.payloads.end());
    if (part.status.ok()) continue;
    const bool is_prefix =
        payloads.size() <= whole.payloads.size() &&
        std::equal(payloads.begin(), payloads.end(), whole.payloads.begin());
    EXPECT_TRUE(is_prefix) << "part " << i;
    if (part.status.code() == ErrorCode::kSplitSeam) return Parts::kSplitSeam;
    EXPECT_EQ(part.status.code(), whole.status.code());
    if (whole.status.ok()) return Parts::kSameError;
    EXPECT_EQ(part.status.info()->offset, whole.status.info()->offset);
    EXPECT_EQ(payloads.size(), whole.payloads.size());
    return Parts::kSameError;
  }
  EXPECT_TRUE(payloads == whole.payloads);
  EXPECT_THAT(whole.status, IsOk());
  return Parts::kWhole;
}

TEST(SeamTest, PartsAreTheWholeOrFail) {
  const uint64_t files = SlowTestsWanted() ? 1000000
                         : kInstrumented   ? 100
                                           : 700;
  size_t outcomes[3] = {};
  for (uint64_t seed = 0; seed < files; ++seed) {
    Random random(seed);
    const std::string file = RandomFile(&random);
    const std::vector<uint64_t> cuts = RandomCuts(&random, file.size());
    for (const OnCorrupt policy : kPolicies) {
      SCOPED_TRACE(seed);
      ++outcomes[static_cast<int>(Compare(file, cuts, {.on_corrupt = policy}))];
      if (HasFailure()) return;
    }
  }
  for (const size_t outcome : outcomes) EXPECT_GT(outcome, files / 50);
}

TEST(SeamTest, SeamsAreTheNaiveOnes) {
  const uint64_t files = kInstrumented ? 20 : 100;
  for (uint64_t seed = 0; seed < files; ++seed) {
    Random random(seed);
    const std::string file = RandomFile(&random);
    if (file.size() > (size_t{1} << 18)) continue;
    auto source = OrThrow(source::OpenMemory(
        file.data(), file.size(), {.compression = Compression::kNone}));
    for (const uint64_t from : RandomCuts(&random, file.size())) {
      EXPECT_EQ(OrThrow(record::FindSeam(source.get(), from)),
                NaiveSeam(file, from))
          << seed << " from " << from;
    }
  }
}

// Small records, so that chains are long; every bound.
TEST(SeamTest, EveryBoundOfASmallFile) {
  const std::vector<std::string> payloads = {"", "a", "bc", "", "def", "g"};
  const std::string file = RecordFile(payloads);
  for (uint64_t a = 0; a <= file.size() + 1; ++a) {
    for (uint64_t b = a; b <= file.size() + 1; ++b) {
      EXPECT_EQ(Compare(file, {0, a, b, ~uint64_t{0}}, {}), Parts::kWhole);
    }
  }
}

// Every way to open a file agrees with memory.
TEST(SeamTest, FilesMappedOrReadAgreeWithMemory) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const std::string file = RandomFile(&random);
    const TemporaryFile temporary(file);
    const std::vector<uint64_t> cuts = RandomCuts(&random, file.size());
    RecordReaderOptions options{.on_corrupt = kPolicies[seed % 3]};
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      options.range = {.begin = cuts[i], .end = cuts[i + 1]};
      options.compression = Compression::kNone;
      const PartRead memory = ReadPart(RecordReader::FromMemory(file, options));
      for (const bool mmap : {false, true}) {
        options.mmap = mmap;
        const PartRead read =
            ReadPart(RecordReader::Open(temporary.path(), options));
        EXPECT_TRUE(read.payloads == memory.payloads) << seed;
        EXPECT_EQ(read.status.code(), memory.status.code()) << seed;
      }
    }
  }
}

// A compressed file is read from its beginning; its parts have what begins in
// them all the same.
TEST(SeamTest, PartsOfACompressedFile) {
  Random random(1);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 500; ++i) {
    payloads.push_back(random.Bytes(random.Below(300)));
  }
  const std::string plain = RecordFile(payloads);
  const TemporaryFile file("");
  auto writer = OrThrow(
      RecordWriter::Open(file.path(), {.compression = Compression::kGzip}));
  for (const std::string& payload : payloads) {
    ASSERT_THAT(writer.Write(payload), IsOk());
  }
  ASSERT_THAT(writer.Close(), IsOk());
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> read;
    const std::vector<uint64_t> cuts = RandomCuts(&random, plain.size());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      const ByteRange range = {.begin = cuts[i], .end = cuts[i + 1]};
      const PartRead part =
          ReadPart(RecordReader::Open(file.path(), {.range = range}));
      ASSERT_THAT(part.status, IsOk());
      EXPECT_TRUE(
          part.payloads ==
          ReadPart(RecordReader::FromMemory(plain, {.range = range})).payloads);
      read.insert(read.end(), part.payloads.begin(), part.payloads.end());
    }
    EXPECT_TRUE(read == payloads);
  }
}

TEST(SeamTest, ARangeThatEndsBeforeItBegins) {
  EXPECT_THAT(RecordReader::FromMemory("", {.range = {.begin = 2, .end = 1}}),
              HasCode(ErrorCode::kInvalidArgument));
}

// Headers that lead nowhere stand everywhere, in chains that all break: the
// search looks at each of them once.
TEST(SeamTest, TimeIsLinearInChainsThatBreak) {
  std::string hostile;
  for (size_t i = 0; i < (size_t{1} << 22) / 16; ++i) {
    hostile += FramedRecord("");
    if (i % 4000 == 3999) hostile += "x";
  }
  hostile += "end";
  auto source = OrThrow(source::OpenMemory(
      hostile.data(), hostile.size(), {.compression = Compression::kNone}));
  EXPECT_EQ(OrThrow(record::FindSeam(source.get(), 1)), hostile.size());
}

TEST(PartOfTest, PartsMeet) {
  for (const uint64_t size :
       {uint64_t{0}, uint64_t{1}, uint64_t{1000}, ~uint64_t{0}}) {
    for (const uint64_t count : {1u, 2u, 3u, 64u, 1001u}) {
      uint64_t at = 0;
      for (uint64_t i = 0; i < count; ++i) {
        const ByteRange part = PartOf(size, i, count);
        EXPECT_EQ(part.begin, at);
        EXPECT_LE(part.end - part.begin - size / count, 1u);
        at = part.end;
      }
      EXPECT_EQ(at, size);
    }
  }
}

}  // namespace
}  // namespace headrace::testing
