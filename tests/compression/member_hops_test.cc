// What members and frames claim is read as the formats say, and believed only
// where nothing contradicts it.

#include "src/input/blocks/member_hops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "src/input/deflate/gzip_member.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/process/heap.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::compression {
namespace {

using testing::GuardedBytes;
using testing::HeapBytes;

uint64_t NumberAt(const std::string& bytes, size_t at, int width) {
  uint64_t number = 0;
  for (int i = width - 1; i >= 0; --i) {
    number =
        number << 8 | static_cast<uint8_t>(bytes[at + static_cast<size_t>(i)]);
  }
  return number;
}

struct NaiveHops {
  std::vector<SeekPoint> points;
  uint64_t plain = 0;
  std::optional<uint64_t> records;
};

// Follows the claims of gzip members; nothing where the file contradicts them,
// or a member has none. Of RFC 1952 and the subfields' descriptions alone.
std::optional<NaiveHops> HopNaively(const std::string& file) {
  NaiveHops hops;
  hops.records = 0;
  size_t at = 0;
  while (at < file.size()) {
    if (file.size() - at < 20 || file.substr(at, 3) != "\x1f\x8b\x08" ||
        (file[at + 3] & 4) == 0) {
      return std::nullopt;
    }
    const auto extra_size = static_cast<size_t>(NumberAt(file, at + 10, 2));
    const std::string extra = file.substr(at + 12, extra_size);
    if (extra.size() != extra_size || extra_size > 64) return std::nullopt;
    std::optional<uint64_t> stored, plain, records;
    for (size_t e = 0; e + 4 <= extra.size() && !stored;) {
      const auto size = static_cast<size_t>(NumberAt(extra, e + 2, 2));
      const std::string name = extra.substr(e, 2);
      if (size > extra.size() - e - 4) break;
      if (name == "HR" && size == 12) {
        stored = NumberAt(extra, e + 4, 4);
        plain = NumberAt(extra, e + 8, 4);
        records = NumberAt(extra, e + 12, 4);
      }
      if (name == "BC" && size == 2) stored = NumberAt(extra, e + 4, 2) + 1;
      e += 4 + size;
    }
    if (!stored || *stored < 20 || *stored > file.size() - at) {
      return std::nullopt;
    }
    const uint64_t size =
        NumberAt(file, at + static_cast<size_t>(*stored) - 4, 4);
    if (plain && *plain != size) return std::nullopt;
    hops.points.push_back({.stored_bit = 8 * at, .plain = hops.plain});
    hops.plain += size;
    if (!records) {
      hops.records.reset();
    } else if (hops.records) {
      *hops.records += *records;
    }
    at += static_cast<size_t>(*stored);
  }
  if (hops.points.empty()) return std::nullopt;
  return hops;
}

void ExpectHopsAsNaively(const std::string& file) {
  const auto expected = HopNaively(file);
  MemoryStream stream(Bytes(file));
  const auto hops = HopOverMembers(Compression::kGzip, &stream, file.size());
  ASSERT_TRUE(hops.ok());
  ASSERT_EQ(hops->table != nullptr, expected.has_value());
  if (!expected) {
    EXPECT_FALSE(hops->num_records.has_value());
    return;
  }
  EXPECT_EQ(hops->num_records, expected->records);
  EXPECT_EQ(hops->table->plain_size(), expected->plain);
  EXPECT_EQ(hops->table->stored_size(), file.size());
  ASSERT_EQ(hops->table->points().size(), expected->points.size());
  for (size_t i = 0; i < expected->points.size(); ++i) {
    EXPECT_EQ(hops->table->points()[i].stored_bit,
              expected->points[i].stored_bit);
    EXPECT_EQ(hops->table->points()[i].plain, expected->points[i].plain);
    EXPECT_FALSE(hops->table->points()[i].is_inside);
  }
}

std::string SomePlain(size_t size = 3000) {
  std::mt19937 random(1);
  return SomeBytes(size, &random);
}

TEST(MemberHopsTest, IntactFiles) {
  const Pieces pieces = Split(SomePlain(), 700);
  for (const Pieces& some :
       {pieces, Pieces{""}, Pieces{"", "a", ""}, Pieces{SomePlain()}}) {
    ExpectHopsAsNaively(BlockedGzip(some, {3, 0, 0xffffffff, 7}));
    ExpectHopsAsNaively(Bgzf(some));
    ExpectHopsAsNaively(GzipMembers(some));
    ExpectHopsAsNaively(BlockedGzip(some) + Bgzf(some));
    ExpectHopsAsNaively(BlockedGzip(some) + GzipMembers(some));
  }
  const SeekFile blocked{"", Compression::kGzip, "", BlockedGzip(pieces)};
  ASSERT_NE(HopTable(blocked), nullptr);
  EXPECT_EQ(HopTable(blocked)->points().size(), pieces.size());
}

// A subfield of another program before it, and behind it.
TEST(MemberHopsTest, OtherSubfields) {
  const std::string other = std::string("XY") + Little(3, 2) + "abc";
  for (const int before : {0, 1, 5, 8}) {
    for (const int after : {0, 1, 5, 8}) {
      std::string extra;
      for (int i = 0; i < before; ++i) extra += other;
      const size_t at = extra.size();
      extra += std::string("HR") + Little(12, 2) + std::string(12, '\0');
      for (int i = 0; i < after; ++i) extra += other;
      const std::string plain = "some records";
      const uint64_t size = GzipMember(plain, extra).size();
      extra.replace(at + 4, 8, Little(size, 4) + Little(plain.size(), 4));
      const std::string file = GzipMember(plain, extra);
      ExpectHopsAsNaively(file + file);
      EXPECT_EQ(HopNaively(file).has_value(), extra.size() <= 64);
    }
  }
}

TEST(MemberHopsTest, EveryCutAndFlip) {
  const Pieces pieces = Split(SomePlain(900), 300);
  for (const std::string& file : {BlockedGzip(pieces), Bgzf(pieces)}) {
    for (size_t size = 1; size < file.size(); ++size) {
      ExpectHopsAsNaively(file.substr(0, size));
      ExpectHopsAsNaively(file + file.substr(0, size));
    }
    for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
      std::string damaged = file;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      ExpectHopsAsNaively(damaged);
      if (::testing::Test::HasFatalFailure()) FAIL() << bit;
    }
  }
}

TEST(MemberClaimTest, AnyExtraField) {
  std::mt19937 random(2);
  GuardedBytes memory(4096);
  for (int i = 0; i < 20'000; ++i) {
    std::string extra;
    while (extra.size() < 70 && random() % 5 > 0) {
      const bool is_ours = random() % 2 == 0;
      const size_t size = random() % 4 == 0 ? random() % 20 : is_ours ? 12 : 2;
      extra += is_ours ? "HR" : "BC";
      extra += Little(random() % 8 == 0 ? random() % 300 : size, 2);
      for (size_t j = 0; j < size; ++j) extra += static_cast<char>(random());
    }
    if (random() % 4 == 0) extra.resize(random() % (extra.size() + 1));
    const auto placed = memory.PlaceAtEnd(extra);
    const auto claim = FindClaim(
        {reinterpret_cast<const uint8_t*>(placed.data()), placed.size()});
    // As it is in a file, whose claim is otherwise impossible.
    std::optional<uint64_t> stored;
    size_t at = 0;
    while (extra.size() <= 64 && at + 4 <= extra.size() && !stored) {
      const auto size = static_cast<size_t>(NumberAt(extra, at + 2, 2));
      if (size > extra.size() - at - 4) break;
      if (extra.substr(at, 2) == "HR" && size == 12) {
        stored = NumberAt(extra, at + 4, 4);
      } else if (extra.substr(at, 2) == "BC" && size == 2) {
        stored = NumberAt(extra, at + 4, 2) + 1;
      }
      at += 4 + size;
    }
    ASSERT_EQ(claim.has_value(), stored.has_value()) << i;
    if (!claim) continue;
    ASSERT_EQ(claim->stored, *stored) << i;
  }
}

// What blocked gzip says of itself must be so, if it is read in order, too;
// what BGZF says is between it and its readers.
TEST(MemberClaimTest, LiesInOrder) {
  const std::string plain = SomePlain();
  const Pieces pieces = Split(plain, 700);
  const auto read = [](const std::string& stored) {
    return Truth(Compression::kGzip, stored);
  };
  const std::string blocked = BlockedGzip(pieces);
  EXPECT_EQ(read(blocked), (Outcome{plain, Status()}));
  for (size_t i = 0; i < 12; ++i) {
    std::string lies = blocked;
    lies[16 + i] = static_cast<char>(lies[16 + i] ^ 1);
    // Nobody counts the records there.
    EXPECT_EQ(read(lies).failure.ok(), i >= 8) << i;
    EXPECT_TRUE(read(lies).bytes == (i >= 8 ? plain : pieces[0])) << i;
  }
  for (const size_t i : {16u, 17u}) {
    std::string lies = Bgzf(pieces);
    lies[i] = static_cast<char>(lies[i] ^ 1);
    EXPECT_EQ(read(lies), (Outcome{plain, Status()}));
  }
}

TEST(MemberHopsTest, SeekableZstd) {
  const std::string plain = SomePlain(10'000);
  for (const bool checksums : {false, true}) {
    const Pieces pieces = Split(plain, 1000);
    const SeekFile file{"", Compression::kZstd, plain,
                        SeekableZstd(pieces, checksums)};
    const auto table = HopTable(file);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->plain_size(), plain.size());
    ASSERT_EQ(table->points().size(), pieces.size());
    uint64_t stored = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      EXPECT_EQ(table->points()[i].plain, 1000 * i);
      EXPECT_EQ(table->points()[i].stored_bit, 8 * stored);
      stored += Zstd(pieces[i], 3, i == 0).size();
    }
  }
  EXPECT_EQ(HopTable({"", Compression::kZstd, plain, Zstd(plain)}), nullptr);
  EXPECT_EQ(HopTable({"", Compression::kZstd, "", SeekableZstd({})}), nullptr);
  EXPECT_EQ(HopTable({"", Compression::kZlib, plain, Zlib(plain)}), nullptr);
}

// A table that is cut, or of which a number is another, leads nowhere outside.
TEST(MemberHopsTest, SeekableZstdLies) {
  const Pieces pieces = Split(SomePlain(10'000), 1000);
  const std::string intact = SeekableZstd(pieces);
  const size_t table_at = intact.size() - 9 - 80 - 8;
  size_t tables = 0;
  for (size_t bit = 8 * table_at; bit < 8 * intact.size(); ++bit) {
    std::string stored = intact;
    stored[bit / 8] = static_cast<char>(stored[bit / 8] ^ 1 << bit % 8);
    const auto table = HopTable({"", Compression::kZstd, "", stored});
    if (table == nullptr) continue;
    ++tables;
    // It is a size of inflated bytes.
    EXPECT_EQ((bit / 8 - table_at - 8) % 8 / 4, 1u) << bit;
    EXPECT_EQ(table->points().size(), pieces.size());
    EXPECT_NE(table->plain_size(), 10'000u);
  }
  EXPECT_EQ(tables, pieces.size() * 32);
  for (size_t size = 0; size < intact.size(); ++size) {
    EXPECT_EQ(HopTable({"", Compression::kZstd, "", intact.substr(0, size)}),
              nullptr);
  }
}

// No frame has less than 8 bytes, so a table is never much larger in memory
// than the file that it is of.
TEST(MemberHopsTest, SmallestFrames) {
  constexpr size_t kFrames = 200'000;
  for (const uint32_t size : {1u, 7u, 8u}) {
    std::string frames;
    std::string entries;
    for (size_t i = 0; i < kFrames; ++i) {
      const std::string frame = Little(0x184D2A50, 4) + Little(0, 4);
      frames += frame.substr(0, size);
      entries += Little(size, 4) + Little(0, 4);
    }
    const std::string table = entries + Little(kFrames, 4) +
                              std::string(1, '\0') + Little(0x8F92EAB1, 4);
    const std::string stored =
        frames + Little(0x184D2A5E, 4) + Little(table.size(), 4) + table;
    const size_t before = HeapBytes();
    const auto found = HopTable({"", Compression::kZstd, "", stored});
    EXPECT_EQ(found != nullptr, size == 8) << size;
    EXPECT_LE(HeapBytes(), before + 4 * stored.size());
  }
}

// Of the stored bytes, few are read.
TEST(MemberHopsTest, OneReadAMember) {
  class Counting : public MemoryStream {
   public:
    using MemoryStream::MemoryStream;
    Result<size_t> ReadAt(uint64_t at, std::span<uint8_t> out) override {
      ++reads;
      bytes += out.size();
      if (reads == fail_at) return Status(ErrorCode::kIo, "broken");
      return MemoryStream::ReadAt(at, out);
    }
    int reads = 0;
    size_t bytes = 0;
    int fail_at = 0;
  };
  const Pieces pieces = Split(SomePlain(30'000), 1000);
  for (const auto& [compression, file] :
       std::vector<std::pair<Compression, std::string>>{
           {Compression::kGzip, BlockedGzip(pieces)},
           {Compression::kZstd, SeekableZstd(pieces)}}) {
    Counting stream(Bytes(file));
    ASSERT_TRUE(HopOverMembers(compression, &stream, file.size()).ok());
    EXPECT_LE(stream.reads, 32);
    EXPECT_LE(stream.bytes, size_t{31 * 84});
    for (int i = 1; i <= stream.reads; ++i) {
      Counting failing(Bytes(file));
      failing.fail_at = i;
      const auto hops = HopOverMembers(compression, &failing, file.size());
      EXPECT_EQ(hops.status().code(), ErrorCode::kIo) << i;
    }
  }
}

}  // namespace
}  // namespace headrace::compression
