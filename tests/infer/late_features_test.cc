// What the sample did not show is counted exactly, in bounded memory, however
// the rows were shared out before.

#include "src/plan/infer/late_features.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/random/random_example.h"

namespace headrace::testing {
namespace {

using infer::LateFeatures;

struct LateKey {
  std::string name;
  Kind kind = Kind::kInt64;
  bool in_sequence = false;
};
using LateRows = std::vector<std::vector<LateKey>>;

void AddRows(const LateRows& rows, size_t begin, size_t end,
             LateFeatures* late) {
  for (size_t i = begin; i < end; ++i) {
    for (const LateKey& key : rows[i]) {
      late->Note(key.name, key.kind, /*in_columns=*/false, key.in_sequence,
                 /*is_wrong=*/false);
    }
    late->CommitRow();
  }
}

LateFeatures CountedTogether(const LateRows& rows) {
  LateFeatures late;
  AddRows(rows, 0, rows.size(), &late);
  return late;
}

LateFeatures CountedApart(const LateRows& rows, size_t rows_a_part) {
  LateFeatures late;
  for (size_t i = 0; i < rows.size(); i += rows_a_part) {
    LateFeatures part;
    AddRows(rows, i, std::min(rows.size(), i + rows_a_part), &part);
    late.Add(part);
  }
  return late;
}

std::string ToText(const LateFeatures& late) {
  std::string text = std::to_string(late.total());
  for (const bool in_sequence : {false, true}) {
    text += in_sequence ? " lists:" : " features:";
    for (const auto& [key, count] : late.counts(in_sequence)) {
      text += " " + key + " " + std::to_string(static_cast<int>(count.kind)) +
              " " + std::to_string(count.rows);
    }
  }
  return text;
}

size_t KeptBytes(const LateFeatures& late, bool in_sequence) {
  size_t bytes = 0;
  for (const auto& [key, count] : late.counts(in_sequence)) {
    bytes += key.size() + LateFeatures::kKeyOverhead;
  }
  return bytes;
}

// Of keys whose costs fit, all that sort before the first that does not.
std::map<std::string, uint64_t> Expected(const LateRows& rows,
                                         bool in_sequence) {
  std::map<std::string, uint64_t> counts;
  for (const auto& row : rows) {
    std::map<std::string, bool> met;
    for (const LateKey& key : row) {
      if (key.in_sequence == in_sequence && !met[key.name]) {
        met[key.name] = true;
        ++counts[key.name];
      }
    }
  }
  size_t bytes = 0;
  for (auto it = counts.begin(); it != counts.end(); ++it) {
    bytes += it->first.size() + LateFeatures::kKeyOverhead;
    if (bytes > LateFeatures::kMaxBytes) {
      counts.erase(it, counts.end());
      break;
    }
  }
  return counts;
}

void ExpectCounts(const LateRows& rows) {
  const LateFeatures together = CountedTogether(rows);
  for (const bool in_sequence : {false, true}) {
    std::map<std::string, uint64_t> counts;
    for (const auto& [key, count] : together.counts(in_sequence)) {
      counts[key] = count.rows;
    }
    EXPECT_EQ(counts, Expected(rows, in_sequence));
    EXPECT_LE(KeptBytes(together, in_sequence), LateFeatures::kMaxBytes);
  }
  for (const size_t rows_a_part : {1u, 7u, 256u, 5000u}) {
    EXPECT_EQ(ToText(CountedApart(rows, rows_a_part)), ToText(together))
        << rows_a_part;
  }
}

// Which keys are kept once hung on their order, and so on how many threads
// there were.
TEST(LateFeaturesTest, MoreKeysThanAreKept) {
  LateRows descending;
  LateRows shuffled;
  Random random(/*seed=*/81);
  for (int i = 0; i < 12000; ++i) {
    const std::string name = std::to_string(900000 - i);
    descending.push_back({{name}, {.name = name, .in_sequence = true}});
    shuffled.push_back({{std::to_string(random.Below(15000))},
                        {std::to_string(random.Below(15000))}});
  }
  ExpectCounts(descending);
  ExpectCounts(shuffled);
}

TEST(LateFeaturesTest, LongKeys) {
  constexpr size_t kMax = LateFeatures::kMaxBytes;
  const auto key = [](char first, size_t size) {
    return LateKey{.name = std::string(size, first)};
  };
  // One that fits alone, to the byte; one that does not.
  for (const size_t size : {kMax - LateFeatures::kKeyOverhead - 1,
                            kMax - LateFeatures::kKeyOverhead,
                            kMax - LateFeatures::kKeyOverhead + 1, 2 * kMax}) {
    ExpectCounts({{key('b', size)}});
    ExpectCounts({{key('b', size)}, {key('a', 3)}, {key('c', 3)}});
    ExpectCounts(
        {{key('a', 3)}, {key('c', 3)}, {key('b', size)}, {key('c', 3)}});
  }
  LateRows rows;
  Random random(/*seed=*/82);
  for (int i = 0; i < 300; ++i) {
    const auto first = static_cast<char>('a' + random.Below(26));
    rows.push_back({key(first, 1 + random.Below(60000)), key(first, 4)});
  }
  ExpectCounts(rows);
}

// Bytes of a mapped file may change between the walk of a row and its end.
TEST(LateFeaturesTest, KeysAreText) {
  LateFeatures late;
  for (const char* const key : {"a", "\xFF", "b"}) {
    late.Note(key, Kind::kInt64, /*in_columns=*/false, /*in_sequence=*/false,
              /*is_wrong=*/false);
  }
  late.CommitRow();
  std::vector<std::string> keys;
  for (const auto& [key, count] : late.counts(/*in_sequence=*/false)) {
    keys.push_back(key);
  }
  EXPECT_THAT(keys, ::testing::ElementsAre("a", "b"));
}

TEST(LateFeaturesTest, TheLastEntryOfARowCounts) {
  // More entries than are kept before they are put together.
  std::vector<LateKey> row;
  for (int i = 0; i < 5000; ++i) {
    row.push_back({"a", i % 2 == 0 ? Kind::kFloat : Kind::kBytes});
    row.push_back({"b" + std::to_string(i % 3000)});
  }
  row.push_back({"a", Kind::kInt64});
  const LateFeatures late = CountedTogether({row, {{"a", Kind::kBytes}}});
  EXPECT_EQ(late.total(), 3002u);
  EXPECT_EQ(late.counts(false).at("a").kind, Kind::kInt64);
  EXPECT_EQ(late.counts(false).at("a").rows, 2u);
}

TEST(LateFeaturesTest, RowsRolledBackLeaveNothing) {
  LateFeatures late;
  late.Note("a", Kind::kInt64, false, false, false);
  late.RollBackRow();
  late.CommitRow();
  EXPECT_EQ(ToText(late), ToText(LateFeatures()));
}

}  // namespace
}  // namespace headrace::testing
