// Blocks of memory that windows are read into: which are kept, and which serve.

#include "src/input/source/block_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "src/input/source/window.h"
#include "tests/process/heap.h"
#include "tests/support/effort.h"
#include "tests/support/or_throw.h"

namespace headrace::source {
namespace {

using testing::HeapBytes;
using testing::OrThrow;

TEST(BlockPoolTest, ReusesBlocks) {
  const auto pool = std::make_shared<BlockPool>(1000);
  Block* first = nullptr;
  {
    auto taken = OrThrow(pool->Take(1000));
    first = taken.block;
  }
  for (int i = 0; i < 10; ++i) {
    auto taken = OrThrow(pool->Take(static_cast<size_t>(100 * i)));
    EXPECT_EQ(taken.block, first);
  }
}

TEST(BlockPoolTest, SealClearsTheSlackAndNothingElse) {
  const auto pool = std::make_shared<BlockPool>(1000);
  auto taken = OrThrow(pool->Take(1000));
  uint8_t* const data = taken.block->data();
  for (const size_t size : {size_t{0}, size_t{500}, size_t{1000}}) {
    std::memset(data, 0xff, 1000 + kSlack);
    taken.block->Seal(size);
    for (size_t i = 0; i < 1000 + kSlack; ++i) {
      const bool is_slack = i >= size && i < size + kSlack;
      ASSERT_EQ(data[i], is_slack ? 0 : 0xff) << i;
    }
  }
}

TEST(BlockPoolTest, PlacesInFileAndMemoryAreAlignedAlike) {
  const auto pool = std::make_shared<BlockPool>(1000);
  for (const size_t capacity : {size_t{1}, size_t{1000}, size_t{400'000}}) {
    for (uint64_t offset = 0; offset < 200; offset += 7) {
      auto taken = OrThrow(pool->Take(capacity, offset));
      uint8_t* const data = taken.block->data();
      EXPECT_EQ(
          (reinterpret_cast<uintptr_t>(data) - offset) % Block::kAlignment, 0u);
      ASSERT_GE(taken.block->capacity(), capacity);
      std::memset(data, 1, taken.block->capacity());
      taken.block->Seal(taken.block->capacity());
    }
  }
}

TEST(BlockPoolTest, LargeBlocksServeLargeRequestsAndGo) {
  const auto pool = std::make_shared<BlockPool>(1000);
  Block* large = nullptr;
  {
    auto taken = OrThrow(pool->Take(100000));
    large = taken.block;
  }
  {
    auto small = pool->Take(1000);
    auto again = pool->Take(50000);
    ASSERT_TRUE(small.ok() && again.ok());
    EXPECT_NE(small->block, large);
    EXPECT_EQ(again->block, large);
  }
  const size_t before = HeapBytes();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(pool->Take(1000).ok());
  if (!testing::kInstrumented) {
    EXPECT_LE(HeapBytes() + 90000, before);
  }
}

TEST(BlockPoolTest, TheSmallestThatFitsServes) {
  const auto pool = std::make_shared<BlockPool>(1000);
  Block* blocks[2];
  {
    // Given back in this order, so that the largest is found first.
    auto larger = pool->Take(90000);
    auto smaller = pool->Take(50000);
    ASSERT_TRUE(larger.ok() && smaller.ok());
    blocks[0] = smaller->block;
    blocks[1] = larger->block;
  }
  auto first = pool->Take(40000);
  auto second = pool->Take(40000);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->block, blocks[0]);
  EXPECT_EQ(second->block, blocks[1]);
}

// Large blocks that went leave room for others.
TEST(BlockPoolTest, TwoLargeBlocksAreKept) {
  if (testing::kInstrumented) GTEST_SKIP() << "says nothing of the heap";
  const auto pool = std::make_shared<BlockPool>(1000);
  for (int round = 0; round < 3; ++round) {
    {
      std::vector<BlockPool::Taken> taken;
      for (int i = 0; i < 3; ++i) taken.push_back(*pool->Take(100'000));
      const size_t used = HeapBytes();
      taken.clear();
      EXPECT_LE(HeapBytes() + 100'000, used);
      EXPECT_GE(HeapBytes() + 110'000, used);
    }
    const size_t before = HeapBytes();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(pool->Take(1000).ok());
    EXPECT_LE(HeapBytes() + 190'000, before);
  }
}

// So many are kept as were used at once, and when they have not been for long,
// sixteen; also of those that are too small to be used again.
TEST(BlockPoolTest, KeepsAsManyAsWereUsedOfLate) {
  if (testing::kInstrumented) GTEST_SKIP() << "says nothing of the heap";
  constexpr size_t kBlock = 10'000;
  constexpr size_t kMany = 100;
  for (const size_t later : {kBlock, 2 * kBlock}) {
    const auto pool = std::make_shared<BlockPool>(2 * kBlock);
    const size_t before = HeapBytes();
    {
      std::vector<BlockPool::Taken> taken;
      for (size_t i = 0; i < kMany; ++i) taken.push_back(*pool->Take(kBlock));
    }
    EXPECT_GE(HeapBytes(), before + kMany * kBlock);
    for (size_t i = 0; i < 6 * kMany; ++i) ASSERT_TRUE(pool->Take(later).ok());
    EXPECT_LE(HeapBytes(), before + 18 * kBlock);
    EXPECT_GE(HeapBytes(), before + 15 * kBlock);
  }
}

// Each is too small for the next request.
TEST(BlockPoolTest, KeepsSixteenFromTheBeginning) {
  if (testing::kInstrumented) GTEST_SKIP() << "says nothing of the heap";
  const auto pool = std::make_shared<BlockPool>(20'000);
  const size_t before = HeapBytes();
  size_t sum = 0;
  for (size_t i = 1; i <= 16; ++i) {
    ASSERT_TRUE(pool->Take(1000 * i).ok());
    sum += 1000 * i;
  }
  EXPECT_GE(HeapBytes(), before + sum);
}

TEST(BlockPoolTest, BlocksOutliveThePool) {
  auto pool = std::make_shared<BlockPool>(1000);
  auto taken = OrThrow(pool->Take(1000));
  pool.reset();
  taken.block->data()[0] = 1;
  EXPECT_EQ(taken.block->data()[0], 1);
}

}  // namespace
}  // namespace headrace::source
