// Points are found where they should be, and inflating from each gives what
// follows it.

#include "src/input/deflate/seek_table.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/input/compression/decompressor.h"
#include "src/input/deflate/packed_window.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/support/effort.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::compression {
namespace {

using testing::GuardedBytes;
using testing::kInstrumented;

const std::vector<InflateLibrary> kBuilders =
    HEADRACE_HAVE_ISAL
        ? std::vector{InflateLibrary::kIsal, InflateLibrary::kZlib}
        : std::vector{InflateLibrary::kZlib};

// Inflates to the end, by this library.
Outcome InflateFrom(const SeekFile& file, const SeekPoint& point,
                    InflateLibrary library) {
  auto stream = Decompress(file.compression, StreamOf(file.stored),
                           file.stored.size(), library);
  EXPECT_TRUE(stream.ok());
  WindowBytes window = {};
  if (point.is_inside) window = WindowOf(point);
  const Status status = (*stream)->JumpTo(
      point, point.is_inside ? std::span<const uint8_t>(window)
                             : std::span<const uint8_t>());
  if (!status.ok()) return Outcome{.bytes = "", .failure = status};
  return ReadAll(stream->get(), 5000);
}

void ExpectEveryPointInflates(const SeekFile& file, const SeekTable& table) {
  for (size_t i = 0; i < table.points().size(); i += kInstrumented ? 5 : 1) {
    const SeekPoint& point = table.points()[i];
    for (const InflateLibrary library : kBuilders) {
      const Outcome outcome = InflateFrom(file, point, library);
      ASSERT_TRUE(outcome.failure.ok())
          << file << " point " << i << ": " << outcome.failure.ToString();
      ASSERT_TRUE(outcome.bytes ==
                  file.plain.substr(static_cast<size_t>(point.plain)))
          << file << " point " << i;
    }
  }
}

uint32_t CheckOf(Compression compression, std::string_view plain) {
  const auto* const data = reinterpret_cast<const Bytef*>(plain.data());
  const auto size = static_cast<uInt>(plain.size());
  return static_cast<uint32_t>(compression == Compression::kZlib
                                   ? adler32(1, data, size)
                                   : crc32(0, data, size));
}

// What docs of SeekTable and its builder say of points.
void ExpectPointsAreRight(const SeekFile& file, const SeekTable& table) {
  ASSERT_FALSE(table.points().empty());
  EXPECT_EQ(table.stored_size(), file.stored.size());
  EXPECT_EQ(table.plain_size(), file.plain.size());
  SeekPoint member;
  SeekPoint last;
  uint64_t largest = 0;
  for (size_t i = 0; i < table.points().size(); ++i) {
    const SeekPoint& point = table.points()[i];
    largest = std::max(largest, table.PlainEnd(i) - point.plain);
    if (point.is_inside) {
      ASSERT_GT(i, 0u);
      ASSERT_GE(point.plain - last.plain, kSpacing) << file << " point " << i;
      ASSERT_GE(point.plain - member.plain, kDeflateWindow);
      const auto before = static_cast<size_t>(point.plain - member.plain);
      ASSERT_EQ(point.state.size, before);
      ASSERT_EQ(point.state.check,
                CheckOf(file.compression,
                        std::string_view(file.plain)
                            .substr(static_cast<size_t>(member.plain), before)))
          << file << " point " << i;
    } else {
      member = point;
    }
    last = point;
  }
  EXPECT_EQ(table.largest_block(), largest);
}

TEST(SeekTableTest, EveryPointInflatesToWhatFollows) {
  const std::vector<SeekFile> files = SeekFiles(PlainBytes());
  for (size_t i = 0; i < files.size(); i += kInstrumented ? 3 : 1) {
    for (const InflateLibrary library : kBuilders) {
      const auto table =
          BuildTable(files[i], kSpacing, Windows::kSparse, library);
      ASSERT_NE(table, nullptr) << files[i];
      ExpectPointsAreRight(files[i], *table);
      ExpectEveryPointInflates(files[i], *table);
      if (HasFatalFailure()) return;
    }
  }
}

// Blocks of zlib have at most 32 Ki symbols, which are some 80 KB here.
TEST(SeekTableTest, PointsAreAsManyAsBlocksAllow) {
  for (const SeekFile& file : FewSeekFiles(PlainBytes())) {
    const bool is_deflate = file.name == "gzip" || file.name == "zlib";
    if (!is_deflate) continue;
    for (const InflateLibrary library : kBuilders) {
      const auto table = BuildTable(file, kSpacing, Windows::kSparse, library);
      ASSERT_NE(table, nullptr);
      EXPECT_GE(table->points().size(), 3u) << file;
      EXPECT_EQ(BuildTable(file, 1'000'000)->points().size(), 1u);
    }
  }
}

TEST(SeekTableTest, OneBlockHasOnePoint) {
  const std::string plain = PlainBytes();
  const SeekFile file{"one block", Compression::kGzip, plain,
                      OneFixedBlock(plain)};
  const auto table = BuildTable(file, kSpacing);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->points().size(), 1u);
}

TEST(SeekTableTest, SmallMembersShareAPoint) {
  const std::string plain = PlainBytes();
  const SeekFile file{"members", Compression::kGzip, plain,
                      GzipMembers(Split(plain, 300))};
  const auto table = BuildTable(file, uint64_t{1} << 20);
  ASSERT_NE(table, nullptr);
  EXPECT_LE(table->points().size(), plain.size() / (64 << 10) + 1);
  EXPECT_GE(table->points().size(), plain.size() / (80 << 10));
}

TEST(SeekTableTest, ByteByByteIsTheSame) {
  const std::string plain = PlainBytes();
  const SeekFile file{"gzip", Compression::kGzip, plain, Gzip(plain)};
  SeekTableBuilder builder(kSpacing, StreamOf(file.stored));
  auto stream = Decompress(file.compression, StreamOf(file.stored), 0,
                           InflateLibrary::kZlib);
  ASSERT_TRUE(stream.ok());
  (*stream)->FindPoints(&builder);
  EXPECT_TRUE(ReadAll(stream->get(), 1).bytes == plain);
  const auto table = builder.Finish(file.compression, file.stored.size());
  ASSERT_TRUE(table.ok());
  ASSERT_NE(*table, nullptr);
  ExpectPointsAreRight(file, **table);
  ExpectEveryPointInflates(file, **table);
  EXPECT_GE((*table)->points().size(), 3u);
}

// The bytes of a sparse window are those of the dense one or zeros.
TEST(SeekTableTest, SparseWindowsLeaveOut) {
  size_t kept = 0;
  size_t all = 0;
  for (const SeekFile& file : FewSeekFiles(PlainBytes())) {
    const auto sparse = BuildTable(file, kSpacing, Windows::kSparse);
    const auto dense = BuildTable(file, kSpacing, Windows::kDense);
    ASSERT_EQ(sparse->points().size(), dense->points().size());
    for (size_t i = 0; i < sparse->points().size(); ++i) {
      const SeekPoint& point = sparse->points()[i];
      EXPECT_EQ(point.stored_bit, dense->points()[i].stored_bit);
      EXPECT_EQ(point.plain, dense->points()[i].plain);
      if (!point.is_inside) continue;
      const WindowBytes some = WindowOf(point);
      const WindowBytes whole = WindowOf(dense->points()[i]);
      const auto at = static_cast<size_t>(point.plain - kDeflateWindow);
      EXPECT_TRUE(
          std::equal(whole.begin(), whole.end(),
                     reinterpret_cast<const uint8_t*>(file.plain.data()) + at));
      for (size_t b = 0; b < some.size(); ++b) {
        ASSERT_TRUE(some[b] == 0 || some[b] == whole[b]) << file << " " << b;
        kept += some[b] != 0;
        all += whole[b] != 0;
      }
    }
  }
  EXPECT_GT(all, 5 * kDeflateWindow);
  EXPECT_LT(kept, all / 2);
}

// A byte is left out if, and only if, another one in its place changes nothing.
TEST(SeekTableTest, SparseWindowsKeepWhatIsReferredTo) {
  const std::string plain = PlainBytes();
  const SeekFile file{"gzip", Compression::kGzip, plain, Gzip(plain)};
  const auto sparse = BuildTable(file, kSpacing, Windows::kSparse);
  const auto dense = BuildTable(file, kSpacing, Windows::kDense);
  ASSERT_GE(sparse->points().size(), 2u);
  const SeekPoint& point = sparse->points()[1];
  ASSERT_TRUE(point.is_inside);
  const WindowBytes some = WindowOf(point);
  WindowBytes whole = WindowOf(dense->points()[1]);
  auto stream = Decompress(file.compression, StreamOf(file.stored),
                           file.stored.size(), InflateLibrary::kZlib);
  ASSERT_TRUE(stream.ok());
  const auto inflate = [&] {
    std::string bytes(kDeflateWindow, '\0');
    EXPECT_TRUE((*stream)->JumpTo(point, whole).ok());
    EXPECT_TRUE(
        (*stream)
            ->Read({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()})
            .ok());
    return bytes;
  };
  const std::string expected = inflate();
  size_t used = 0;
  for (size_t i = 0; i < whole.size(); i += kInstrumented ? 997 : 61) {
    whole[i] ^= 0xff;
    const bool is_used = inflate() != expected;
    whole[i] ^= 0xff;
    used += is_used;
    ASSERT_EQ(some[i], is_used ? whole[i] : 0) << i;
  }
  EXPECT_GT(used, 0u);
}

std::span<const uint8_t> Span(std::string_view bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

TEST(PackedWindowTest, DamagedDataLeavesTheWindow) {
  std::mt19937 random(3);
  GuardedBytes memory(1 << 17);
  const std::string deflated = Deflate(SomeBytes(80'000, &random), -15);
  WindowBytes window;
  window.fill('x');
  const WindowBytes full = window;
  // It is too short to know what is used.
  for (const size_t size : {0u, 1u, 2u, 3u, 100u, 5000u}) {
    const auto bytes = memory.PlaceAtEnd(deflated.substr(0, size));
    ASSERT_TRUE(LeaveOutUnused(Span(bytes), 0, window).ok());
    ASSERT_TRUE(window == full) << size;
  }
  // Nothing refers to what came before.
  ASSERT_TRUE(
      LeaveOutUnused(Span(memory.PlaceAtEnd(deflated)), 0, window).ok());
  EXPECT_TRUE(window == WindowBytes{});
  for (int i = 0; i < 300; ++i) {
    std::string damaged = deflated;
    for (int flips = 0; flips < 3; ++flips) {
      const size_t at = random() % damaged.size();
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    }
    damaged.resize(random() % damaged.size());
    window = full;
    const auto bytes = memory.PlaceAtEnd(damaged);
    ASSERT_TRUE(
        LeaveOutUnused(Span(bytes), static_cast<int>(random() % 8), window)
            .ok());
    for (const uint8_t byte : window) ASSERT_TRUE(byte == 0 || byte == 'x');
  }
}

SeekPoint PointWith(std::span<const uint8_t> packed, uint64_t digest) {
  return {.stored_bit = 80,
          .is_inside = true,
          .window = packed,
          .window_digest = digest};
}

TEST(PackedWindowTest, RoundTrip) {
  std::mt19937 random(4);
  WindowBytes window = {};
  const auto check = [&window](bool is_empty) {
    const auto packed = PackWindow(window);
    ASSERT_TRUE(packed.ok());
    EXPECT_EQ(packed->empty(), is_empty);
    EXPECT_TRUE(WindowOf(PointWith(*packed, WindowDigest(window))) == window);
  };
  check(true);
  window.back() = 1;
  check(false);
  for (uint8_t& byte : window) byte = static_cast<uint8_t>(random());
  check(false);
  const std::string bytes = SomeBytes(window.size(), &random);
  std::copy(bytes.begin(), bytes.end(), window.begin());
  check(false);
}

TEST(PackedWindowTest, AnyBytesAreRefusedOrRight) {
  std::mt19937 random(5);
  GuardedBytes memory(1 << 17);
  WindowBytes window;
  const std::string bytes = SomeBytes(window.size(), &random);
  std::copy(bytes.begin(), bytes.end(), window.begin());
  const auto packed = PackWindow(window);
  ASSERT_TRUE(packed.ok());
  const std::string whole(packed->begin(), packed->end());
  const uint64_t digest = WindowDigest(window);
  const auto expect_bad = [&](const std::string& stored, uint64_t of) {
    const auto placed = memory.PlaceAtEnd(stored);
    WindowBytes out;
    const Status status = UnpackWindow(PointWith(Span(placed), of), out);
    if (status.ok()) {
      EXPECT_TRUE(out == window);
      return false;
    }
    EXPECT_EQ(status.code(), ErrorCode::kBadIndex);
    EXPECT_NE(status.message().find("byte 10"), std::string_view::npos);
    return true;
  };
  EXPECT_FALSE(expect_bad(whole, digest));
  EXPECT_TRUE(expect_bad(whole, digest + 1));
  EXPECT_TRUE(expect_bad("", digest));
  for (size_t size = 0; size < whole.size(); size += 97) {
    EXPECT_TRUE(expect_bad(whole.substr(0, size), digest)) << size;
  }
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    const size_t at = random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    expect_bad(damaged, digest);
  }
  // Too long, and too short.
  for (const size_t size : {window.size() - 1, window.size() + 1}) {
    EXPECT_TRUE(expect_bad(Zlib(SomeBytes(size, &random)), digest));
  }
  EXPECT_TRUE(expect_bad(Zlib(bytes + "x"), digest));
}

// The rules of Make, each broken alone.
TEST(SeekTableTest, PointsThatContradictThemselvesAreRefused) {
  const auto make = [](std::vector<SeekPoint> points, uint64_t stored = 100,
                       uint64_t plain = 1000) {
    return SeekTable::Make(Compression::kGzip, std::move(points), stored, plain,
                           nullptr) != nullptr;
  };
  const SeekPoint first;
  EXPECT_TRUE(make({first}));
  EXPECT_FALSE(make({}));
  EXPECT_FALSE(make({{.stored_bit = 8}}));
  EXPECT_FALSE(make({{.plain = 1}}));
  EXPECT_FALSE(make({{.is_inside = true}}));
  EXPECT_TRUE(make({first, {.stored_bit = 8, .plain = 0}}));
  EXPECT_FALSE(make({first, {.stored_bit = 0, .plain = 5}}));
  EXPECT_FALSE(make({first, {.stored_bit = 9, .plain = 5}}));
  EXPECT_TRUE(make({first, {.stored_bit = 9, .plain = 5, .is_inside = true}}));
  EXPECT_FALSE(make(
      {first, {.stored_bit = 16, .plain = 5}, {.stored_bit = 8, .plain = 6}}));
  EXPECT_FALSE(make(
      {first, {.stored_bit = 16, .plain = 5}, {.stored_bit = 24, .plain = 4}}));
  EXPECT_TRUE(make({first, {.stored_bit = 8 * 99, .plain = 1000}}));
  EXPECT_FALSE(make({first, {.stored_bit = 8 * 100, .plain = 1000}}));
  EXPECT_FALSE(make({first, {.stored_bit = 8 * 99, .plain = 1001}}));
  EXPECT_FALSE(make({first}, 0));
}

TEST(SeekTableTest, BlockOf) {
  const auto table = SeekTable::Make(Compression::kGzip,
                                     {SeekPoint(),
                                      {.stored_bit = 80, .plain = 10},
                                      {.stored_bit = 88, .plain = 10},
                                      {.stored_bit = 96, .plain = 30}},
                                     100, 50, nullptr);
  ASSERT_NE(table, nullptr);
  for (const auto& [plain, block] :
       std::vector<std::pair<uint64_t, size_t>>{{0, 0},
                                                {9, 0},
                                                {10, 2},
                                                {29, 2},
                                                {30, 3},
                                                {49, 3},
                                                {50, 3},
                                                {~uint64_t{0}, 3}}) {
    EXPECT_EQ(table->BlockOf(plain), block) << plain;
  }
  EXPECT_EQ(table->PlainEnd(0), 10u);
  EXPECT_EQ(table->PlainEnd(1), 10u);
  EXPECT_EQ(table->PlainEnd(3), 50u);
  EXPECT_EQ(table->largest_block(), 20u);
}

}  // namespace
}  // namespace headrace::compression
