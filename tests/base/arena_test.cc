#include "src/base/memory/arena.h"

#include <cstring>

#include "gtest/gtest.h"
#include "src/base/memory/memory_marks.h"
#include "tests/support/written_bytes.h"

namespace headrace {
namespace {

TEST(ArenaTest, PiecesAreAlignedAndApart) {
  Arena arena(uint64_t{1} << 30);
  uint8_t* previous = nullptr;
  for (size_t size : {0u, 1u, 63u, 64u, 65u, 5'000'000u, 7u}) {
    auto* piece = static_cast<uint8_t*>(arena.Allocate(size));
    ASSERT_NE(piece, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % Arena::kAlignment, 0u);
    EXPECT_NE(piece, previous);
    std::memset(piece, 0xAB, size);
    previous = piece;
  }
}

TEST(ArenaTest, TheSecondRoundNeedsNothingNew) {
  Arena arena(uint64_t{1} << 30);
  auto fill = [&arena] {
    for (int i = 0; i < 100; ++i) ASSERT_NE(arena.Allocate(30'000), nullptr);
  };
  fill();
  arena.Reset();
  const uint64_t reserved = arena.reserved();
  for (int round = 0; round < 3; ++round) {
    fill();
    EXPECT_EQ(arena.reserved(), reserved);
    arena.Reset();
  }
}

// What sanitizers see of a piece is what its owner may do with it.
#if defined(HEADRACE_ASAN)
TEST(ArenaTest, SanitizerKnowsWhatIsHandedOut) {
  Arena arena(uint64_t{1} << 20);
  for (int round = 0; round < 2; ++round) {
    auto* const piece = static_cast<uint8_t*>(arena.Allocate(70));
    EXPECT_FALSE(__asan_address_is_poisoned(piece));
    EXPECT_FALSE(__asan_address_is_poisoned(piece + 69));
    EXPECT_TRUE(__asan_address_is_poisoned(piece + 70));
    EXPECT_TRUE(__asan_address_is_poisoned(piece + 128));
    arena.Reset();
    EXPECT_TRUE(__asan_address_is_poisoned(piece));
  }
}
#endif

TEST(ArenaTest, SanitizerKnowsWhatIsUnwritten) {
  if (!testing::kUnwrittenIsKnown) GTEST_SKIP() << "only with MSan";
  Arena arena(uint64_t{1} << 20);
  for (int round = 0; round < 2; ++round) {
    auto* const piece = static_cast<uint8_t*>(arena.Allocate(70));
    std::memset(piece, 0xAB, 69);
    EXPECT_TRUE(testing::IsWritten(piece, 69));
    EXPECT_FALSE(testing::IsWritten(piece, 70));
    arena.Reset();
  }
}

TEST(ArenaTest, KeepsToItsBudget) {
  Arena arena(100'000);
  EXPECT_EQ(arena.Allocate(100'001), nullptr);
  EXPECT_NE(arena.Allocate(60'000), nullptr);
  EXPECT_EQ(arena.Allocate(60'000), nullptr);
  EXPECT_FALSE(arena.out_of_memory());
  EXPECT_EQ(arena.Allocate(~size_t{0}), nullptr);
  EXPECT_EQ(arena.Allocate(~size_t{0} - 70), nullptr);
  arena.Reset();
  EXPECT_NE(arena.Allocate(60'000), nullptr);
}

// Of 32 bits: 2^32 is no size there, and nothing that is cut off is left of it.
TEST(ArenaTest, BudgetBeyondTheAddresses) {
  Arena arena(uint64_t{1} << 32);
  for (int round = 0; round < 2; ++round) {
    for (size_t size : {100'000u, 200'000u}) {
      const uint64_t used = arena.used();
      ASSERT_NE(arena.Allocate(size), nullptr);
      EXPECT_GE(arena.used(), used + size);
      EXPECT_GE(arena.reserved(), arena.used());
    }
    arena.Reset();
  }
}

}  // namespace
}  // namespace headrace
