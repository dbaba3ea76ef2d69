// Which columns are asked for, and in which order, changes nothing but that.

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "src/plan/compile/key_table.h"
#include "src/plan/compile/program.h"
#include "tests/naive/batch_columns.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/support/each_target.h"
#include "tests/support/example_builder.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {
namespace {

// A batch with bad rows, kept for as long as its views.
class Rows {
 public:
  explicit Rows(uint64_t seed) {
    RandomExample records(seed, {});
    Mutator mutator(seed + 1);
    for (int i = 0; i < 60; ++i) {
      bytes_.push_back(records.Next());
      if (i % 5 == 0) bytes_.push_back(mutator.Mutate(bytes_.back()));
    }
    views_.assign(bytes_.begin(), bytes_.end());
  }
  std::span<const std::string_view> views() const { return views_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<std::string_view> views_;
};

Result<Batch> DecodeAs(std::vector<ColumnField> columns, const Rows& rows,
                       OnRowError policy) {
  const auto plan = Plan::ForColumns(std::move(columns));
  if (!plan.ok()) return plan.status();
  DecodeOptions options = {.on_row_error = policy, .verify_unselected = true};
  Decoder decoder(*plan, options);
  return decoder.Decode(rows.views());
}

// The columns of `full` that `columns` asks for, in that order.
NaiveResult Project(const NaiveResult& full,
                    const std::vector<ColumnField>& columns) {
  NaiveResult projected;
  projected.num_rows = full.num_rows;
  for (const ColumnField& field : columns) {
    for (const NaiveColumn& column : full.columns) {
      if (column.name == field.name) projected.columns.push_back(column);
    }
  }
  return projected;
}

TEST(Projection, OrderOfThePlanIsTheOrderOfColumns) {
  const Rows rows(/*seed=*/31);
  ForEachTarget([&] {
    std::vector<ColumnField> columns = RandomExample::Columns();
    const auto full = OrThrow(DecodeAs(columns, rows, OnRowError::kSkip));
    Random random(/*seed=*/32);
    for (int i = 0; i < 20; ++i) {
      for (size_t k = columns.size(); k > 1; --k) {
        std::swap(columns[k - 1], columns[random.Below(k)]);
      }
      EXPECT_EQ(Difference(Project(ToNaive(full), columns),
                           DecodeAs(columns, rows, OnRowError::kSkip)),
                "");
    }
  });
}

// With wrong kinds nowhere, the rows that are bad are bad for every plan.
TEST(Projection, SubsetsEqualTheFullPlan) {
  RandomExample records(/*seed=*/33, {});
  std::vector<std::string> bytes;
  for (int i = 0; i < 100; ++i) bytes.push_back(records.Next());
  const std::vector<std::string_view> views(bytes.begin(), bytes.end());
  const std::vector<ColumnField> all = RandomExample::Columns();
  ForEachTarget([&] {
    Decoder full(*Plan::ForColumns(all));
    const auto expected = OrThrow(full.Decode(views));
    for (size_t mask = 0; mask < size_t{1} << all.size(); mask += 3) {
      std::vector<ColumnField> some;
      for (size_t i = 0; i < all.size(); ++i) {
        if ((mask >> i & 1) != 0) some.push_back(all[i]);
      }
      Decoder decoder(*Plan::ForColumns(some));
      EXPECT_EQ(
          Difference(Project(ToNaive(expected), some), decoder.Decode(views)),
          "");
    }
  });
}

// More columns than any table starts with; keys that share all but one byte.
TEST(Projection, ThousandsOfColumns) {
  constexpr int kColumns = 3000;
  std::vector<ColumnField> columns;
  std::string entries;
  for (int i = 0; i < kColumns; ++i) {
    const std::string key =
        "a_rather_long_feature_name_" + std::to_string(i * 7919);
    columns.push_back({key, Kind::kInt64});
    if (i % 3 != 0) entries += EntryField(key, Int64Feature({i}));
  }
  const std::string record = ExampleOf(entries);
  const std::vector<std::string_view> records = {record, "", record};
  const NaiveResult expected = NaiveDecode(records, columns);
  ForEachTarget([&] {
    Decoder decoder(*Plan::ForColumns(columns));
    EXPECT_EQ(Difference(expected, decoder.Decode(records)), "");
  });
}

// Two keys of one length whose hashes agree wherever a table of one column
// looks: the upper half, and the bits of its mask. Three million keys have
// some.
std::pair<std::string, std::string> CollidingKeys() {
  plan::KeyTable table;
  const plan::KeyTable::Key one[] = {{"key", 0}};
  table.Build(one);
  const plan::KeyProbe& probe = table.probe();
  const int mask_bits = std::popcount(probe.mask());
  constexpr int kIndexBits = 23;
  if (32 + mask_bits + kIndexBits > 64) return {};
  const auto key_of = [](uint64_t i) { return std::to_string(10000000 + i); };
  std::vector<uint64_t> hashes;  // what must agree, then the index
  char key[8 + plan::kKeySlack] = {};
  for (uint64_t i = 0; i < 3000000; ++i) {
    std::to_chars(key, key + 8, 10000000 + i);
    const uint64_t hash =
        plan::HashKey(reinterpret_cast<const uint8_t*>(key), 8, probe.seed());
    hashes.push_back(
        ((hash >> 32) << mask_bits | (hash & probe.mask())) << kIndexBits | i);
  }
  std::sort(hashes.begin(), hashes.end());
  const auto pair = std::adjacent_find(
      hashes.begin(), hashes.end(), [](uint64_t a, uint64_t b) {
        return a >> kIndexBits == b >> kIndexBits;
      });
  if (pair == hashes.end()) return {};
  constexpr uint64_t kIndex = (uint64_t{1} << kIndexBits) - 1;
  return {key_of(pair[0] & kIndex), key_of(pair[1] & kIndex)};
}

TEST(Projection, KeysWithEqualHashesAreToldApart) {
  const auto [wanted, other] = CollidingKeys();
  ASSERT_NE(wanted, other) << "no collision found";
  const std::string record =
      ExampleBuilder().Int64s(other, {1}).Int64s(wanted, {2}).Build();
  const std::string without = ExampleBuilder().Int64s(other, {1}).Build();
  const std::vector<std::string_view> records = {record, without, record};
  const std::vector<ColumnField> columns = {{wanted, Kind::kInt64}};
  Decoder decoder(*Plan::ForColumns(columns));
  EXPECT_EQ(Difference(NaiveDecode(records, columns), decoder.Decode(records)),
            "");
}

TEST(Projection, NamesMustBeOnceAndUtf8) {
  const auto twice =
      Plan::ForColumns({{"a", Kind::kInt64}, {"a", Kind::kInt64}});
  EXPECT_EQ(twice.status().code(), ErrorCode::kBadSpec);
  const auto bytes = Plan::ForColumns({{"\xff", Kind::kInt64}});
  EXPECT_EQ(bytes.status().code(), ErrorCode::kBadSpec);
}

}  // namespace
}  // namespace headrace::testing
