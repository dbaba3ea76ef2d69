// Inflate against zlib: the same bytes and the same end for everything.

#include "src/source/inflate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/source/stored.h"

namespace headrace::source {
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
  std::vector<uint8_t> in(Bytes(stored).begin(), Bytes(stored).end());
  in.reserve(1);
  std::vector<uint8_t> out(out_piece);
  size_t at = 0;
  while (result.state == InflateState::kGoing) {
    const size_t size = std::min(in_piece, in.size() - at);
    const auto step =
        inflate->Run({in.data() + at, size}, at + size == in.size(), out);
    result.bytes.append(reinterpret_cast<const char*>(out.data()),
                        step.produced);
    at = static_cast<size_t>(static_cast<ptrdiff_t>(at) + step.consumed);
    result.state = step.state;
  }
  if (result.state == InflateState::kDone) result.used = at;
  return result;
}

class InflateTest : public ::testing::Test {
 protected:
  size_t Piece() {
    static constexpr size_t kPieces[] = {1, 2, 7, 31, 100, 333, 4096, 1 << 20};
    return kPieces[random_() % std::size(kPieces)];
  }
  // Both libraries, in different pieces.
  Inflated Same(const std::string& stored) {
    const Inflated want = InflateAll(zlib_.get(), stored, 1 << 20, 1 << 17);
    EXPECT_EQ(InflateAll(ours_.get(), stored, 1 << 20, 1 << 17), want);
    EXPECT_EQ(InflateAll(ours_.get(), stored, Piece(), Piece()), want);
    return want;
  }
  std::string SomeStream(size_t most) {
    const std::string plain = SomeBytes(random_() % most, &random_);
    return Deflate(plain, -15, static_cast<int>(random_() % 10),
                   random_() % 5 == 0 ? 4 : 0,
                   1 + static_cast<int>(random_() % 9));
  }

  std::mt19937 random_{1};
  std::unique_ptr<RawInflate> ours_ = NewRawInflate(InflateLibrary::kOurs);
  std::unique_ptr<RawInflate> zlib_ = NewRawInflate(InflateLibrary::kZlib);
};

TEST_F(InflateTest, RoundTrip) {
  for (int i = 0; i < 150; ++i) {
    const std::string plain = SomeBytes(random_() % 200000, &random_);
    const std::string stored =
        Deflate(plain, -15, i % 10, i % 7 == 0 ? 4 : 0, 1 + i % 9);
    const Inflated got =
        InflateAll(ours_.get(), stored, Piece() + 100, Piece() + 100);
    ASSERT_EQ(got.state, InflateState::kDone) << i;
    ASSERT_EQ(got.used, stored.size());
    ASSERT_TRUE(got.bytes == plain) << i;
  }
}

TEST_F(InflateTest, EveryCut) {
  for (int level : {0, 1, 6}) {
    const std::string stored = Deflate(SomeBytes(3000, &random_), -15, level);
    for (size_t size = 0; size < stored.size(); ++size) {
      const Inflated got = Same(stored.substr(0, size));
      ASSERT_EQ(got.state, InflateState::kCut) << size;
    }
  }
}

TEST_F(InflateTest, CutsOfLongStreams) {
  for (int i = 0; i < 100; ++i) {
    std::string stored = SomeStream(60000);
    stored.resize(random_() % stored.size());
    Same(stored);
    if (HasFailure()) FAIL() << i;
  }
}

TEST_F(InflateTest, RandomDamage) {
  for (int i = 0; i < 3000; ++i) {
    std::string stored = SomeStream(2000);
    for (int flips = 1 + static_cast<int>(random_() % 3); flips > 0; --flips) {
      const size_t at =
          random_() %
          std::min<size_t>(stored.size(), random_() % 2 == 0 ? 80 : 1 << 20);
      stored[at] = static_cast<char>(stored[at] ^ (1 << (random_() % 8)));
    }
    Same(stored);
    if (HasFailure()) FAIL() << i;
  }
}

TEST_F(InflateTest, RandomBytes) {
  for (int i = 0; i < 3000; ++i) {
    std::string stored;
    for (size_t size = random_() % 200; size > 0; --size) {
      stored += static_cast<char>(random_());
    }
    Same(stored);
    if (HasFailure()) FAIL() << i;
  }
}

TEST_F(InflateTest, GivesBackWhatFollows) {
  for (int i = 0; i < 300; ++i) {
    const std::string stored = SomeStream(1000);
    const std::string after(random_() % 20, 'x');
    EXPECT_EQ(Same(stored + after).used, stored.size());
    if (HasFailure()) FAIL() << i;
  }
}

// Writes deflate blocks that zlib's compressor never would: random codes of up
// to 15 bits, so that every kind of table is built.
class BitWriter {
 public:
  void Put(uint32_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) {
      if (count_ % 8 == 0) bytes_ += '\0';
      if ((value >> i & 1) != 0) {
        bytes_.back() = static_cast<char>(bytes_.back() | 1 << (count_ % 8));
      }
      ++count_;
    }
  }
  // A Huffman code, whose first bit is its highest.
  void PutCode(uint32_t code, unsigned bits) {
    for (unsigned i = bits; i-- > 0;) Put(code >> i & 1, 1);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t count_ = 0;
};

struct Huffman {
  std::vector<uint8_t> lengths;
  std::vector<uint32_t> codes;
};

// A random complete code for `count` of `symbols` symbols, `must` among them.
Huffman RandomCode(size_t symbols, size_t count, size_t must, unsigned longest,
                   std::mt19937* random) {
  std::vector<uint8_t> leaves = {0};
  while (leaves.size() < count) {
    const size_t at =
        (*random)() % 3 == 0 ? leaves.size() - 1 : (*random)() % leaves.size();
    if (leaves[at] == longest) continue;
    leaves.push_back(++leaves[at]);
  }
  Huffman code;
  code.lengths.resize(symbols);
  std::vector<size_t> order(symbols);
  for (size_t i = 0; i < symbols; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), *random);
  std::swap(*std::find(order.begin(), order.end(), must), order[0]);
  for (size_t i = 0; i < count; ++i) code.lengths[order[i]] = leaves[i];
  code.codes.resize(symbols);
  uint32_t next = 0;
  for (unsigned bits = 1; bits <= 15; ++bits) {
    next <<= 1;
    for (size_t symbol = 0; symbol < symbols; ++symbol) {
      if (code.lengths[symbol] == bits) code.codes[symbol] = next++;
    }
  }
  return code;
}

unsigned Below(unsigned end, std::mt19937* random) {
  return static_cast<unsigned>((*random)() % end);
}

std::string RandomBlock(std::mt19937* random) {
  auto& next = *random;
  const Huffman litlen =
      RandomCode(286, 2 + next() % 284, 256, 9 + Below(7, random), random);
  const Huffman distance =
      RandomCode(30, 2 + next() % 28, 0, 5 + Below(11, random), random);
  const Huffman lengths = RandomCode(19, 16 + next() % 3, 0, 7, random);
  BitWriter bits;
  bits.Put(1, 1);
  bits.Put(2, 2);
  bits.Put(286 - 257, 5);
  bits.Put(30 - 1, 5);
  bits.Put(15, 4);
  static constexpr uint8_t kOrder[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
  for (uint8_t symbol : kOrder) bits.Put(lengths.lengths[symbol], 3);
  for (const Huffman* code : {&litlen, &distance}) {
    for (uint8_t length : code->lengths) {
      bits.PutCode(lengths.codes[length], lengths.lengths[length]);
    }
  }
  for (int i = 0; i < 400; ++i) {
    const size_t symbol = i < 20 ? next() % 256 : next() % 286;
    if (litlen.lengths[symbol] == 0 || symbol == 256) continue;
    bits.PutCode(litlen.codes[symbol], litlen.lengths[symbol]);
    if (symbol < 256) continue;
    const unsigned extra = symbol < 265 || symbol == 285
                               ? 0
                               : static_cast<unsigned>((symbol - 261) / 4);
    bits.Put(Below(1u << 15, random), extra);
    const size_t far = next() % 30;
    bits.PutCode(distance.codes[far], distance.lengths[far]);
    bits.Put(Below(1u << 15, random),
             far < 4 ? 0 : static_cast<unsigned>(far / 2 - 1));
  }
  bits.PutCode(litlen.codes[256], litlen.lengths[256]);
  return bits.bytes();
}

TEST_F(InflateTest, RandomCodes) {
  int done = 0;
  for (int i = 0; i < 2000; ++i) {
    // 40 KB of history first, so that long distances are right.
    BitWriter history;
    std::string stored;
    if (i % 2 == 0) {
      const std::string plain = SomeBytes(40000, &random_);
      stored = std::string("\0", 1);
      stored += static_cast<char>(plain.size() & 0xff);
      stored += static_cast<char>(plain.size() >> 8);
      stored += static_cast<char>(~plain.size() & 0xff);
      stored += static_cast<char>(~plain.size() >> 8 & 0xff);
      stored += plain;
    }
    stored += RandomBlock(&random_);
    done += Same(stored).state == InflateState::kDone ? 1 : 0;
    if (HasFailure()) FAIL() << i;
  }
  EXPECT_GT(done, 100);
}

TEST_F(InflateTest, FarDistance) {
  // "ab", then a match of 3 bytes from 3 back: fixed codes.
  BitWriter bits;
  bits.Put(1, 1);
  bits.Put(1, 2);
  bits.PutCode(0x30 + 'a', 8);
  bits.PutCode(0x30 + 'b', 8);
  bits.PutCode(1, 7);
  bits.PutCode(2, 5);
  const Inflated got = Same(bits.bytes() + std::string(100, '\0'));
  EXPECT_EQ(got.state, InflateState::kDamaged);
  EXPECT_EQ(got.bytes, "ab");
}

TEST_F(InflateTest, MatchesOverCalls) {
  // Runs and repeats over pieces of output of every small size.
  std::string plain(300, 'x');
  for (int i = 0; i < 40; ++i) plain += plain.substr(plain.size() - 100, 97);
  const std::string stored = Deflate(plain, -15);
  for (size_t piece = 1; piece < 400; ++piece) {
    ASSERT_EQ(InflateAll(ours_.get(), stored, 1000, piece).bytes, plain)
        << piece;
  }
}

}  // namespace
}  // namespace headrace::source
