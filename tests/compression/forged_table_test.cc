// Tables that somebody made to harm, of which all numbers agree: in order the
// file gives what it gives without them.

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/input/blocks/block_inflater.h"
#include "src/input/blocks/inflate_ahead.h"
#include "src/input/blocks/seekable_stream.h"
#include "src/input/deflate/packed_window.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"

namespace headrace::compression {
namespace {

using ForgedTable = std::shared_ptr<const SeekTable>;

void ExpectAsWithout(const SeekFile& file, const ForgedTable& table) {
  const Outcome truth = Truth(file.compression, file.stored);
  for (const size_t threads : {size_t{1}, size_t{3}}) {
    SeekableStream stream(table, StreamOf(file.stored), threads);
    ASSERT_EQ(ReadAll(&stream, 7000), truth) << threads << " threads";
  }
}

// The stored bytes up to the flush after the last of these pieces.
size_t SizeOfFlushed(const Pieces& pieces, int flush) {
  // Then comes an empty block, which ends the stream, and the trailer.
  constexpr size_t kLastBlock = 2;
  constexpr size_t kTrailer = 8;
  return FlushedDeflate(pieces, 31, flush).size() - kLastBlock - kTrailer;
}

// The states of changed points are made those that inflating from them gives,
// so that nothing but the trailer is wrong.
ForgedTable WithForgedStates(const SeekFile& file, const SeekTable& table,
                             std::vector<SeekPoint> points) {
  BlockInflater inflater = InflaterOf(file, Remade(table, points));
  uint32_t crc = 0;
  uint64_t size = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i > 0) {
      points[i].state = {.check = crc, .size = static_cast<uint32_t>(size)};
    }
    const uint64_t end =
        i + 1 < points.size() ? points[i + 1].plain : table.plain_size();
    const std::string bytes = ReadAt(
        &inflater, points[i].plain, static_cast<size_t>(end - points[i].plain));
    crc = static_cast<uint32_t>(
        crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()),
              static_cast<uInt>(bytes.size())));
    size += bytes.size();
  }
  return Remade(table, std::move(points));
}

TEST(ForgedTableTest, Windows) {
  const std::string plain = PlainBytes(4'000'000);
  const SeekFile file = {"gzip", Compression::kGzip, plain, Gzip(plain)};
  const ForgedTable table = BuildTable(file, uint64_t{1} << 20);
  ASSERT_GE(table->points().size(), 4u);
  for (const bool is_left_out : {false, true}) {
    std::vector<SeekPoint> points = PointsOf(*table);
    WindowBytes window = WindowOf(points[2]);
    for (uint8_t& byte : window) {
      if (byte != 0) byte = is_left_out ? 0 : byte ^ 0x20;
    }
    const auto packed = PackWindow(window);
    ASSERT_TRUE(packed.ok());
    points[2].window = *packed;
    points[2].window_digest = WindowDigest(window);
    const ForgedTable forged = WithForgedStates(file, *table, points);
    ASSERT_NE(forged, nullptr);
    // The forgery is one: who trusts the table gets other bytes.
    BlockInflater inflater = InflaterOf(file, forged);
    const auto at = static_cast<size_t>(points[2].plain);
    ASSERT_FALSE(ReadAt(&inflater, at, 40'000) == plain.substr(at, 40'000));
    ExpectAsWithout(file, forged);
  }
}

// A block that refers to nothing before it may stand in for another.
TEST(ForgedTableTest, Places) {
  constexpr int kFullFlush = 3;
  std::mt19937 random(21);
  Pieces pieces;
  for (int i = 0; i < 5; ++i) pieces.push_back(SomeBytes(1'200'000, &random));
  const std::string plain = Joined(pieces);
  const SeekFile file = {"flushed", Compression::kGzip, plain,
                         FlushedDeflate(pieces, 31, kFullFlush)};
  // Points where the flushes are: their blocks begin at whole bytes.
  std::vector<SeekPoint> points = {SeekPoint()};
  for (size_t i = 1; i < pieces.size(); ++i) {
    const Pieces before(pieces.begin(),
                        pieces.begin() + static_cast<ptrdiff_t>(i));
    points.push_back({.stored_bit = 8 * SizeOfFlushed(before, kFullFlush),
                      .plain = i * pieces[0].size(),
                      .is_inside = true,
                      .window_digest = WindowDigest(WindowBytes())});
  }
  const ForgedTable intact = SeekTable::Make(
      Compression::kGzip, points, file.stored.size(), plain.size(), nullptr);
  const ForgedTable right = WithForgedStates(file, *intact, points);
  InflateAhead ahead(
      right,
      std::make_shared<SharedStored>(StreamOf(file.stored), file.stored.size()),
      2);
  while (!ahead.ended()) ASSERT_TRUE(ahead.Take().ok());
  // The second piece is passed over.
  std::vector<SeekPoint> moved = points;
  moved.erase(moved.begin() + 2, moved.end());
  moved[1].stored_bit = points[2].stored_bit;
  const ForgedTable forged = WithForgedStates(
      file,
      *SeekTable::Make(Compression::kGzip, moved, file.stored.size(),
                       plain.size() - pieces[0].size(), nullptr),
      moved);
  ASSERT_NE(forged, nullptr);
  ExpectAsWithout(file, forged);
}

}  // namespace
}  // namespace headrace::compression
