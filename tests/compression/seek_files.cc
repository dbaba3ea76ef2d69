#include "tests/compression/seek_files.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <ostream>
#include <random>
#include <utility>

#include "src/input/blocks/member_hops.h"
#include "src/input/compression/decompressor.h"
#include "src/input/deflate/packed_window.h"
#include "src/input/deflate/seek_table.h"
#include "tests/support/record_file.h"

namespace headrace::compression {

std::ostream& operator<<(std::ostream& out, const SeekFile& file) {
  return out << file.name;
}

std::string PlainBytes(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  return SomeBytes(size, &random);
}

std::vector<SeekFile> FewSeekFiles(const std::string& plain) {
  const auto gzip = Compression::kGzip;
  const Pieces large = Split(plain, plain.size() / 2);
  return {
      {"gzip", gzip, plain, Gzip(plain)},
      {"members", gzip, plain, GzipMembers(large)},
      {"blocked", gzip, plain, BlockedGzip(Split(plain, 20'000))},
      {"bgzf", gzip, plain, Bgzf(Split(plain, 40'000))},
      {"zlib", Compression::kZlib, plain, Zlib(plain)},
      {"zstd", Compression::kZstd, plain, SeekableZstd(Split(plain, 30'000))},
  };
}

std::vector<SeekFile> SeekFiles(const std::string& plain) {
  std::vector<SeekFile> files = FewSeekFiles(plain);
  const auto add = [&](const std::string& name, Compression compression,
                       std::string stored) {
    files.push_back({name, compression, plain, std::move(stored)});
  };
  for (int level = 0; level <= 9; ++level) {
    for (int strategy = Z_DEFAULT_STRATEGY; strategy <= Z_FIXED; ++strategy) {
      add("level " + std::to_string(level) + " strategy " +
              std::to_string(strategy),
          Compression::kGzip, Deflate(plain, 31, level, strategy));
    }
  }
  add("small blocks", Compression::kGzip, Deflate(plain, 31, 6, 0, 1));
  for (const size_t size : {size_t{100}, size_t{5000}, size_t{40'000}}) {
    const Pieces pieces = Split(plain, size);
    add("full flushes of " + std::to_string(size), Compression::kGzip,
        FlushedDeflate(pieces, 31, Z_FULL_FLUSH));
    add("flushes of " + std::to_string(size), Compression::kZlib,
        FlushedDeflate(pieces, 15, Z_SYNC_FLUSH));
    add("partial flushes of " + std::to_string(size), Compression::kGzip,
        FlushedDeflate(pieces, 31, Z_PARTIAL_FLUSH));
  }
  add("one block", Compression::kGzip, OneFixedBlock(plain));
  add("stored members", Compression::kGzip,
      GzipMembers(Split(plain, 50'000), 0));
  add("tiny members", Compression::kGzip, GzipMembers(Split(plain, 300)));
  add("empty members", Compression::kGzip,
      GzipMember("") + GzipMember(plain) + GzipMember("") + GzipMember(""));
  add("tiny blocks", Compression::kGzip, BlockedGzip(Split(plain, 500)));
  add("empty blocks", Compression::kGzip,
      BlockedGzip({"", plain, "", "", plain.substr(0, 0)}));
  add("zstd of one frame", Compression::kZstd, Zstd(plain));
  add("zstd with checks", Compression::kZstd,
      SeekableZstd(Split(plain, 3000), true));
  return files;
}

namespace {

// Records of the same lengths, all of this byte; the first has `payload`.
std::string RecordsOf(char byte, const std::string& payload, int count) {
  std::string records = testing::FramedRecord(payload);
  for (int i = 0; i < count; ++i) {
    records += testing::FramedRecord(std::string(300, byte));
  }
  return records;
}

// The member that says of itself, by `claim`, where it ends. Its deflate data
// are stored bytes.
std::string ClaimingMember(const std::string& plain, const std::string& claim) {
  return GzipMember(plain, claim, /*level=*/0);
}

// `claim` makes the subfield of a member of so many stored and plain bytes.
template <class Claim>
SeekFile LyingGzip(const std::string& name, const Claim& claim) {
  constexpr size_t kPayload = 2000;
  const std::string hidden_plain =
      RecordsOf('e', std::string(kPayload, 'e'), 20);
  const size_t size = hidden_plain.size();
  // What is hidden says that it ends where the member around it does.
  std::string hidden = GzipMember(hidden_plain, claim(0, size));
  const auto payload = [&] {
    // The size in the trailer before it is 0.
    std::string bytes = std::string(100, 'g') + std::string(8, '\0') + hidden;
    bytes.resize(kPayload, 'g');
    return bytes;
  };
  const auto outer = [&](size_t end) {
    return ClaimingMember(RecordsOf('g', payload(), 20), claim(end, 0));
  };
  const size_t begin = outer(0).find(hidden);
  hidden = GzipMember(hidden_plain, claim(outer(0).size() - begin, size));
  const std::string rest = RecordsOf('r', "rest", 40);
  const auto last = [&](size_t end) {
    return GzipMember(rest, claim(end, rest.size()));
  };
  return {name, Compression::kGzip, RecordsOf('g', payload(), 20) + rest,
          outer(begin) + last(last(0).size())};
}

SeekFile LyingZstd() {
  const std::string plain = RecordsOf('g', std::string(2000, 'g'), 20);
  const std::string hidden = Zstd(RecordsOf('e', std::string(2000, 'e'), 20));
  const std::string rest = RecordsOf('r', "rest", 40);
  const std::string first =
      Zstd(plain) + Little(0x184D2A50, 4) + Little(hidden.size(), 4);
  const std::string last = Zstd(rest);
  std::string table = Little(first.size(), 4) + Little(0, 4) +
                      Little(hidden.size(), 4) + Little(plain.size(), 4) +
                      Little(last.size(), 4) + Little(rest.size(), 4);
  table += Little(3, 4) + std::string(1, '\0') + Little(0x8F92EAB1, 4);
  return {"zstd lies", Compression::kZstd, plain + rest,
          first + hidden + last + Little(0x184D2A5E, 4) +
              Little(table.size(), 4) + table};
}

}  // namespace

std::vector<SeekFile> LyingFiles() {
  const auto bc = [](size_t stored, size_t /*plain*/) {
    return "BC" + Little(2, 2) + Little(stored - 1, 2);
  };
  const auto hr = [](size_t stored, size_t plain) {
    return "HR" + Little(12, 2) + Little(stored, 4) + Little(plain, 4) +
           Little(21, 4);
  };
  return {LyingGzip("BC lies", bc), LyingGzip("HR lies", hr), LyingZstd()};
}

std::shared_ptr<const SeekTable> BuildTable(const SeekFile& file,
                                            uint64_t spacing, Windows windows,
                                            InflateLibrary library) {
  SeekTableBuilder builder(
      spacing, windows == Windows::kSparse ? StreamOf(file.stored) : nullptr);
  auto stream = Decompress(file.compression, StreamOf(file.stored),
                           file.stored.size(), library);
  if (!stream.ok()) return nullptr;
  (*stream)->FindPoints(&builder);
  const Outcome outcome = ReadAll(stream->get(), 3000);
  if (!outcome.failure.ok()) return nullptr;
  auto table = builder.Finish(file.compression, file.stored.size());
  EXPECT_TRUE(table.ok()) << table.status().ToString();
  return table.ok() ? *table : nullptr;
}

std::shared_ptr<const SeekTable> HopTable(const SeekFile& file) {
  MemoryStream stored(Bytes(file.stored));
  const auto hops =
      HopOverMembers(file.compression, &stored, file.stored.size());
  EXPECT_TRUE(hops.ok()) << hops.status().ToString();
  return hops.ok() ? hops->table : nullptr;
}

Outcome Truth(Compression compression, const std::string& stored) {
  auto stream = Decompress(compression, StreamOf(stored), stored.size(),
                           InflateLibrary::kZlib);
  if (!stream.ok()) return Outcome{.bytes = "", .failure = stream.status()};
  return ReadAll(stream->get(), 4096);
}

BlockInflater InflaterOf(const SeekFile& file,
                         const std::shared_ptr<const SeekTable>& table) {
  return BlockInflater(
      table,
      std::make_shared<SharedStored>(StreamOf(file.stored), file.stored.size()),
      Access::kInOrder);
}

void ExpectBlocks(const SeekFile& file,
                  const std::shared_ptr<const SeekTable>& table) {
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->plain_size(), file.plain.size());
  BlockInflater inflater = InflaterOf(file, table);
  for (size_t i = 0; i < table->points().size(); ++i) {
    const auto begin = static_cast<size_t>(table->points()[i].plain);
    std::string bytes(static_cast<size_t>(table->PlainEnd(i)) - begin, '\0');
    const Status status = inflater.InflateBlocks(
        i, i + 1, {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
    ASSERT_TRUE(status.ok()) << file << " " << i << ": " << status.ToString();
    ASSERT_TRUE(bytes == file.plain.substr(begin, bytes.size()));
  }
}

WindowBytes WindowOf(const SeekPoint& point) {
  WindowBytes window;
  const Status status = UnpackWindow(point, window);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return window;
}

std::vector<SeekPoint> PointsOf(const SeekTable& table) {
  return {table.points().begin(), table.points().end()};
}

std::shared_ptr<const SeekTable> Remade(const SeekTable& table,
                                        std::vector<SeekPoint> points) {
  return SeekTable::Make(table.compression(), std::move(points),
                         table.stored_size(), table.plain_size(), nullptr);
}

std::unique_ptr<ByteStream> StreamOf(const std::string& stored) {
  return std::make_unique<MemoryStream>(Bytes(stored));
}

std::string ReadAt(BlockInflater* inflater, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  const auto got = inflater->ReadAt(
      offset, {reinterpret_cast<uint8_t*>(bytes.data()), size});
  EXPECT_TRUE(got.ok()) << got.status().ToString();
  bytes.resize(got.ok() ? *got : 0);
  return bytes;
}

}  // namespace headrace::compression
