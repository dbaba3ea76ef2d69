// The kernels of packed varints against a loop over bytes, on every target,
// with the slack they may read flush against a guard page.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/random/sequences.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/hex.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/wire/varint_kernel_test.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Otherwise sorted before foreach_target.h.
#include "hwy/highway.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::testing {
namespace HWY_NAMESPACE {

wire::Fault CountRun(wire::Span run, size_t* count) {
  return wire::HWY_NAMESPACE::CountVarints(run, count);
}

wire::Fault DecodeRun(wire::Span run, int64_t* out, size_t* count) {
  return wire::HWY_NAMESPACE::DecodeVarints(run, out, count);
}

wire::Fault DecodeInto(wire::Span run, size_t room, int64_t* out,
                       size_t* count) {
  return wire::HWY_NAMESPACE::DecodeCounted(run, room, out, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::testing
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::testing {
namespace {

HWY_EXPORT(CountRun);
HWY_EXPORT(DecodeRun);
HWY_EXPORT(DecodeInto);

constexpr size_t kSlack = 64;
constexpr size_t kLongest = 4096;
constexpr int64_t kUntouched = 0x0123456789ABCDEF;

using Values = std::vector<int64_t>;

// Nothing where a value has more than ten bytes, or the end cuts one.
std::optional<Values> NaiveValues(const std::string& run) {
  Values values;
  uint64_t value = 0;
  int length = 0;
  for (const char c : run) {
    const auto byte = static_cast<uint8_t>(c);
    if (length == 10) return std::nullopt;
    if (length < 10) value |= uint64_t{byte & 0x7Fu} << (7 * length);
    ++length;
    if (byte >= 0x80) continue;
    values.push_back(static_cast<int64_t>(value));
    value = 0;
    length = 0;
  }
  if (length > 0) return std::nullopt;
  return values;
}

class Kernel {
 public:
  Kernel() : guarded_(kLongest + kSlack), out_(kLongest + 64 + 1) {}

  void Check(const std::string& run) {
    const auto expected = NaiveValues(run);
    // What stands in the slack must not matter.
    for (const char slack : {'\xA5', '\x01'}) {
      const std::string padded = run + std::string(kSlack, slack);
      Check(run, expected, guarded_.PlaceAtEnd(padded));
      Check(run, expected, guarded_.PlaceAtStart(padded));
    }
  }

 private:
  void Check(const std::string& run, const std::optional<Values>& expected,
             std::string_view placed) {
    const wire::Span span{reinterpret_cast<const uint8_t*>(placed.data()),
                          run.size()};
    // No run has more values than bytes.
    const auto out_end = out_.begin() + static_cast<ptrdiff_t>(run.size() + 65);
    size_t counted = 0, decoded = 0;
    const wire::Fault fault = HWY_DYNAMIC_DISPATCH(CountRun)(span, &counted);
    std::fill(out_.begin(), out_end, kUntouched);
    const wire::Fault other =
        HWY_DYNAMIC_DISPATCH(DecodeRun)(span, out_.data(), &decoded);
    ASSERT_EQ(fault, other) << ToHex(run);
    ASSERT_EQ(fault == wire::Fault::kNone, expected.has_value()) << ToHex(run);
    if (!expected) return;
    ASSERT_EQ(counted, expected->size()) << ToHex(run);
    ASSERT_EQ(
        Values(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(decoded)),
        *expected)
        << ToHex(run);
    CheckUntouched(run, decoded, out_end);
    CheckRoom(run, span, *expected);
  }

  // Slack values behind the last one may be written, and no more.
  void CheckUntouched(const std::string& run, size_t decoded,
                      Values::iterator out_end) {
    for (auto it = out_.begin() + static_cast<ptrdiff_t>(decoded + 64);
         it != out_end; ++it) {
      ASSERT_EQ(*it, kUntouched) << ToHex(run);
    }
  }

  // With as much room as there are values, and with less than was counted: also
  // with so much less that what is written into slack does not hide it.
  void CheckRoom(const std::string& run, wire::Span span,
                 const Values& expected) {
    const auto out_end = out_.begin() + static_cast<ptrdiff_t>(run.size() + 65);
    const size_t size = expected.size();
    for (const size_t less : {size_t{0}, size_t{1}, size / 2}) {
      if (size < less || (less > 1 && size < 2 * 64)) continue;
      const size_t room = size - less;
      std::fill(out_.begin(), out_end, kUntouched);
      size_t decoded = 0;
      const wire::Fault fault =
          HWY_DYNAMIC_DISPATCH(DecodeInto)(span, room, out_.data(), &decoded);
      ASSERT_EQ(fault, less == 0 ? wire::Fault::kNone : wire::Fault::kChanged)
          << ToHex(run);
      CheckUntouched(run, room, out_end);
      if (less > 0) continue;
      ASSERT_EQ(
          Values(out_.begin(), out_.begin() + static_cast<ptrdiff_t>(decoded)),
          expected)
          << ToHex(run);
    }
  }

  GuardedBytes guarded_;
  Values out_;
};

// A varint of that many bytes, of random bits.
void AppendVarint(size_t bytes, std::mt19937_64* random, std::string* run) {
  for (size_t i = 0; i < bytes; ++i) {
    const uint64_t bits = (*random)() & 0x7F;
    run->push_back(static_cast<char>(i + 1 < bytes ? bits | 0x80 : bits));
  }
}

TEST(VarintKernel, EveryWidthAndMixOfWidths) {
  static constexpr size_t kCounts[] = {0,  1,  2,  3,  4,  7,  8,
                                       15, 16, 17, 63, 64, 65, 200};
  ForEachTarget([] {
    std::mt19937_64 random(71);
    Kernel kernel;
    for (size_t least = 1; least <= 10; ++least) {
      for (size_t most = least; most <= 11; ++most) {
        for (const size_t count : kCounts) {
          std::string run;
          for (size_t i = 0; i < count; ++i) {
            AppendVarint(least + random() % (most - least + 1), &random, &run);
          }
          kernel.Check(run);
        }
      }
    }
  });
}

// Which bytes have their continuation bit is all that the masks see.
TEST(VarintKernel, EveryMaskOfSixteenBytes) {
  ForEachTarget([] {
    std::mt19937_64 random(72);
    Kernel kernel;
    for (uint32_t mask = 0; mask < 1 << 16; mask += kCaseStride) {
      std::string run(random() % 60, '\x01');
      for (int i = 0; i < 16; ++i) {
        const uint64_t bits = random() & 0x7F;
        run.push_back(static_cast<char>(bits | (mask >> i & 1) << 7));
      }
      kernel.Check(run);
    }
  });
}

// Bytes that begin and end varints in every way. Nine bytes take
// minutes.
TEST(VarintKernel, EveryRunOfAFewBytes) {
  const size_t longest = SlowTestsWanted() ? 9 : kInstrumented ? 5 : 7;
  const std::vector<std::string> alphabet = {
      std::string(1, '\0'), "\x01", "\x7F", "\x80", "\x81", "\xFF"};
  ForEachTarget([&] {
    Kernel kernel;
    ForEachSequence(alphabet, longest, [&](const std::string& run) {
      kernel.Check(run);
      return !::testing::Test::HasFatalFailure();
    });
  });
}

// Of every width, at every place about the edges of the windows that kernels
// look at, with few and many bytes behind it. The runs have all sizes and so,
// lying flush against the pages, all alignments.
TEST(VarintKernel, EverySplitOverAnEdge) {
  ForEachTarget([] {
    std::mt19937_64 random(74);
    Kernel kernel;
    for (size_t before = 0; before <= 3 * 64; before += kCaseStride) {
      for (size_t width = 1; width <= 11; ++width) {
        for (const size_t after : {0u, 1u, 70u}) {
          std::string run;
          for (size_t i = 0; i < before; ++i) AppendVarint(1, &random, &run);
          AppendVarint(width, &random, &run);
          for (size_t i = 0; i < after; ++i) AppendVarint(1, &random, &run);
          kernel.Check(run);
          // And without its end.
          if (after == 0) kernel.Check(run.substr(0, run.size() - 1));
        }
      }
    }
  });
}

TEST(VarintKernel, RandomBytes) {
  ForEachTarget([] {
    std::mt19937_64 random(73);
    Kernel kernel;
    for (int i = 0; i < (kInstrumented ? 2'500 : 50'000); ++i) {
      // From bytes that hardly ever go on to such that nearly always do.
      const uint64_t density = random() % 16;
      std::string run(random() % 300, '\0');
      for (char& c : run) {
        const uint64_t bits = random();
        c = static_cast<char>((bits & 0x7F) |
                              ((bits >> 16 & 15) < density ? 0x80 : 0));
      }
      kernel.Check(run);
      if (!run.empty()) run.back() = static_cast<char>(run.back() & 0x7F);
      kernel.Check(run);
    }
  });
}

}  // namespace
}  // namespace headrace::testing
#endif  // HWY_ONCE
