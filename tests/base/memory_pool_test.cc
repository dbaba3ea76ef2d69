// Large memory between its users: who gets it next, how much is kept, and that
// the kernel may take it.

#include "src/base/memory/memory_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/memory/arena.h"
#include "src/base/memory/buffer.h"
#include "src/base/memory/memory_marks.h"
#include "tests/process/heap.h"
#include "tests/support/effort.h"
#include "tests/support/written_bytes.h"

namespace headrace {
namespace {

using testing::HeapBytes;
using testing::kInstrumented;

constexpr size_t kMin = MemoryPool::kMinPiece;

// The pool of a test ends with nothing kept.
class MemoryPoolTest : public ::testing::Test {
 protected:
  ~MemoryPoolTest() override { pool_.Clear(); }

  uint8_t* Take(size_t size) { return static_cast<uint8_t*>(pool_.Take(size)); }

  MemoryPool pool_;
};

TEST_F(MemoryPoolTest, APieceServesTheNext) {
  for (const size_t size : {kMin, 3 * kMin, 2 * kHugePage}) {
    uint8_t* const piece = Take(size);
    ASSERT_NE(piece, nullptr);
    std::memset(piece, 0xab, size);
    EXPECT_EQ(pool_.kept(), 0u);
    pool_.Give(piece, size);
    EXPECT_GE(pool_.kept(), size);
    EXPECT_EQ(Take(size), piece);
    EXPECT_EQ(pool_.kept(), 0u);
    std::memset(piece, 0xcd, size);
    pool_.Give(piece, size);
    pool_.Clear();
  }
}

TEST_F(MemoryPoolTest, PiecesBeginWithPages) {
  for (const size_t size :
       {kMin, kMin + 1, kHugePage - 1, kHugePage, kHugePage + 1,
        MemoryPool::kMaxPiece, MemoryPool::kMaxPiece + 1}) {
    uint8_t* const piece = Take(size);
    ASSERT_NE(piece, nullptr);
    const size_t page = size <= kHugePage / 2 ? 4096 : kHugePage;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % page, 0u) << size;
    piece[0] = piece[size - 1] = 1;
    pool_.Give(piece, size);
  }
}

TEST_F(MemoryPoolTest, APieceServesNoLargerRequest) {
  uint8_t* const small = Take(2 * kMin);
  pool_.Give(small, 2 * kMin);
  uint8_t* const large = Take(2 * kMin + 1);
  EXPECT_NE(large, small);
  std::memset(large, 1, 2 * kMin + 1);
  // Both are of the pieces of four.
  pool_.Give(large, 2 * kMin + 1);
  EXPECT_EQ(Take(4 * kMin), large);
  pool_.Give(large, 4 * kMin);
}

TEST_F(MemoryPoolTest, KeepsNoMoreThanItsBound) {
  std::mt19937 random(1);
  std::vector<std::pair<void*, size_t>> taken;
  size_t sum = 0;
  while (sum < MemoryPool::kMaxKept / 4 * 5) {
    const size_t size = kMin << (random() % 8);
    taken.emplace_back(Take(size), size);
    ASSERT_NE(taken.back().first, nullptr);
    sum += size;
  }
  const size_t used = HeapBytes();
  for (const auto& [data, size] : taken) {
    pool_.Give(data, size);
    EXPECT_LE(pool_.kept(), MemoryPool::kMaxKept);
  }
  EXPECT_GT(pool_.kept(), MemoryPool::kMaxKept - 2 * MemoryPool::kMaxPiece);
  if (!kInstrumented) {
    EXPECT_LE(HeapBytes() + sum - MemoryPool::kMaxKept, used);
  }
  pool_.Clear();
  EXPECT_EQ(pool_.kept(), 0u);
  if (!kInstrumented) {
    EXPECT_LE(HeapBytes() + sum, used);
  }
}

TEST_F(MemoryPoolTest, LargestMemoryIsNotKept) {
  const size_t size = MemoryPool::kMaxPiece + 1;
  pool_.Give(Take(size), size);
  EXPECT_EQ(pool_.kept(), 0u);
}

TEST_F(MemoryPoolTest, NoMemory) {
  if (kInstrumented) GTEST_SKIP() << "the allocator ends the process";
  EXPECT_EQ(Take(~size_t{0}), nullptr);
  pool_.Give(Take(kMin), kMin);
  // What is kept might have been enough.
  EXPECT_EQ(Take(~size_t{0} / 2), nullptr);
  EXPECT_EQ(pool_.kept(), 0u);
}

// Pages of this process that the kernel may take; less than 0 where it does not
// say.
int64_t LazyFreeBytes() {
  std::ifstream smaps("/proc/self/smaps");
  int64_t sum = -1;
  for (std::string line; std::getline(smaps, line);) {
    if (!line.starts_with("LazyFree:")) continue;
    sum = std::max<int64_t>(sum, 0) + std::stoll(line.substr(9)) * 1024;
  }
  return sum;
}

// The kernel may take some at any time; it says nothing of those any more.
TEST_F(MemoryPoolTest, TheKernelMayTakeWhatIsKept) {
  if (LazyFreeBytes() < 0) GTEST_SKIP() << "the system does not say";
  for (const size_t size : {kMin, 2 * kHugePage}) {
    const auto most = static_cast<int64_t>(size) * 3 / 4;
    uint8_t* const piece = Take(size);
    std::memset(piece, 1, size);
    const int64_t used = LazyFreeBytes();
    pool_.Give(piece, size);
    const int64_t kept = LazyFreeBytes();
    EXPECT_GE(kept, used + most);
    ASSERT_EQ(Take(size), piece);
    std::memset(piece, 2, size);
    EXPECT_LE(LazyFreeBytes(), kept - most);
    pool_.Give(piece, size);
    pool_.Clear();
  }
}

#if defined(HEADRACE_ASAN)
TEST_F(MemoryPoolTest, SanitizerKnowsWhatIsKept) {
  uint8_t* const piece = Take(kMin);
  EXPECT_FALSE(__asan_address_is_poisoned(piece));
  pool_.Give(piece, kMin);
  EXPECT_TRUE(__asan_address_is_poisoned(piece));
  EXPECT_TRUE(__asan_address_is_poisoned(piece + kMin - 1));
  ASSERT_EQ(Take(kMin), piece);
  EXPECT_FALSE(__asan_address_is_poisoned(piece));
  EXPECT_FALSE(__asan_address_is_poisoned(piece + kMin - 1));
  pool_.Give(piece, kMin);
}
#endif

TEST_F(MemoryPoolTest, SanitizerKnowsWhatIsUnwritten) {
  if (!testing::kUnwrittenIsKnown) GTEST_SKIP() << "only with MSan";
  for (int round = 0; round < 2; ++round) {
    uint8_t* const piece = Take(kMin);
    EXPECT_FALSE(testing::IsWritten(piece, 1));
    std::memset(piece, 1, kMin);
    pool_.Give(piece, kMin);
  }
}

// Takes pieces, writes to them and gives them back. False if anybody else wrote
// there meanwhile.
bool UsePool(MemoryPool* pool, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  struct Piece {
    uint8_t* data;
    size_t size;
    uint64_t mark;
  };
  std::vector<Piece> pieces;
  bool is_own = true;
  const auto give = [&](size_t i) {
    const Piece piece = pieces[i];
    pieces.erase(pieces.begin() + static_cast<ptrdiff_t>(i));
    for (const size_t at : {size_t{0}, piece.size - sizeof(uint64_t)}) {
      is_own &=
          std::memcmp(piece.data + at, &piece.mark, sizeof(piece.mark)) == 0;
    }
    pool->Give(piece.data, piece.size);
  };
  for (int i = 0; i < rounds; ++i) {
    if (pieces.size() > random() % 6) {
      give(random() % pieces.size());
      continue;
    }
    const size_t size = kMin << (random() % 3);
    const uint64_t mark = uint64_t{seed} << 32 | random();
    auto* const data = static_cast<uint8_t*>(pool->Take(size));
    for (const size_t at : {size_t{0}, size - sizeof(uint64_t)}) {
      std::memcpy(data + at, &mark, sizeof(mark));
    }
    pieces.push_back({data, size, mark});
  }
  while (!pieces.empty()) give(0);
  return is_own;
}

TEST_F(MemoryPoolTest, NoPieceHasTwoUsers) {
  std::atomic<int> bad{0};
  std::vector<std::thread> threads;
  for (unsigned i = 1; i <= 4; ++i) {
    threads.emplace_back(
        [this, &bad, i] { bad += !UsePool(&pool_, i, /*rounds=*/5000); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, 0);
  EXPECT_GT(pool_.kept(), 0u);
  EXPECT_LE(pool_.kept(), MemoryPool::kMaxKept);
}

// Whatever other threads were doing with the pool, the child does not wait for
// them, and what it writes is its own.
TEST_F(MemoryPoolTest, AForkedChildHasAPoolOfItsOwn) {
  if (kInstrumented) GTEST_SKIP() << "threads and fork";
  std::atomic<bool> is_over{false};
  std::atomic<int> bad{0};
  std::vector<std::thread> threads;
  for (unsigned i = 1; i <= 2; ++i) {
    threads.emplace_back([&, i] {
      while (!is_over) bad += !UsePool(&pool_, i, /*rounds=*/100);
    });
  }
  for (unsigned i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(UsePool(&pool_, 100 + i, /*rounds=*/200) ? 0 : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, 0);
}

// Those who use the pool of the process.

TEST(MemoryPoolUsersTest, MemoryOfArenasComesBack) {
  MemoryPool& pool = MemoryPool::OfProcess();
  pool.Clear();
  {
    Arena arena(uint64_t{1} << 30);
    ASSERT_NE(arena.Allocate(kMin), nullptr);
    ASSERT_NE(arena.Allocate(3 * kHugePage), nullptr);
  }
  EXPECT_GE(pool.kept(), kMin + 3 * kHugePage);
  {
    Arena arena(uint64_t{1} << 30);
    ASSERT_NE(arena.Allocate(kMin), nullptr);
    ASSERT_NE(arena.Allocate(3 * kHugePage), nullptr);
    EXPECT_EQ(pool.kept(), 0u);
  }
  pool.Clear();
}

// A buffer that grew is no piece any more.
TEST(MemoryPoolUsersTest, MemoryOfBuffersComesBackUnlessTheyGrew) {
  MemoryPool& pool = MemoryPool::OfProcess();
  for (const bool grows : {false, true}) {
    pool.Clear();
    {
      Buffer buffer;
      ASSERT_TRUE(buffer.Grow(kMin));
      std::memset(buffer.data(), 7, kMin);
      if (grows) {
        ASSERT_TRUE(buffer.Grow(9 * kMin));
        EXPECT_EQ(buffer.data()[kMin - 1], 7);
      }
      Buffer moved(std::move(buffer));
      Buffer assigned;
      assigned = std::move(moved);
    }
    EXPECT_EQ(pool.kept(), grows ? 0 : kMin);
  }
  pool.Clear();
}

}  // namespace
}  // namespace headrace
