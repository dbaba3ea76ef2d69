// Varints, tags and lengths of every form, read by the cursor and by a loop
// that knows nothing but the definition.

#include "wire/cursor.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/random/sequences.h"
#include "tests/support/effort.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/hex.h"

namespace headrace::wire {
namespace {

using testing::ForEachSequence;
using testing::ForEachString;
using testing::GuardedBytes;
using testing::kInstrumented;
using testing::SlowTestsWanted;
using testing::ToHex;

struct NaiveRead {
  Fault fault = Fault::kNone;
  uint64_t value = 0;
  size_t size = 0;  // bytes read
};

NaiveRead NaiveVarint(std::string_view bytes, size_t longest, Fault too_long) {
  NaiveRead read;
  for (const char c : bytes) {
    if (read.size == longest) return {too_long};
    const auto byte = static_cast<uint8_t>(c);
    // Multiplied, not shifted: what does not fit is lost, bit by bit.
    uint64_t group = byte & 0x7F;
    for (size_t i = 0; i < 7 * read.size; ++i) group *= 2;
    read.value |= group;
    ++read.size;
    if (byte < 0x80) return read;
  }
  return {read.size == longest ? too_long : Fault::kTruncated};
}

NaiveRead NaiveTag(std::string_view bytes) {
  NaiveRead read = NaiveVarint(bytes, 5, Fault::kLongTag);
  read.value %= uint64_t{1} << 32;
  const bool is_zero = read.fault == Fault::kNone && read.value / 8 == 0;
  return is_zero ? NaiveRead{Fault::kFieldZero} : read;
}

NaiveRead NaiveLen(std::string_view bytes) {
  NaiveRead read = NaiveVarint(bytes, 5, Fault::kLongLength);
  if (read.value >= uint64_t{1} << 31) return {Fault::kLongLength};
  if (read.fault != Fault::kNone) return read;
  if (read.value > bytes.size() - read.size) return {Fault::kTruncated};
  return read;
}

// All bytes lie at the end of memory, so that reading too far is seen.
class CursorCheck {
 public:
  // Once something is wrong, the rest is not worth a look.
  bool Check(const std::string& bytes) {
    const std::string_view placed = guarded_.PlaceAtEnd(bytes);
    const auto* const data = reinterpret_cast<const uint8_t*>(placed.data());
    const Span span{data, placed.size()};
    uint64_t value = 0;
    uint32_t tag = 0;
    Span part;
    Cursor varint(span), tags(span), lengths(span);
    const bool has_varint = varint.ReadVarint(&value);
    const bool has_tag = tags.ReadTag(&tag);
    const bool has_len = lengths.ReadLen(&part);
    const NaiveRead len = NaiveLen(bytes);
    const bool right =
        Same(NaiveVarint(bytes, 10, Fault::kLongVarint), has_varint, varint,
             value, span, 0) &&
        Same(NaiveTag(bytes), has_tag, tags, tag, span, 0) &&
        Same(len, has_len, lengths, part.size, span, part.size) &&
        (!has_len || part.data == data + len.size);
    EXPECT_TRUE(right) << ToHex(bytes);
    return right;
  }

 private:
  static bool Same(const NaiveRead& expected, bool ok, const Cursor& cursor,
                   uint64_t value, Span span, size_t behind) {
    if (ok != (expected.fault == Fault::kNone)) return false;
    if (!ok) return cursor.fault() == expected.fault;
    return value == expected.value &&
           cursor.position() == span.data + expected.size + behind;
  }

  GuardedBytes guarded_{64};
};

const std::vector<std::string>& Alphabet() {
  static const auto& alphabet = *new std::vector<std::string>{
      std::string(1, '\0'), "\x01", "\x7F", "\x80", "\x81", "\xFF"};
  return alphabet;
}

// With a sanitizer every 61st of three bytes.
TEST(Cursor, EveryStringOfUpToThreeBytes) {
  CursorCheck check;
  for (size_t size = 0; size <= 3; ++size) {
    size_t i = 0;
    ForEachString(size, [&](const std::string& bytes) {
      if (kInstrumented && size == 3 && i++ % 61 != 0) return true;
      return check.Check(bytes);
    });
  }
}

TEST(Cursor, EveryStringOfAFewBytes) {
  CursorCheck check;
  const size_t longest = SlowTestsWanted() ? 10 : kInstrumented ? 6 : 8;
  ForEachSequence(Alphabet(), longest,
                  [&](const std::string& bytes) { return check.Check(bytes); });
}

// What goes on for up to eleven bytes, and a byte behind it: all that strings
// of ten bytes can be to a reader that stops where a varint ends.
TEST(Cursor, EveryLongVarint) {
  CursorCheck check;
  const std::vector<std::string> going_on(Alphabet().begin() + 3,
                                          Alphabet().end());
  ForEachSequence(going_on, 10, [&](const std::string& bytes) {
    for (const std::string& last : Alphabet()) {
      if (!check.Check(bytes + last) || !check.Check(bytes + last + "\x01")) {
        return false;
      }
    }
    return true;
  });
}

// Some last bytes have bits that do not fit, in a tag, a length or a value.
TEST(Cursor, EveryLastByte) {
  CursorCheck check;
  for (const char going_on : {'\x80', '\xFF'}) {
    for (size_t size = 0; size <= 10; ++size) {
      ForEachString(1, [&](const std::string& last) {
        return check.Check(std::string(size, going_on) + last);
      });
    }
  }
}

TEST(FaultText, DiffersForEachAndIsThereForNone) {
  std::set<std::string> texts;
  constexpr int kLast = static_cast<int>(Fault::kChanged);
  for (int i = 0; i <= kLast; ++i) {
    texts.insert(FaultText(static_cast<Fault>(i)));
  }
  EXPECT_EQ(texts.size(), static_cast<size_t>(kLast) + 1);
  EXPECT_EQ(texts.count("unknown fault"), 0u);
  EXPECT_STREQ(FaultText(Fault::kNone), "no fault");
  EXPECT_STREQ(FaultText(static_cast<Fault>(99)), "unknown fault");
}

}  // namespace
}  // namespace headrace::wire
