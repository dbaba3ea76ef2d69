// Of a file of which each read is a request, a stretch comes with one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/input/blocks/block_inflater.h"
#include "src/input/blocks/seekable_stream.h"
#include "src/input/compression/stored_cursor.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/support/matchers.h"

namespace headrace::compression {
namespace {

using Range = std::pair<uint64_t, uint64_t>;

// Notes the ranges that are asked for.
class FarStream : public ByteStream {
 public:
  FarStream(const std::string& bytes, std::vector<Range>* ranges)
      : bytes_(bytes), ranges_(ranges) {}

  Result<size_t> Read(std::span<uint8_t> /*out*/) override { return size_t{0}; }
  bool can_read_at() const override { return true; }
  bool is_far() const override { return true; }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override {
    const size_t begin = std::min<size_t>(position, bytes_.size());
    const size_t size = std::min(out.size(), bytes_.size() - begin);
    std::memcpy(out.data(), bytes_.data() + begin, size);
    ranges_->emplace_back(begin, begin + size);
    return size;
  }
  uint64_t stored_position() const override { return 0; }

 private:
  const std::string& bytes_;
  std::vector<Range>* const ranges_;
};

// The stored bytes of the blocks that have these inflated ones.
Range StretchOf(const SeekTable& table, uint64_t begin, uint64_t end) {
  const auto points = table.points();
  const size_t next = table.BlockOf(end - 1) + 1;
  return {points[begin == 0 ? 0 : table.BlockOf(begin)].stored_byte(),
          next == points.size() ? table.stored_size()
                                : (points[next].stored_bit + 7) / 8};
}

TEST(FarFileTest, AStretchIsOneRead) {
  std::mt19937 random(9);
  for (const SeekFile& file : FewSeekFiles(PlainBytes(1'000'000))) {
    const auto table = BuildTable(file, 100'000);
    std::vector<Range> ranges;
    const auto stored = std::make_shared<SharedStored>(
        std::make_unique<FarStream>(file.stored, &ranges), file.stored.size());
    for (int i = 0; i < 50; ++i) {
      BlockInflater inflater(table, stored, Access::kRandom);
      const uint64_t begin = random() % file.plain.size();
      const size_t size =
          std::min<size_t>(1 + random() % 250'000, file.plain.size() - begin);
      std::vector<uint8_t> out(size);
      ranges.clear();
      const auto got = inflater.ReadAt(begin, out);
      ASSERT_THAT(got.status(), headrace::testing::IsOk());
      ASSERT_EQ(*got, size);
      EXPECT_EQ(std::memcmp(out.data(), file.plain.data() + begin, size), 0);
      const Range stretch = StretchOf(*table, begin, begin + size);
      EXPECT_EQ(ranges, std::vector<Range>{stretch}) << file.name;
      // What else the last block has is there already, but for its end: the
      // libraries inflate somewhat more than they are asked for.
      constexpr uint64_t kMore = 70'000;
      const uint64_t end = table->PlainEnd(table->BlockOf(begin + size - 1)) -
                           std::min<uint64_t>(kMore, begin + size);
      if (begin + size >= end) continue;
      ranges.clear();
      out.resize(static_cast<size_t>(end - begin - size));
      ASSERT_THAT(inflater.ReadAt(begin + size, out).status(),
                  headrace::testing::IsOk());
      EXPECT_EQ(
          std::memcmp(out.data(), file.plain.data() + begin + size, out.size()),
          0);
      EXPECT_THAT(ranges, ::testing::IsEmpty()) << file.name;
    }
  }
}

}  // namespace
}  // namespace headrace::compression
