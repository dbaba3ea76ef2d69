#include "headrace/order.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/order/reference_order.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

std::string Text(const OrderOptions& options) {
  return std::to_string(options.rows) + " rows, seed " +
         std::to_string(options.seed) + ", epoch " +
         std::to_string(options.epoch) + ", block " +
         std::to_string(options.block) + ", window " +
         std::to_string(options.window) + ", lanes " +
         std::to_string(options.lanes) + ", turn " +
         std::to_string(options.turn);
}

std::vector<uint64_t> AllRows(const Order& order) {
  std::vector<uint64_t> rows(order.size());
  EXPECT_THAT(order.Rows(0, rows), IsOk());
  return rows;
}

std::vector<uint64_t> RowsOf(const OrderOptions& options) {
  return AllRows(OrThrow(Order::Make(options)));
}

std::vector<uint64_t> UpTo(uint64_t rows) {
  std::vector<uint64_t> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), uint64_t{0});
  return numbers;
}

void ExpectPermutation(const OrderOptions& options) {
  const Order order = OrThrow(Order::Make(options));
  const std::vector<uint64_t> rows = AllRows(order);
  ASSERT_EQ(rows, ReferenceOrder(options)) << Text(options);
  std::vector<uint64_t> sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted, UpTo(options.rows)) << Text(options);
  std::vector<uint64_t> at = UpTo(options.rows);
  EXPECT_THAT(order.RowsAt(at, at), IsOk());
  ASSERT_EQ(at, rows) << Text(options);
  EXPECT_THAT(order.PositionsOf(at, at), IsOk());
  ASSERT_EQ(at, UpTo(options.rows)) << Text(options);
}

TEST(Order, IsAPermutationOfAnyFewRows) {
  for (uint64_t rows = 0; rows < 1200; rows += kCaseStride) {
    for (uint64_t block : {1u, 2u, 3u, 16u, 100u, 599u, 1200u}) {
      for (uint64_t window : {1u, 2u, 7u, 64u}) {
        ExpectPermutation({.rows = rows,
                           .seed = rows * 31 + block,
                           .epoch = window,
                           .block = block,
                           .window = window});
      }
    }
  }
}

TEST(Order, IsAPermutationOfAFewThousandRows) {
  const uint64_t step = SlowTestsWanted() ? 1 : 29 * kCaseStride;
  for (uint64_t rows = 1200; rows < 6000; rows += step) {
    ExpectPermutation({.rows = rows, .seed = 1});
    ExpectPermutation({.rows = rows, .seed = 1, .block = 32, .window = 5});
  }
}

TEST(Order, IsAPermutationAroundPowersOfTwo) {
  const int most = SlowTestsWanted() ? 21 : kInstrumented ? 17 : 18;
  for (int bits = 1; bits <= most; ++bits) {
    const uint64_t power = uint64_t{1} << bits;
    for (uint64_t rows : {power - 1, power, power + 1}) {
      ExpectPermutation({.rows = rows, .seed = 5, .epoch = 9});
      // With many rows there are as many blocks, or windows as large, as need
      // a network.
      ExpectPermutation({.rows = rows, .seed = 5, .block = 2, .window = 9});
      ExpectPermutation({.rows = rows, .seed = 6, .block = 7, .window = 9999});
      ExpectPermutation({.rows = rows, .block = 2, .window = 33000});
      ExpectPermutation({.rows = rows, .block = 65535, .window = 1});
      ExpectPermutation({.rows = rows, .block = 65537, .window = 1});
    }
  }
}

// A window has 65536 rows, but for the one with the short block.
TEST(Order, WindowsOfOneOrderAreTablesAndNetworks) {
  ExpectPermutation({.rows = 300001, .block = 4096, .window = 16});
}

TEST(Order, LanesTakeTurns) {
  std::mt19937_64 random(3);
  const auto up_to = [&random](uint64_t most) { return random() % most + 1; };
  for (int i = 0; i < (SlowTestsWanted() ? 30000 : 1500 / kCaseStride); ++i) {
    const uint64_t rows = random() % (i % 10 == 0 ? 4000 : 200);
    OrderOptions options = {.rows = rows,
                            .seed = random(),
                            .epoch = random() % 3,
                            .block = up_to(i % 4 == 0 ? 1 : 40),
                            .window = up_to(9)};
    const std::vector<uint64_t> without = RowsOf(options);
    options.turn = up_to(30);
    ASSERT_EQ(RowsOf(options), without) << Text(options);
    options.lanes = up_to(i % 3 == 0 ? rows + 2 : 20);
    ExpectPermutation(options);
    // One turn of each lane, or none at all, changes nothing.
    options.turn = rows / options.lanes / 2 + 1;
    ASSERT_EQ(RowsOf(options), without) << Text(options);
  }
}

TEST(Order, LanesOfTablesAndNetworks) {
  for (uint64_t turn : {1u, 100u, 4096u}) {
    ExpectPermutation({.rows = 300001,
                       .block = 4096,
                       .window = 16,
                       .lanes = 7,
                       .turn = turn});
    ExpectPermutation({.rows = 70001, .lanes = 3, .turn = turn});
  }
}

// What lanes are for: a rank has all rows of most of the blocks that it has any
// of.
TEST(Order, ALaneHasBlocksOfItsOwn) {
  constexpr uint64_t kBatch = 32;
  constexpr uint64_t kRanks = 8;
  OrderOptions options = {.rows = 50000, .block = 50, .window = 4};
  const auto most_blocks_of_a_rank = [&options] {
    const std::vector<uint64_t> rows = RowsOf(options);
    size_t most = 0;
    for (uint64_t rank = 0; rank < kRanks; ++rank) {
      std::set<uint64_t> blocks;
      for (size_t i = 0; i < rows.size(); ++i) {
        if (i / kBatch % kRanks == rank) blocks.insert(rows[i] / 50);
      }
      most = std::max(most, blocks.size());
    }
    return most;
  };
  EXPECT_GT(most_blocks_of_a_rank(), 800u);
  options.turn = kBatch;
  for (uint64_t lanes_of_each : {1u, 2u, 3u}) {
    options.lanes = lanes_of_each * kRanks;
    // Besides its part it has the windows at the ends of its lanes, and some of
    // the last rows.
    EXPECT_LE(most_blocks_of_a_rank(), 1000 / kRanks + lanes_of_each * 8 + 8);
  }
}

TEST(Order, RunsBeginAndEndAnywhere) {
  std::mt19937_64 random(1);
  for (const OrderOptions& options : std::vector<OrderOptions>{
           {.rows = 5000},
           {.rows = 70001},
           {.rows = 5000, .block = 13, .window = 9},
           {.rows = 300001, .block = 4096, .window = 16},
           {.rows = 300001, .block = 3, .window = 30000},
           {.rows = 5000, .block = 13, .window = 9, .lanes = 4, .turn = 10},
           {.rows = 70001, .lanes = 10, .turn = 7},
       }) {
    const Order order = OrThrow(Order::Make(options));
    const std::vector<uint64_t> all = AllRows(order);
    for (int i = 0; i < 300 / kCaseStride; ++i) {
      const uint64_t begin = random() % (options.rows + 1);
      const uint64_t length =
          random() % (std::min<uint64_t>(options.rows - begin, 2000) + 1);
      std::vector<uint64_t> rows(length);
      EXPECT_THAT(order.Rows(begin, rows), IsOk());
      const auto first = all.begin() + static_cast<ptrdiff_t>(begin);
      ASSERT_TRUE(std::equal(rows.begin(), rows.end(), first)) << Text(options);
    }
  }
}

TEST(Order, PositionsComeInAnyOrderAndTwice) {
  std::mt19937_64 random(2);
  for (const OrderOptions& options : std::vector<OrderOptions>{
           {.rows = 5000},
           {.rows = 70001},
           {.rows = 5000, .block = 13, .window = 9},
           {.rows = 300001, .block = 4096, .window = 16},
           {.rows = 5000, .block = 13, .window = 9, .lanes = 4, .turn = 10},
           {.rows = 70001, .lanes = 10, .turn = 7},
       }) {
    const Order order = OrThrow(Order::Make(options));
    const std::vector<uint64_t> all = AllRows(order);
    std::vector<uint64_t> positions(3000);
    for (uint64_t& position : positions) position = random() % options.rows;
    positions[7] = positions[2000];
    std::vector<uint64_t> rows(positions.size());
    EXPECT_THAT(order.RowsAt(positions, rows), IsOk());
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(rows[i], all[positions[i]]) << Text(options);
    }
    std::vector<uint64_t> again(rows.size());
    EXPECT_THAT(order.PositionsOf(rows, again), IsOk());
    EXPECT_EQ(again, positions) << Text(options);
  }
}

TEST(Order, RowsOfAWindowAreThoseOfItsBlocks) {
  const std::vector<uint64_t> rows =
      RowsOf({.rows = 1000, .seed = 3, .block = 10, .window = 4});
  for (size_t begin = 0; begin < rows.size(); begin += 40) {
    std::vector<uint64_t> blocks;
    for (size_t i = begin; i < begin + 40; ++i) blocks.push_back(rows[i] / 10);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    EXPECT_EQ(blocks.size(), 4u);
  }
}

TEST(Order, WithBlocksOfOneRowWindowsDoNotMatter) {
  const std::vector<uint64_t> rows = RowsOf({.rows = 999});
  EXPECT_EQ(RowsOf({.rows = 999, .window = 5}), rows);
  EXPECT_EQ(RowsOf({.rows = 999, .block = 999}), rows);
  EXPECT_EQ(RowsOf({.rows = 999, .block = 10, .window = 100}), rows);
  EXPECT_NE(RowsOf({.rows = 999, .block = 10, .window = 99}), rows);
}

TEST(Order, SeedAndEpochChooseAnother) {
  for (const OrderOptions& base :
       std::vector<OrderOptions>{{.rows = 100},
                                 {.rows = 70000},
                                 {.rows = 100, .block = 10, .window = 2}}) {
    OrderOptions options = base;
    options.seed = 1;
    const std::vector<uint64_t> of_seed = RowsOf(options);
    options = base;
    options.epoch = 1;
    const std::vector<uint64_t> of_epoch = RowsOf(options);
    EXPECT_NE(RowsOf(base), of_seed);
    EXPECT_NE(RowsOf(base), of_epoch);
    EXPECT_NE(of_seed, of_epoch);
  }
}

TEST(Order, ThreadsShareOne) {
  const Order order =
      OrThrow(Order::Make({.rows = 20000, .block = 10, .window = 100}));
  const std::vector<uint64_t> all = AllRows(order);
  std::vector<std::vector<uint64_t>> found(4, std::vector<uint64_t>(20000));
  std::vector<std::thread> threads;
  for (std::vector<uint64_t>& rows : found) {
    threads.emplace_back([&rows, order] {
      for (uint64_t p = 0; p < 20000; p += 50) {
        EXPECT_THAT(order.Rows(p, std::span(rows).subspan(p, 50)), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<uint64_t>& rows : found) EXPECT_EQ(rows, all);
}

// These numbers stay as they are for ever: jobs have stopped in the middle of
// these orders. They were computed by a program in another language that
// follows docs/formats/order.md.
struct GoldenOrder {
  OrderOptions options;
  uint64_t first_position;
  std::vector<uint64_t> rows;
};

const GoldenOrder kGoldenOrders[] = {
    {{.rows = 10, .seed = 0, .epoch = 0, .block = 1, .window = 1},
     0,
     {9, 1, 6, 7, 4, 3, 5, 2, 8, 0}},
    {{.rows = 10, .seed = 7, .epoch = 2, .block = 3, .window = 2},
     0,
     {9, 4, 5, 3, 2, 7, 0, 8, 1, 6}},
    {{.rows = 1000000000, .seed = 7, .epoch = 2, .block = 1, .window = 1},
     0,
     {709668932, 494266815, 132034339, 342616707}},
    {{.rows = 1000000, .seed = 7, .epoch = 2, .block = 256, .window = 16},
     0,
     {726044, 361947, 726180, 327352}},
    {{.rows = 1000000, .seed = 7, .epoch = 2, .block = 1000, .window = 100},
     0,
     {544293, 545413, 761248, 981164}},
    {{.rows = 65535,
      .seed = 18446744073709551615u,
      .epoch = 18446744073709551615u,
      .block = 1,
      .window = 1},
     65530,
     {33538, 3771, 29743, 27373, 16218}},
    {{.rows = 65536, .seed = 1, .epoch = 0, .block = 1, .window = 1},
     0,
     {11786, 15739, 53844, 26380}},
    {{.rows = 65537, .seed = 1, .epoch = 0, .block = 1, .window = 1},
     65532,
     {6568, 58677, 39531, 44697, 594}},
    {{.rows = 4294967297, .seed = 1, .epoch = 0, .block = 1, .window = 1},
     4294967292,
     {838966578, 2166241498, 2332347659, 1203099509, 3341477294}},
    {{.rows = 1000000, .seed = 3, .epoch = 4, .block = 3, .window = 30000},
     500000,
     {578640, 622632, 896747, 354735, 599444}},
    {{.rows = 1000000, .seed = 3, .epoch = 4, .block = 3, .window = 100},
     999996,
     {424955, 157016, 162973, 494454}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1,
      .window = 1},
     9223372036854775808u,
     {9053086885992706380, 3691034738858355190, 6626005683805653820,
      12661781742138093524u, 15159617431261511076u}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 9223372036854775808u,
      .window = 1},
     9223372036854775805,
     {5486144339659652634, 3793611943865587270, 1679612063138940108,
      13968261339999508294u, 16985203398220380141u}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1125899906842625,
      .window = 3},
     7881299347898368,
     {1883835639093701705, 6657224402924222897, 1883917347834491480,
      1883659284764735704, 5400286429027358166}},
    {{.rows = 10,
      .seed = 7,
      .epoch = 2,
      .block = 3,
      .window = 2,
      .lanes = 2,
      .turn = 2},
     0,
     {9, 4, 2, 7, 5, 3, 0, 8, 1, 6}},
    {{.rows = 1000000,
      .seed = 7,
      .epoch = 2,
      .block = 256,
      .window = 16,
      .lanes = 8,
      .turn = 100},
     98,
     {726060, 229245, 276324, 722813}},
    // The last 16 rows are of no lane.
    {{.rows = 1000000,
      .seed = 7,
      .epoch = 2,
      .block = 256,
      .window = 16,
      .lanes = 8,
      .turn = 3},
     999982,
     {837343, 837366, 99033, 998753, 837368, 998758}},
    {{.rows = 1000000,
      .seed = 7,
      .epoch = 2,
      .block = 1000,
      .window = 100,
      .lanes = 3,
      .turn = 7},
     500001,
     {461321, 597947, 428518, 109345, 294106}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1125899906842625,
      .window = 3,
      .lanes = 5,
      .turn = 2305843009213693949},
     2305843009213693947,
     {12512755748706627172u, 14830994838035114262u, 6323885096716691747,
      6323856745216954591}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1125899906842625,
      .window = 3,
      .lanes = 4294967296,
      .turn = 4294967295},
     9223372036854775808u,
     {12939848114392920224u, 17782224406976688677u, 10633591731649310892u,
      10633887344208080480u}},
    // The product of lanes and turn is beyond all numbers.
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1125899906842625,
      .window = 3,
      .lanes = 4294967296,
      .turn = 4294967296},
     9223372036854775808u,
     {12939848114392920224u, 17782224406976688677u, 10633591731649310892u,
      10633887344208080480u}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1,
      .window = 1,
      .lanes = 18446744073709551615u,
      .turn = 18446744073709551615u},
     9223372036854775808u,
     {9053086885992706380, 3691034738858355190, 6626005683805653820}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1,
      .window = 1,
      .lanes = 9223372036854775807,
      .turn = 1},
     18446744073709551612u,
     {1760352010187800809, 3698023995705081955, 3254973369766139169}},
    {{.rows = 18446744073709551615u,
      .seed = 1,
      .epoch = 2,
      .block = 1,
      .window = 1,
      .lanes = 7,
      .turn = 1152921504606846976},
     8070450532247928830,
     {1592564338428393496, 4927295194338826767, 17737287576769805083u,
      3882245564074997480}},
};

TEST(Order, IsFixed) {
  for (const auto& [options, first_position, expected] : kGoldenOrders) {
    std::vector<uint64_t> rows(expected.size());
    EXPECT_THAT(OrThrow(Order::Make(options)).Rows(first_position, rows),
                IsOk());
    EXPECT_EQ(rows, expected) << Text(options);
    EXPECT_THAT(OrThrow(Order::Make(options)).PositionsOf(rows, rows), IsOk());
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i], first_position + i) << Text(options);
    }
  }
}

}  // namespace
}  // namespace headrace::testing
