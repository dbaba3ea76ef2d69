#include "src/base/arena.h"

#include <cstring>

#include "gtest/gtest.h"

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

}  // namespace
}  // namespace headrace
