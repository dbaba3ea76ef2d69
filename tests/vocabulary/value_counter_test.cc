// What ValueCounter makes is a file that function::Vocabulary reads, in the
// order of the counts.

#include "src/exchange/vocabulary/value_counter.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/plan/function/vocabulary.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kAll = ~uint64_t{0};
constexpr uint64_t kMebi = uint64_t{1} << 20;

// A column of one row. The values must outlive it.
template <class Value>
class RowOf {
 public:
  RowOf(Kind kind, std::vector<Value> values)
      : values_(std::move(values)),
        offsets_{0, static_cast<int32_t>(values_.size())} {
    column_.name = "x";
    column_.kind = kind;
    column_.num_rows = 1;
    column_.offsets = offsets_;
    column_.values = values_.data();
  }
  const Column& column() const { return column_; }

 private:
  std::vector<Value> values_;
  int32_t offsets_[2];
  Column column_;
};

ValueCounter CountWords(const std::vector<std::string_view>& words) {
  ValueCounter counter(Kind::kBytes, kMebi);
  const RowOf<std::string_view> row(Kind::kBytes, words);
  EXPECT_TRUE(counter.Add(row.column()).ok());
  return counter;
}

std::string FileOf(const VocabularyKeys& keys) {
  std::string text;
  for (const VocabularyKey& key : keys.keys) {
    text += VocabularyLine(keys.kind, key) + "\n";
  }
  return text;
}

std::string FileOf(const std::vector<std::string_view>& words,
                   uint64_t min_count = 1, uint64_t size = kAll) {
  const ValueCounter counter = CountWords(words);
  return FileOf(*counter.Keys(min_count, size));
}

std::vector<std::string> ReasonsOf(const VocabularyKeys& keys) {
  std::vector<std::string> reasons;
  for (const LeftOutKeys& of : keys.left_out) {
    reasons.push_back(std::string(of.reason) + " " + std::to_string(of.keys) +
                      " " + std::to_string(of.values));
  }
  return reasons;
}

TEST(ValueCounter, OrdersByCountThenByBytes) {
  EXPECT_EQ(FileOf({"b", "a", "\xff", "b", "Z", "a", "aa", "b"}),
            "b\na\nZ\naa\n\xff\n");
}

TEST(ValueCounter, TakesTheMostFrequent) {
  const std::vector<std::string_view> words = {"c", "b", "a", "c", "b", "c"};
  EXPECT_EQ(FileOf(words, 2), "c\nb\n");
  EXPECT_EQ(FileOf(words, 1, 2), "c\nb\n");
  EXPECT_EQ(FileOf(words, 3, 2), "c\n");
  EXPECT_EQ(FileOf(words, 1, 3), FileOf(words));
}

TEST(ValueCounter, OrdersEqualCountsOfIntegersByNumber) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  ValueCounter counter(Kind::kInt64, kMebi);
  const RowOf<int64_t> row(Kind::kInt64, {10, 9, kMost, -1, kLeast, 9, 0});
  ASSERT_TRUE(counter.Add(row.column()).ok());
  const auto keys = counter.Keys(1, kAll);
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(FileOf(*keys),
            "9\n-9223372036854775808\n-1\n0\n10\n9223372036854775807\n");
  EXPECT_EQ(keys->num_values(), 7);
  EXPECT_EQ(counter.num_values(), 7);
  EXPECT_EQ(counter.num_distinct(), 6);
}

TEST(ValueCounter, LeavesOutWhatCannotBeALine) {
  const ValueCounter counter = CountWords(
      {"", "", "a\nb", "\n", "c\r", "c", "\r", "x\ry", " ", "\r", "\r"});
  const auto keys = counter.Keys(1, kAll);
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(FileOf(*keys), " \nc\nx\ry\n");
  EXPECT_THAT(ReasonsOf(*keys),
              ElementsAre("empty 1 2", "line_feed 2 2", "carriage_return 2 4"));
  EXPECT_EQ(LeftOutText(*keys),
            "left out distinct values that cannot be lines: 1 empty (2 times), "
            "2 with a line feed (2 times), 2 ending with a carriage return (4 "
            "times)");
  // Rare ones are not missed, and they take no place.
  EXPECT_THAT(ReasonsOf(*counter.Keys(1, 1)), ReasonsOf(*keys));
  const auto frequent = counter.Keys(3, kAll);
  ASSERT_FALSE(frequent.ok());
  EXPECT_EQ(frequent.status(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(frequent.status().message(),
              HasSubstr("would be empty: left out distinct values that cannot "
                        "be lines: 1 ending with a carriage return (3 times)"));
}

TEST(ValueCounter, LeavesOutWhatMakesTheFileLookCompressed) {
  const std::string_view gzip("\x1f\x8b\x08z", 4);
  const std::string_view zstd("\x28\xb5\x2f\xfd", 4);
  const std::string_view skippable("\x50\x2a\x4d\x18", 4);
  const ValueCounter counter =
      CountWords({gzip, gzip, gzip, gzip, skippable, skippable, zstd, zstd,
                  zstd, "word", "z"});
  const auto keys = counter.Keys(1, kAll);
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(FileOf(*keys), "word\nz\n");
  EXPECT_THAT(ReasonsOf(*keys), ElementsAre("compressed 3 9"));
  // Other lines may have these bytes.
  const ValueCounter other = CountWords({"word", "word", gzip});
  const auto second = other.Keys(1, kAll);
  EXPECT_EQ(FileOf(*second), "word\n" + std::string(gzip) + "\n");
  EXPECT_THAT(second->left_out, IsEmpty());
}

TEST(ValueCounter, ExplainsAnEmptyVocabulary) {
  const ValueCounter empty = CountWords({});
  const auto none = empty.Keys(1, kAll);
  EXPECT_THAT(none.status().message(),
              HasSubstr("no record has a value of the feature"));
  const ValueCounter counter = CountWords({"a", "b", "b"});
  const auto rare = counter.Keys(3, kAll);
  EXPECT_THAT(rare.status().message(),
              HasSubstr("of 2 distinct values, none occurs 3 times or more"));
}

TEST(ValueCounter, KeepsToItsMemory) {
  const std::string_view large = "a value that is too long to be stored inline";
  for (const bool is_long : {false, true}) {
    ValueCounter counter(Kind::kBytes, 100000);
    std::vector<std::string> words;
    for (int i = 0; i < 2000; ++i) {
      words.push_back(std::to_string(i) + std::string(is_long ? large : ""));
    }
    const RowOf<std::string_view> row(
        Kind::kBytes,
        std::vector<std::string_view>(words.begin(), words.end()));
    const Status full = counter.Add(row.column());
    EXPECT_EQ(full, ErrorCode::kLimit);
    EXPECT_THAT(full.message(), HasSubstr("need more memory than 97.7 KiB"));
    EXPECT_GT(counter.num_distinct(), is_long ? 400 : 600);
    EXPECT_LT(counter.num_distinct(), is_long ? 600 : 900);
    // The error is final: counts would lack values.
    EXPECT_EQ(counter.Add(row.column()), ErrorCode::kLimit);
    EXPECT_EQ(counter.Keys(1, kAll).status(), ErrorCode::kLimit);
  }
}

// Bytes that are dangerous to lines and to the beginning of a file.
std::string RandomWord(std::mt19937* random) {
  constexpr char kBytes[] =
      "\n\r\x1f\x8b\x08\x28\xb5\x2f\xfd\x50\x2a\x4d\x18 a";
  std::string word;
  for (size_t length = (*random)() % 5; length > 0; --length) {
    word += kBytes[(*random)() % (sizeof(kBytes) - 1)];
  }
  return word;
}

TEST(ValueCounter, MakesFilesThatVocabulariesRead) {
  std::mt19937 random(7);
  int num_read = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words(random() % 40);
    for (std::string& word : words) word = RandomWord(&random);
    const ValueCounter counter = CountWords({words.begin(), words.end()});
    const auto keys = counter.Keys(1, kAll);
    if (!keys.ok()) continue;
    ++num_read;
    uint64_t left_out = 0;
    for (const LeftOutKeys& of : keys->left_out) left_out += of.keys;
    EXPECT_EQ(keys->keys.size() + left_out, counter.num_distinct());
    const TemporaryFile file(FileOf(*keys));
    const auto read =
        function::Vocabulary::FromFile(file.path(), DType::kBytes);
    ASSERT_TRUE(read.ok()) << read.status().message();
    std::vector<std::string_view> lines;
    std::vector<int64_t> expected;
    for (const VocabularyKey& key : keys->keys) {
      expected.push_back(static_cast<int64_t>(lines.size()));
      lines.push_back(key.bytes);
      EXPECT_EQ(std::ranges::count(words, key.bytes), key.count);
    }
    std::vector<int64_t> found(lines.size());
    (*read)->Find(lines, found.data());
    EXPECT_EQ(found, expected);
  }
  EXPECT_GT(num_read, 250);
}

TEST(VocabularyColumn, PrefersFeaturesToFeatureLists) {
  const Plan plan = *Plan::ForColumns({
      {.name = "x", .kind = Kind::kBytes},
      {.name = "f", .kind = Kind::kFloat},
      {.name = "n", .kind = Kind::kNull},
      {.name = "x", .kind = Kind::kInt64, .in_sequence = true},
      {.name = "words", .kind = Kind::kBytes, .in_sequence = true},
  });
  EXPECT_EQ(*VocabularyColumn(plan, "x"), 0);
  EXPECT_EQ(*VocabularyColumn(plan, "##SEQUENCE##.x"), 3);
  EXPECT_EQ(*VocabularyColumn(plan, "words"), 4);
  EXPECT_EQ(*VocabularyColumn(plan, "##SEQUENCE##.words"), 4);

  const Status misspelt = VocabularyColumn(plan, "word").status();
  EXPECT_EQ(misspelt, ErrorCode::kInvalidArgument);
  EXPECT_THAT(misspelt.message(),
              HasSubstr("no feature \"word\"; did you mean \"words\"?"));
  const Status no_list = VocabularyColumn(plan, "##SEQUENCE##.f").status();
  EXPECT_THAT(no_list.message(), HasSubstr("no feature list \"f\""));
  const Status floats = VocabularyColumn(plan, "f").status();
  EXPECT_EQ(floats, ErrorCode::kWrongKind);
  EXPECT_THAT(floats.message(),
              HasSubstr("a vocabulary is of bytes or int64, and feature \"f\" "
                        "is float"));
  EXPECT_EQ(VocabularyColumn(plan, "n").status(), ErrorCode::kWrongKind);
}

}  // namespace
}  // namespace headrace::testing
