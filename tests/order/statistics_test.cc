// Orders look like random ones. Seeds are fixed, so a test that passes once
// always does.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "headrace/order.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

constexpr double kSigmas = 5;

std::vector<uint64_t> RowsFrom(const OrderOptions& options, uint64_t position,
                               uint64_t count) {
  std::vector<uint64_t> rows(count);
  EXPECT_THAT(OrThrow(Order::Make(options)).Rows(position, rows), IsOk());
  return rows;
}

// Values below `range` are counted in cells of nearly one size.
class Cells {
 public:
  Cells(uint64_t range, uint64_t most_cells)
      : range_(range), counts_(std::min(range, most_cells)) {}

  void Add(uint64_t value) {
    ++counts_[value * counts_.size() / range_];
    ++total_;
  }

  // By how many sigmas chi-square is above what even values give.
  double Sigmas() const {
    double chi_square = 0;
    for (uint64_t i = 0; i < counts_.size(); ++i) {
      const uint64_t values = Begin(i + 1) - Begin(i);
      const double expected = static_cast<double>(total_) *
                              static_cast<double>(values) /
                              static_cast<double>(range_);
      const double off = static_cast<double>(counts_[i]) - expected;
      chi_square += off * off / expected;
    }
    const double freedom = static_cast<double>(counts_.size() - 1);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
  }

 private:
  // The first value of a cell.
  uint64_t Begin(uint64_t cell) const {
    return (cell * range_ + counts_.size() - 1) / counts_.size();
  }

  uint64_t range_;
  uint64_t total_ = 0;
  std::vector<uint64_t> counts_;
};

uint64_t NumSeeds() {
  if (SlowTestsWanted()) return 1000000;
  return kInstrumented ? 20000 : 100000;
}

// Counts the orders of these seeds, or epochs, and expects each of `different`
// ones equally often.
void ExpectAllOrdersAlike(OrderOptions options, uint64_t different,
                          bool epochs) {
  std::map<std::vector<uint64_t>, uint64_t> numbers;
  Cells cells(different, different);
  for (uint64_t i = 0; i < NumSeeds(); ++i) {
    (epochs ? options.epoch : options.seed) = i;
    const auto rows = RowsFrom(options, 0, options.rows);
    const auto [found, is_new] = numbers.emplace(rows, numbers.size());
    ASSERT_LE(numbers.size(), different);
    cells.Add(found->second);
  }
  EXPECT_EQ(numbers.size(), different);
  EXPECT_LT(std::abs(cells.Sigmas()), kSigmas)
      << options.rows << " rows, block " << options.block << ", window "
      << options.window;
}

TEST(OrderStatistics, AllOrdersOfAFewRowsAreAlike) {
  uint64_t different = 1;
  for (uint64_t rows = 2; rows <= 6; ++rows) {
    different *= rows;
    ExpectAllOrdersAlike({.rows = rows}, different, false);
    ExpectAllOrdersAlike({.rows = rows}, different, true);
  }
}

TEST(OrderStatistics, AllOrdersOfAFewBlocksAreAlike) {
  // Three blocks of two rows.
  ExpectAllOrdersAlike({.rows = 6, .block = 2}, 6 * 8, false);
  // The last block has one row.
  ExpectAllOrdersAlike({.rows = 5, .block = 2}, 6 * 4, true);
  // Of three blocks one is left for the second window: three ways, and then
  // four rows and two, or three rows and two where it is the short one.
  ExpectAllOrdersAlike({.rows = 6, .block = 2, .window = 2}, 3 * 24 * 2, true);
  ExpectAllOrdersAlike({.rows = 4, .block = 3}, 2 * 6, false);
}

// Around powers of two, above and below where tables end.
const uint64_t kManyRows[] = {
    1023,    1024,           1025,           65535,     65536,  65537,
    131071,  131072,         131073,         262143,    262144, 262145,
    1000000, (1u << 28) - 1, (1u << 28) + 1, 1000000000};

TEST(OrderStatistics, ASingleRowComesEverywhere) {
  for (const uint64_t rows : kManyRows) {
    const bool is_table = rows < 65536;
    const uint64_t seeds = NumSeeds() / (is_table ? rows / 200 : 1);
    for (const uint64_t position : {uint64_t{0}, uint64_t{1}, rows / 2}) {
      Cells cells(rows, 64);
      // The lowest bits have another history than the highest.
      Cells low(64, 64);
      for (uint64_t seed = 0; seed < seeds; ++seed) {
        const uint64_t row =
            RowsFrom({.rows = rows, .seed = seed}, position, 1)[0];
        cells.Add(row);
        if (row < rows / 64 * 64) low.Add(row % 64);
      }
      EXPECT_LT(std::abs(cells.Sigmas()), kSigmas) << rows << " " << position;
      EXPECT_LT(std::abs(low.Sigmas()), kSigmas) << rows << " " << position;
    }
  }
}

TEST(OrderStatistics, RowsOfNeighboursAreAtAnyDistance) {
  for (const uint64_t rows : kManyRows) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      const uint64_t count = std::min<uint64_t>(rows, 100000);
      const auto order = RowsFrom({.rows = rows, .seed = seed}, 0, count);
      // Positions 256 or 512 apart may differ in one half of the network only.
      for (const uint64_t lag : {1u, 2u, 256u, 512u}) {
        Cells distances(rows - 1, 64);
        Cells pairs(32 * 32, 32 * 32);
        for (uint64_t p = 0; p + lag < count; ++p) {
          const uint64_t a = order[p];
          const uint64_t b = order[p + lag];
          distances.Add((b + rows - a) % rows - 1);
          pairs.Add(a * 32 / rows * 32 + b * 32 / rows);
        }
        EXPECT_LT(distances.Sigmas(), kSigmas) << rows << " " << lag;
        EXPECT_LT(pairs.Sigmas(), kSigmas) << rows << " " << lag;
      }
    }
  }
}

// Two random orders have one row at the same position, on average.
TEST(OrderStatistics, EpochsHaveFewPlacesInCommon) {
  for (const uint64_t rows :
       {uint64_t{5000}, uint64_t{65536}, uint64_t{70000}}) {
    const int epochs = kInstrumented ? 20 : 200;
    auto last = RowsFrom({.rows = rows, .seed = 1}, 0, rows);
    double places = 0;
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      const auto order = RowsFrom(
          {.rows = rows, .seed = 1, .epoch = static_cast<uint64_t>(epoch)}, 0,
          rows);
      for (size_t p = 0; p < rows; ++p) places += last[p] == order[p];
      last = order;
    }
    EXPECT_LT(std::abs(places - epochs), kSigmas * std::sqrt(epochs)) << rows;
  }
}

}  // namespace
}  // namespace headrace::testing
