// Indexes of compressed files: made, saved, opened, and what becomes of wrong
// ones.

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/record_reader.h"
#include "src/input/index/image.h"
#include "src/input/index/index_beside.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/index/naive_index.h"
#include "tests/random/random_example.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using compression::FewSeekFiles;
using compression::SeekFile;
using compression::SomeRecords;

constexpr uint64_t kMinCheckpoint = uint64_t{64} << 10;

NaiveIndex PlacesIn(const std::string& plain) {
  NaiveIndex places;
  for (const RecordPlace& place : NaivePlaces(plain)) places.push_back(place);
  return places;
}

std::string Saved(const Index& index) {
  const TemporaryFolder folder;
  EXPECT_THAT(index.Save(folder.path() + "/x.hri"), IsOk());
  return ContentOf(folder.path() + "/x.hri");
}

Result<index::Image> OpenImage(const std::string& bytes, index::Bytes whose) {
  return index::Image::Open(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, whose,
      "index");
}

// With points of a smaller distance than Build takes.
std::string SmallIndex(const SeekFile& file) {
  index::ImageWriter writer;
  for (const RecordPlace& place : NaivePlaces(file.plain)) {
    writer.Add(place.length);
  }
  const auto table = compression::BuildTable(file, compression::kSpacing);
  const std::vector<uint8_t> image =
      writer.Finish({.size = file.stored.size()}, table.get());
  return {image.begin(), image.end()};
}

TEST(IndexOfCompressed, RoundTrip) {
  for (const SeekFile& file : FewSeekFiles(SomeRecords(9000))) {
    SCOPED_TRACE(file.name);
    const NaiveIndex expected = PlacesIn(file.plain);
    const TemporaryFile data(file.stored);
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/x.hri";
    for (const bool verify : {false, true}) {
      const Index built =
          OrThrow(Index::Build(data.path(), {.verify = verify}));
      EXPECT_EQ(built.compression(), file.compression);
      EXPECT_EQ(built.stream_bytes(), file.plain.size());
      EXPECT_EQ(PlacesOf(built), expected);
      ASSERT_THAT(built.Save(path), IsOk());
      const std::string saved = ContentOf(path);
      EXPECT_EQ(saved.size(), built.index_bytes());
      EXPECT_EQ(ReadNaively(saved), expected);
      const Index opened = OrThrow(Index::Open(path));
      EXPECT_EQ(opened.compression(), file.compression);
      EXPECT_EQ(PlacesOf(opened), expected);
      EXPECT_THAT(opened.CheckIsOf(data.path()), IsOk());
      EXPECT_TRUE(Saved(opened) == saved);
      EXPECT_THAT(opened.SaveText(path), HasCode(ErrorCode::kInvalidArgument));
      const auto mapped = OrThrow(OpenImage(saved, index::Bytes::kMapped));
      ASSERT_NE(mapped.seek_table(), nullptr);
      for (size_t i = 0; i < expected.size(); i += 7) {
        const std::array<uint64_t, 1> record = {i};
        std::array<RecordPlace, 1> place;
        ASSERT_THAT(mapped.Find(record, place), IsOk());
        EXPECT_EQ(place[0], *expected[i]);
      }
    }
  }
}

TEST(IndexOfCompressed, EmptyFiles) {
  using compression::BlockedGzip;
  for (const std::string& stored :
       {compression::Gzip(""), compression::Zlib(""), compression::Zstd(""),
        BlockedGzip({""}), compression::Bgzf({})}) {
    const TemporaryFile data(stored);
    const Index built = OrThrow(Index::Build(data.path()));
    EXPECT_EQ(built.size(), 0u);
    EXPECT_EQ(ReadNaively(Saved(built)), NaiveIndex());
  }
}

// Points are about so far apart as was asked for, and at least 64 KiB.
TEST(IndexOfCompressed, CheckpointBytes) {
  const std::string plain = SomeRecords(40'000);
  const TemporaryFile data(compression::Gzip(plain));
  size_t last = ~size_t{0};
  for (const uint64_t bytes :
       {uint64_t{0}, kMinCheckpoint, 4 * kMinCheckpoint, 64 * kMinCheckpoint}) {
    const Index index =
        OrThrow(Index::Build(data.path(), {.checkpoint_bytes = bytes}));
    const auto table = index::SeekTableOf(index);
    const uint64_t least = std::max(bytes, kMinCheckpoint);
    for (size_t i = 1; i < table->points().size(); ++i) {
      EXPECT_GE(table->points()[i].plain - table->points()[i - 1].plain, least);
    }
    EXPECT_GE(table->points().size(), plain.size() / (least + 250'000));
    EXPECT_LE(table->points().size(), last);
    last = table->points().size();
  }
}

// Which points are found inside of members may depend on how the bytes arrive;
// that they are right, and the records, does not.
TEST(IndexOfCompressed, AnyThreads) {
  for (const SeekFile& file : FewSeekFiles(SomeRecords(30'000))) {
    const TemporaryFile data(file.stored);
    const Index one = OrThrow(Index::Build(data.path()));
    for (const size_t threads : {1u, 2u, 5u}) {
      const Index index =
          OrThrow(Index::Build(data.path(), {.threads = threads}));
      EXPECT_EQ(PlacesOf(index), PlacesOf(one));
      compression::ExpectBlocks(file, index::SeekTableOf(index));
      if (compression::HopTable(file) == nullptr) continue;
      EXPECT_TRUE(Saved(index) == Saved(one)) << file;
    }
  }
}

TEST(IndexOfCompressed, StaleIsRefused) {
  for (const SeekFile& file : FewSeekFiles(SomeRecords(3000))) {
    const TemporaryFile data(file.stored);
    const Index index = OrThrow(Index::Build(data.path()));
    struct stat info;
    ASSERT_EQ(stat(data.path().c_str(), &info), 0);
    const auto rewrite = [&](const std::string& bytes, time_t later) {
      std::ofstream(data.path(), std::ios::binary) << bytes;
      timespec times[2] = {info.st_atim, info.st_mtim};
      times[1].tv_sec += later;
      ASSERT_EQ(utimensat(AT_FDCWD, data.path().c_str(), times, 0), 0);
    };
    rewrite(file.stored, 0);
    EXPECT_THAT(index.CheckIsOf(data.path()), IsOk());
    rewrite(file.stored, 1);
    EXPECT_THAT(index.CheckIsOf(data.path()), HasCode(ErrorCode::kBadIndex));
    rewrite(file.stored + "x", 0);
    EXPECT_THAT(index.CheckIsOf(data.path()), HasCode(ErrorCode::kBadIndex));
    for (const size_t at : {size_t{9}, file.stored.size() - 2}) {
      std::string changed = file.stored;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      rewrite(changed, 0);
      EXPECT_THAT(index.CheckIsOf(data.path()), HasCode(ErrorCode::kBadIndex));
    }
  }
}

// The error is the reader's.
TEST(IndexOfCompressed, DamageIsAnError) {
  for (const SeekFile& file : FewSeekFiles(SomeRecords(3000))) {
    Random random(1);
    for (int i = 0; i < 60; ++i) {
      std::string stored = file.stored;
      if (i % 3 == 0) {
        stored.resize(40 + random.Below(stored.size() - 40));
      } else {
        const size_t at = 20 + random.Below(stored.size() - 20);
        stored[at] = static_cast<char>(stored[at] ^ (1 << random.Below(8)));
      }
      const TemporaryFile data(stored);
      RecordReader reader = OrThrow(RecordReader::Open(
          data.path(),
          {.compression = file.compression, .verify_payload = false}));
      Status expected;
      while (true) {
        auto record = reader.Next();
        expected = record.status();
        if (!record) break;
      }
      for (const size_t threads : {1u, 3u}) {
        const auto built = Index::Build(data.path(), {.threads = threads});
        ASSERT_EQ(built.status().ToString(), expected.ToString())
            << file << " " << threads;
      }
    }
  }
}

// As the naive reader finds it, and never outside of the file.
void ExpectAsNaive(const std::string& bytes) {
  const auto expected = ReadNaively(bytes);
  for (const auto whose : {index::Bytes::kOurs, index::Bytes::kMapped}) {
    const auto image = OpenImage(bytes, whose);
    ASSERT_EQ(image.ok(), expected.has_value());
    if (!expected) {
      ASSERT_THAT(image, HasCode(ErrorCode::kBadIndex));
      continue;
    }
    ASSERT_EQ(image->num_records(), expected->size());
    for (size_t i = 0; i < expected->size(); i += 13) {
      const std::array<uint64_t, 1> record = {i};
      std::array<RecordPlace, 1> place;
      const bool found = image->Find(record, place).ok();
      ASSERT_EQ(found, (*expected)[i].has_value());
      if (!found) continue;
      ASSERT_EQ(place[0], *(*expected)[i]);
      ASSERT_LE(place[0].offset + place[0].length + 16, image->stream_bytes());
    }
  }
}

TEST(IndexOfCompressed, AnyBitFlipped) {
  for (const SeekFile& file : FewSeekFiles(SomeRecords(3000))) {
    const std::string bytes = SmallIndex(file);
    ExpectAsNaive(bytes);
    ASSERT_TRUE(ReadNaively(bytes).has_value());
    for (size_t bit = 0; bit < 8 * bytes.size(); bit += 61) {
      std::string changed = DamagedFile(bytes).FlipBit(bit).bytes();
      ExpectAsNaive(changed);
      SealIndex(&changed);
      ExpectAsNaive(changed);
      if (HasFatalFailure()) FAIL() << file << " bit " << bit;
    }
  }
}

// Numbers of the points and of the head are looked at one by one.
TEST(IndexOfCompressed, AnyNumberOfPoints) {
  for (const SeekFile& file : FewSeekFiles(SomeRecords(5000))) {
    const std::string bytes = SmallIndex(file);
    const std::vector<size_t> entries = PointEntries(bytes);
    ASSERT_FALSE(entries.empty());
    std::vector<std::pair<size_t, size_t>> numbers = {{4, 2}, {6, 2}};
    for (size_t at = 8; at < 64; at += 8) numbers.emplace_back(at, 8);
    for (size_t at = 24; at > 0; at -= 8) {
      numbers.emplace_back(entries[0] - at, 8);
    }
    for (size_t i = 0; i < std::min<size_t>(entries.size(), 4); ++i) {
      for (size_t at = 0; at < 48;
           at += at < 16 || (at >= 24 && at < 40) ? 8 : 4) {
        const bool is_long = at < 16 || (at >= 24 && at < 40);
        numbers.emplace_back(entries[i] + at, is_long ? 8 : 4);
      }
    }
    for (const auto& [at, width] : numbers) {
      const uint64_t right = NumberIn(bytes, at, width);
      for (const uint64_t number : std::vector<uint64_t>{
               0, 1, 2, right + 1, right - 1, right + 8, right - 8,
               uint64_t{0xffffffff}, uint64_t{1} << 32, uint64_t{1} << 61,
               (uint64_t{1} << 61) + 1, ~uint64_t{0}, bytes.size(),
               bytes.size() - 1, file.stored.size(), 8 * file.stored.size(),
               file.plain.size(), file.plain.size() + 1}) {
        std::string changed = bytes;
        SetNumberIn(&changed, at, width, number);
        SealIndex(&changed);
        ExpectAsNaive(changed);
        if (HasFatalFailure()) FAIL() << file << " " << at << " " << number;
      }
    }
  }
}

TEST(IndexOfCompressed, EveryCut) {
  const std::string bytes = SmallIndex(FewSeekFiles(SomeRecords(3000))[0]);
  for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 37) {
    std::string cut = bytes.substr(0, size);
    ExpectAsNaive(cut);
    SealIndex(&cut);
    ExpectAsNaive(cut);
    ExpectAsNaive(bytes + cut);
  }
}

}  // namespace
}  // namespace headrace::testing
