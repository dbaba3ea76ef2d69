// ISA-L's inflate and zlib's behind one interface.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/input/deflate/raw_inflate.h"
#include "tests/compression/stored.h"

namespace headrace::compression {
namespace {

struct Inflated {
  std::string bytes;
  InflateState state = InflateState::kGoing;
  size_t used = 0;  // of the input, where the stream is complete

  bool operator==(const Inflated& other) const = default;
};

std::ostream& operator<<(std::ostream& out, const Inflated& inflated) {
  return out << inflated.bytes.size() << " bytes, state "
             << static_cast<int>(inflated.state) << ", used " << inflated.used;
}

Inflated InflateAll(RawInflate* inflate, const std::string& stored,
                    size_t in_piece, size_t out_piece) {
  Inflated result;
  inflate->Restart();
  // Exactly as large as said, so that a sanitizer sees each byte too far.
  const auto in = std::make_unique<uint8_t[]>(stored.size() + 1);
  std::copy(stored.begin(), stored.end(), in.get());
  std::vector<uint8_t> out(out_piece);
  size_t at = 0;
  while (result.state == InflateState::kGoing) {
    const size_t size = std::min(in_piece, stored.size() - at);
    const auto step =
        inflate->Run({in.get() + at, size}, at + size == stored.size(), out);
    result.bytes.append(reinterpret_cast<const char*>(out.data()),
                        step.produced);
    at = static_cast<size_t>(static_cast<ptrdiff_t>(at) + step.consumed);
    result.state = step.state;
  }
  if (result.state == InflateState::kDone) result.used = at;
  return result;
}

// The parameter is the library to test; zlib is there to compare with.
class InflateTest : public ::testing::TestWithParam<InflateLibrary> {
 protected:
  size_t Piece() {
    static constexpr size_t kPieces[] = {1, 2, 7, 31, 100, 333, 4096, 1 << 15};
    return kPieces[random_() % std::size(kPieces)];
  }
  // zlib's answer, which for a whole stream is the tested library's as well, in
  // any pieces; of a cut one ISA-L may give less.
  Inflated Same(const std::string& stored) {
    const Inflated want = InflateAll(zlib_.get(), stored, 1 << 20, 1 << 15);
    for (const size_t piece : {size_t{1} << 20, Piece()}) {
      const Inflated got = InflateAll(tested_.get(), stored, piece, Piece());
      EXPECT_EQ(got.state, want.state);
      EXPECT_EQ(got.used, want.used);
      if (want.state == InflateState::kCut) {
        EXPECT_TRUE(want.bytes.starts_with(got.bytes));
      } else {
        EXPECT_TRUE(got.bytes == want.bytes);
      }
    }
    return want;
  }
  std::string SomeStream(size_t most) {
    const std::string plain = SomeBytes(random_() % most, &random_);
    return Deflate(plain, -15, static_cast<int>(random_() % 10),
                   random_() % 5 == 0 ? 4 : 0,
                   1 + static_cast<int>(random_() % 9));
  }
  // Of damaged data only that both agree where zlib finds nothing wrong;
  // sanitizers see to the rest.
  void Damaged(const std::string& stored) {
    const Inflated got = InflateAll(tested_.get(), stored, 1 << 16, 1 << 15);
    EXPECT_NE(got.state, InflateState::kGoing);
    const Inflated want = InflateAll(zlib_.get(), stored, 1 << 16, 1 << 15);
    if (want.state == InflateState::kDone) {
      EXPECT_EQ(got, want);
    }
  }

  std::mt19937 random_{1};
  std::unique_ptr<RawInflate> tested_ = NewRawInflate(GetParam());
  std::unique_ptr<RawInflate> zlib_ = NewRawInflate(InflateLibrary::kZlib);
};

TEST_P(InflateTest, RoundTrip) {
  for (int i = 0; i < 150; ++i) {
    const std::string plain = SomeBytes(random_() % 200000, &random_);
    const std::string stored =
        Deflate(plain, -15, i % 10, i % 7 == 0 ? 4 : 0, 1 + i % 9);
    const Inflated got =
        InflateAll(tested_.get(), stored, Piece() + 100, Piece() + 100);
    ASSERT_EQ(got.state, InflateState::kDone) << i;
    ASSERT_EQ(got.used, stored.size());
    ASSERT_TRUE(got.bytes == plain) << i;
  }
}

TEST_P(InflateTest, EveryCut) {
  for (int level : {0, 1, 6}) {
    const std::string stored = Deflate(SomeBytes(1500, &random_), -15, level);
    for (size_t size = 0; size < stored.size(); ++size) {
      const Inflated got = Same(stored.substr(0, size));
      ASSERT_EQ(got.state, InflateState::kCut) << size;
    }
  }
}

TEST_P(InflateTest, CutsOfLongStreams) {
  for (int i = 0; i < 100; ++i) {
    std::string stored = SomeStream(60000);
    stored.resize(random_() % stored.size());
    Same(stored);
    if (HasFailure()) FAIL() << i;
  }
}

TEST_P(InflateTest, RandomDamage) {
  for (int i = 0; i < 1500; ++i) {
    std::string stored = SomeStream(2000);
    for (int flips = 1 + static_cast<int>(random_() % 3); flips > 0; --flips) {
      const size_t at =
          random_() %
          std::min<size_t>(stored.size(), random_() % 2 == 0 ? 80 : 1 << 20);
      stored[at] = static_cast<char>(stored[at] ^ (1 << (random_() % 8)));
    }
    Damaged(stored);
    if (HasFailure()) FAIL() << i;
  }
}

TEST_P(InflateTest, RandomBytes) {
  for (int i = 0; i < 1500; ++i) {
    std::string stored;
    for (size_t size = random_() % 200; size > 0; --size) {
      stored += static_cast<char>(random_());
    }
    Damaged(stored);
    if (HasFailure()) FAIL() << i;
  }
}

TEST_P(InflateTest, GivesBackWhatFollows) {
  for (int i = 0; i < 300; ++i) {
    const std::string stored = SomeStream(1000);
    const std::string after(random_() % 20, 'x');
    EXPECT_EQ(Same(stored + after).used, stored.size());
    if (HasFailure()) FAIL() << i;
  }
}

TEST_P(InflateTest, MatchesOverCalls) {
  // Runs and repeats over pieces of output of every small size.
  std::string plain(300, 'x');
  for (int i = 0; i < 40; ++i) plain += plain.substr(plain.size() - 100, 97);
  const std::string stored = Deflate(plain, -15);
  for (size_t piece = 1; piece < 400; ++piece) {
    ASSERT_EQ(InflateAll(tested_.get(), stored, 1000, piece).bytes, plain)
        << piece;
  }
}

constexpr InflateLibrary kLibraries[] = {kBestInflate, InflateLibrary::kZlib};
INSTANTIATE_TEST_SUITE_P(
    Libraries, InflateTest,
    ::testing::ValuesIn(kLibraries, kLibraries + (HEADRACE_HAVE_ISAL ? 2 : 1)),
    [](const auto& instance) {
      return instance.param == InflateLibrary::kIsal ? "Isal" : "Zlib";
    });

}  // namespace
}  // namespace headrace::compression
