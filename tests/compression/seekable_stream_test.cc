// Files are inflated from their points, in any order and by several threads,
// as if from the beginning.

#include "src/input/blocks/seekable_stream.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/input/blocks/block_inflater.h"
#include "src/input/blocks/inflate_ahead.h"
#include "src/input/deflate/packed_window.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/support/effort.h"

namespace headrace::compression {
namespace {

using testing::kInstrumented;
using Table = std::shared_ptr<const SeekTable>;

std::shared_ptr<SharedStored> Shared(const std::string& stored) {
  return std::make_shared<SharedStored>(StreamOf(stored), stored.size());
}

// The tables that a file can have.
std::vector<Table> TablesOf(const SeekFile& file) {
  std::vector<Table> tables = {BuildTable(file, kSpacing),
                               BuildTable(file, kSpacing, Windows::kDense)};
  if (Table table = HopTable(file)) tables.push_back(std::move(table));
  return tables;
}

TEST(BlockInflaterTest, AnyPlace) {
  std::mt19937 random(1);
  const std::vector<SeekFile> files = SeekFiles(PlainBytes());
  for (size_t f = 0; f < files.size(); f += kInstrumented ? 5 : 1) {
    const SeekFile& file = files[f];
    for (const Table& table : TablesOf(file)) {
      BlockInflater inflater = InflaterOf(file, table);
      for (int i = 0; i < 40; ++i) {
        uint64_t offset = random() % (file.plain.size() + 10);
        if (i % 4 == 0) {
          offset = table->points()[random() % table->points().size()].plain;
        }
        if (i % 8 == 0 && offset > 0) --offset;
        const size_t size = 1 + random() % (i % 5 == 0 ? 100'000 : 300);
        const std::string expected =
            offset > file.plain.size()
                ? ""
                : file.plain.substr(static_cast<size_t>(offset), size);
        ASSERT_TRUE(ReadAt(&inflater, offset, size) == expected)
            << file << " " << offset << " " << size;
      }
    }
  }
}

// Each stretch of blocks is what the table says of it, to the byte.
TEST(BlockInflaterTest, Blocks) {
  for (const SeekFile& file : SeekFiles(PlainBytes(400'000))) {
    for (const Table& table : TablesOf(file)) {
      BlockInflater inflater = InflaterOf(file, table);
      const size_t count = table->points().size();
      for (size_t first = 0; first < count; first += 1 + count / 30) {
        for (const size_t size : {size_t{1}, size_t{2}, size_t{5}, count}) {
          const size_t end = std::min(first + size, count);
          const auto begin = static_cast<size_t>(table->points()[first].plain);
          std::string bytes(
              static_cast<size_t>(table->PlainEnd(end - 1)) - begin, '\0');
          const Status status = inflater.InflateBlocks(
              first, end,
              {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
          ASSERT_TRUE(status.ok()) << file << " blocks " << first << " to "
                                   << end << ": " << status.ToString();
          ASSERT_TRUE(bytes == file.plain.substr(begin, bytes.size()));
        }
      }
    }
  }
}

// After a failure other places are read as ever.
TEST(BlockInflaterTest, GoesOnAfterFailures) {
  const SeekFile intact = FewSeekFiles(PlainBytes())[0];
  const Table table = BuildTable(intact, kSpacing);
  ASSERT_GE(table->points().size(), 3u);
  SeekFile damaged = intact;
  const auto from = static_cast<size_t>(table->points()[1].stored_byte()) + 10;
  const auto to = static_cast<size_t>(table->points()[2].stored_byte()) - 10;
  for (size_t i = from; i < to; ++i) damaged.stored[i] = '\x55';
  BlockInflater inflater = InflaterOf(damaged, table);
  std::string bytes(static_cast<size_t>(table->PlainEnd(1)), '\0');
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(
        inflater
            .ReadAt(0, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()})
            .status()
            .code(),
        ErrorCode::kDecompress);
    const uint64_t behind = table->points()[2].plain;
    EXPECT_TRUE(ReadAt(&inflater, behind, 1000) ==
                intact.plain.substr(static_cast<size_t>(behind), 1000));
    EXPECT_TRUE(ReadAt(&inflater, 0, 1000) == intact.plain.substr(0, 1000));
  }
}

// A file of large blocks beside many that are small, and one larger than what
// is read at once.
std::vector<std::pair<SeekFile, Table>> FilesForThreads() {
  std::vector<std::pair<SeekFile, Table>> files;
  for (SeekFile& file : FewSeekFiles(PlainBytes(3'000'000))) {
    const Table table = BuildTable(file, kSpacing);
    files.emplace_back(std::move(file), table);
  }
  std::mt19937 random(9);
  std::string noise(1'500'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  const std::string runs(3'000'000, 'x');
  const Pieces pieces = {"a", noise, runs, "b", "", PlainBytes(), noise};
  SeekFile large{"large blocks", Compression::kGzip, Joined(pieces),
                 BlockedGzip(pieces)};
  Table table = HopTable(large);
  files.emplace_back(std::move(large), std::move(table));
  return files;
}

Outcome TakeAll(InflateAhead* ahead, uint64_t from) {
  Outcome outcome;
  while (!ahead->ended()) {
    const auto piece = ahead->Take();
    if (!piece.ok()) {
      outcome.failure = piece.status();
      break;
    }
    EXPECT_EQ(piece->offset, from + outcome.bytes.size());
    outcome.bytes.append(reinterpret_cast<const char*>(piece->bytes.data()),
                         piece->bytes.size());
  }
  return outcome;
}

TEST(InflateAheadTest, AnyThreadsFromAnyBlock) {
  std::mt19937 random(2);
  for (const auto& [file, table] : FilesForThreads()) {
    for (size_t threads = 1; threads <= 5; ++threads) {
      InflateAhead ahead(table, Shared(file.stored), threads);
      ahead.Begin(0);
      for (int round = 0; round < 4; ++round) {
        const size_t block = round == 0 ? 0 : random() % table->points().size();
        if (round > 0) ahead.Begin(block);
        const uint64_t from = table->points()[block].plain;
        if (round == 2) {  // left in the middle
          EXPECT_TRUE(ahead.ended() || ahead.Take().ok());
          continue;
        }
        const Outcome outcome = TakeAll(&ahead, from);
        ASSERT_TRUE(outcome.failure.ok())
            << file << " " << outcome.failure.ToString();
        ASSERT_TRUE(outcome.bytes ==
                    file.plain.substr(static_cast<size_t>(from)))
            << file << " " << threads << " threads from block " << block;
        EXPECT_EQ(ahead.stored_position(), file.stored.size());
      }
    }
  }
}

TEST(InflateAheadTest, EndsAtAnyTime) {
  for (const auto& [file, table] : FilesForThreads()) {
    for (size_t threads = 1; threads <= 5; threads += 2) {
      for (size_t pieces = 0; pieces < 4; ++pieces) {
        InflateAhead ahead(table, Shared(file.stored), threads);
        ahead.Begin(0);
        for (size_t i = 0; i < pieces && !ahead.ended(); ++i) {
          EXPECT_TRUE(ahead.Take().ok());
        }
      }
    }
  }
}

TEST(InflateAheadTest, PositionGrows) {
  const auto [file, table] = FilesForThreads()[0];
  InflateAhead ahead(table, Shared(file.stored), 3);
  EXPECT_EQ(ahead.stored_position(), 0u);
  uint64_t last = 0;
  while (!ahead.ended()) {
    ASSERT_TRUE(ahead.Take().ok());
    EXPECT_GT(ahead.stored_position(), last);
    last = ahead.stored_position();
  }
  EXPECT_EQ(last, file.stored.size());
}

Outcome ReadWith(const SeekFile& file, const Table& table, size_t threads,
                 size_t piece = 7000) {
  SeekableStream stream(table, StreamOf(file.stored), threads);
  return ReadAll(&stream, piece);
}

// Whatever the table says, reading in order is as from the beginning.
void ExpectInOrder(const SeekFile& file, const Table& table) {
  const Outcome truth = Truth(file.compression, file.stored);
  for (const size_t threads : {size_t{1}, size_t{3}}) {
    ASSERT_EQ(ReadWith(file, table, threads), truth)
        << file << ", " << threads << " threads";
  }
}

TEST(SeekableStreamTest, IntactFilesInOrder) {
  for (const SeekFile& file : SeekFiles(PlainBytes())) {
    for (const Table& table : TablesOf(file)) ExpectInOrder(file, table);
    if (HasFatalFailure()) return;
  }
}

// A right table never makes anybody inflate from the beginning.
TEST(InflateAheadTest, RightTablesAreBelieved) {
  for (const SeekFile& file : SeekFiles(PlainBytes(400'000))) {
    for (const Table& table : TablesOf(file)) {
      InflateAhead ahead(table, Shared(file.stored), 2);
      const Outcome outcome = TakeAll(&ahead, 0);
      ASSERT_TRUE(outcome.failure.ok())
          << file << " " << outcome.failure.ToString();
      ASSERT_TRUE(outcome.bytes == file.plain) << file;
    }
  }
}

TEST(SeekableStreamTest, AnyOrder) {
  std::mt19937 random(3);
  for (const SeekFile& file : FewSeekFiles(PlainBytes())) {
    for (const Table& table : TablesOf(file)) {
      for (const size_t threads : {size_t{1}, size_t{3}}) {
        SeekableStream stream(table, StreamOf(file.stored), threads);
        EXPECT_TRUE(stream.can_read_at());
        uint64_t at = 0;
        std::string bytes(20'000, '\0');
        const std::span<uint8_t> out(reinterpret_cast<uint8_t*>(bytes.data()),
                                     bytes.size());
        for (int i = 0; i < 40; ++i) {
          const size_t size = 1 + random() % bytes.size();
          const uint64_t place = random() % (file.plain.size() + 20);
          switch (random() % 4) {
            case 0:
              at = place;
              ASSERT_TRUE(stream.SeekTo(at));
              break;
            case 1: {
              const auto got = stream.ReadAt(place, out.first(size));
              ASSERT_TRUE(got.ok());
              const size_t from = std::min<size_t>(static_cast<size_t>(place),
                                                   file.plain.size());
              ASSERT_TRUE(bytes.substr(0, *got) ==
                          file.plain.substr(from, size));
              break;
            }
            default: {
              const auto got = stream.Read(out.first(size));
              ASSERT_TRUE(got.ok()) << got.status().ToString();
              const size_t from =
                  std::min<size_t>(static_cast<size_t>(at), file.plain.size());
              ASSERT_TRUE(bytes.substr(0, *got) ==
                          file.plain.substr(from, *got))
                  << file << " at " << at;
              ASSERT_TRUE(*got > 0 || at >= file.plain.size());
              at += *got;
            }
          }
        }
      }
    }
  }
}

std::string Flipped(std::string bytes, size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  return bytes;
}

// The table is of the intact file.
TEST(SeekableStreamTest, DamagedFilesInOrder) {
  for (const SeekFile& intact : FewSeekFiles(PlainBytes(120'000))) {
    for (const Table& table : TablesOf(intact)) {
      const size_t bits = 8 * intact.stored.size();
      std::vector<size_t> places = {0,        20,        81,       97,
                                    bits - 1, bits - 40, bits - 70};
      for (size_t i = 1; i < (kInstrumented ? 10 : 40); ++i) {
        places.push_back(i * bits / 41 + i);
      }
      for (const SeekPoint& point : table->points()) {
        const auto bit = static_cast<size_t>(point.stored_bit);
        for (const size_t at : {bit + 3, bit + 30, bit + 70, bit + 120}) {
          if (places.size() < 120 && at < bits) places.push_back(at);
        }
      }
      for (const size_t bit : places) {
        SeekFile file = intact;
        file.stored = Flipped(intact.stored, bit);
        ExpectInOrder(file, table);
        if (HasFatalFailure()) FAIL() << "bit " << bit;
      }
    }
  }
}

// What is behind the last member belongs to the file, and its trailer, too.
TEST(SeekableStreamTest, EndsAreLookedAt) {
  for (const SeekFile& intact : FewSeekFiles(PlainBytes(120'000))) {
    // As large as the table says, but its last bytes are others.
    const size_t size = intact.stored.size();
    for (const Table& table : TablesOf(intact)) {
      for (size_t back = 1; back <= 12; ++back) {
        SeekFile file = intact;
        file.stored = Flipped(intact.stored, 8 * (size - back));
        ExpectInOrder(file, table);
        if (HasFatalFailure()) FAIL() << back << " bytes from the end";
      }
    }
  }
}

// A table that ends before the file does, or behind it.
TEST(SeekableStreamTest, OtherSizes) {
  for (const SeekFile& file : FewSeekFiles(PlainBytes(120'000))) {
    const Table right = BuildTable(file, kSpacing);
    const uint64_t last = right->points().back().plain;
    for (const uint64_t plain :
         {last, last + 1, right->plain_size() - 1, right->plain_size() + 1,
          right->plain_size() + 1'000'000}) {
      const Table table =
          SeekTable::Make(right->compression(), PointsOf(*right),
                          right->stored_size(), plain, nullptr);
      if (table == nullptr) continue;  // an empty member is the last one
      ExpectInOrder(file, table);
      if (HasFatalFailure()) FAIL() << plain;
    }
  }
}

// Members without bytes are read, too, the first ones and the last.
TEST(SeekableStreamTest, EmptyMembers) {
  const std::string plain = PlainBytes(1000);
  for (const Pieces& pieces :
       {Pieces{"", "", plain}, Pieces{"", ""}, Pieces{plain, "", ""}}) {
    const SeekFile intact{"empty members", Compression::kGzip, Joined(pieces),
                          BlockedGzip(pieces)};
    const Table table = HopTable(intact);
    for (size_t bit = 8 * 28; bit < 8 * intact.stored.size(); bit += 3) {
      SeekFile file = intact;
      file.stored = Flipped(intact.stored, bit);
      ExpectInOrder(file, table);
      if (HasFatalFailure()) FAIL() << "bit " << bit;
    }
  }
}

// Each entry of a table lies alone.
TEST(SeekableStreamTest, PointsThatLieInOrder) {
  for (const SeekFile& file : FewSeekFiles(PlainBytes(200'000))) {
    for (const Table& right : TablesOf(file)) {
      const auto expect = [&](std::vector<SeekPoint> points) {
        const Table table = Remade(*right, std::move(points));
        if (table != nullptr) ExpectInOrder(file, table);
      };
      for (size_t i = 1; i < std::min<size_t>(right->points().size(), 6); ++i) {
        for (const int64_t delta : {1, -1, 8, -8, 1000, -1000}) {
          auto points = PointsOf(*right);
          points[i].stored_bit += static_cast<uint64_t>(delta);
          expect(points);
          points = PointsOf(*right);
          points[i].plain += static_cast<uint64_t>(delta);
          expect(points);
        }
        auto points = PointsOf(*right);
        points[i].state.check ^= 1;
        expect(points);
        points = PointsOf(*right);
        points[i].state.size += 1;
        expect(points);
        points = PointsOf(*right);
        points[i].window = points[i / 2 + 1].window;
        points[i].window_digest = points[i / 2 + 1].window_digest;
        expect(points);
        points = PointsOf(*right);
        points[i].window_digest ^= 1;
        expect(points);
        points = PointsOf(*right);
        points[i].is_inside = !points[i].is_inside;
        expect(points);
        points = PointsOf(*right);
        points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
        expect(points);
        points = PointsOf(*right);
        std::swap(points[i].state, points[i - 1].state);
        std::swap(points[i].window, points[i - 1].window);
        std::swap(points[i].window_digest, points[i - 1].window_digest);
        expect(points);
        if (HasFatalFailure()) FAIL() << "point " << i;
      }
    }
  }
}

// Threads begin inside of members with windows of zeros, whose digests are
// right: the state at the end of what each inflates tells that they are wrong.
TEST(SeekableStreamTest, WindowsThatAreForged) {
  const WindowBytes zeros = {};
  for (const SeekFile& file : FewSeekFiles(PlainBytes(3'000'000))) {
    const Table right = BuildTable(file, kSpacing);
    std::vector<SeekPoint> points = PointsOf(*right);
    for (SeekPoint& point : points) {
      if (!point.is_inside) continue;
      point.window = {};
      point.window_digest = WindowDigest(zeros);
    }
    ExpectInOrder(file, Remade(*right, std::move(points)));
    if (HasFatalFailure()) return;
  }
}

// The stored file fails, or ends, where it is read.
class FailingStream : public MemoryStream {
 public:
  FailingStream(const std::string& stored, uint64_t fail_at)
      : MemoryStream(Bytes(stored)), fail_at_(fail_at) {}
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override {
    if (position + out.size() > fail_at_) {
      return Status(ErrorCode::kIo, "the disk is broken");
    }
    return MemoryStream::ReadAt(position, out);
  }

 private:
  const uint64_t fail_at_;
};

TEST(SeekableStreamTest, FailuresOfReading) {
  for (const SeekFile& file : FewSeekFiles(PlainBytes(1'000'000))) {
    const Table table = BuildTable(file, kSpacing);
    for (const size_t threads : {size_t{1}, size_t{3}}) {
      SeekableStream stream(
          table,
          std::make_unique<FailingStream>(file.stored, file.stored.size() / 2),
          threads);
      const Outcome outcome = ReadAll(&stream, 7000);
      EXPECT_EQ(outcome.failure.code(), ErrorCode::kIo) << file;
      EXPECT_TRUE(file.plain.starts_with(outcome.bytes));
      std::array<uint8_t, 10> some;
      EXPECT_EQ(stream.ReadAt(file.plain.size() - 10, some).status().code(),
                ErrorCode::kIo);
    }
  }
}

TEST(SeekableStreamTest, FilesThatShrink) {
  for (const SeekFile& intact : FewSeekFiles(PlainBytes(200'000))) {
    const Table table = BuildTable(intact, kSpacing);
    SeekFile file = intact;
    file.stored.resize(file.stored.size() / 2);
    for (const size_t threads : {size_t{1}, size_t{3}}) {
      const Outcome outcome = ReadWith(file, table, threads);
      EXPECT_EQ(outcome.failure.code(), ErrorCode::kIo) << file;
      EXPECT_NE(outcome.failure.message().find("shrank"),
                std::string_view::npos);
      EXPECT_TRUE(intact.plain.starts_with(outcome.bytes));
    }
  }
}

}  // namespace
}  // namespace headrace::compression
