// Sizes whose sums and products have more than 64 bits.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "headrace/order.h"
#include "src/base/text/numbers.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kMax = ~uint64_t{0};

TEST(OrderSizes, BlockWindowLanesAndTurnAreAtLeastOne) {
  const auto no_block = Order::Make({.rows = 10, .block = 0});
  EXPECT_EQ(no_block.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(no_block.status().message(), "block is 0; it must be at least 1");
  const auto no_window = Order::Make({.rows = 10, .window = 0});
  EXPECT_EQ(no_window.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(no_window.status().message(), "window is 0; it must be at least 1");
  const auto no_lanes = Order::Make({.rows = 10, .lanes = 0});
  EXPECT_EQ(no_lanes.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(no_lanes.status().message(), "lanes is 0; it must be at least 1");
  const auto no_turn = Order::Make({.rows = 10, .turn = 0});
  EXPECT_EQ(no_turn.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(no_turn.status().message(), "turn is 0; it must be at least 1");
}

TEST(OrderSizes, NoRowsAndOneRow) {
  for (uint64_t block : {uint64_t{1}, uint64_t{2}, kMax}) {
    for (uint64_t window : {uint64_t{1}, uint64_t{2}, kMax}) {
      const Order none = OrThrow(Order::Make(
          {.block = block, .window = window, .lanes = window, .turn = block}));
      EXPECT_EQ(none.size(), 0u);
      EXPECT_THAT(none.Rows(0, {}), IsOk());
      EXPECT_THAT(none.RowsAt({}, {}), IsOk());
      EXPECT_THAT(none.PositionsOf({}, {}), IsOk());
      const Order one = OrThrow(Order::Make({.rows = 1,
                                             .block = block,
                                             .window = window,
                                             .lanes = window,
                                             .turn = block}));
      std::vector<uint64_t> rows = {9};
      EXPECT_THAT(one.Rows(0, rows), IsOk());
      EXPECT_EQ(rows[0], 0u);
      EXPECT_THAT(one.PositionsOf(rows, rows), IsOk());
      EXPECT_EQ(rows[0], 0u);
    }
  }
}

TEST(OrderSizes, WhatIsPastTheEndIsAnError) {
  for (const OrderOptions& options : std::vector<OrderOptions>{
           {.rows = 10},
           {.rows = 10, .block = 3, .window = 2},
           {.rows = 200000, .block = 40000, .window = 2},
           {.rows = 10, .block = 3, .window = 2, .lanes = 2, .turn = 2}}) {
    const Order order = OrThrow(Order::Make(options));
    const uint64_t size = order.size();
    std::vector<uint64_t> rows(4, 77);
    const auto is_past = IsError(
        ErrorCode::kInvalidArgument,
        {.text = "out of range: the order has " + Counted(size, "row")});
    EXPECT_THAT(order.Rows(size - 3, rows), is_past);
    EXPECT_THAT(order.Rows(size + 1, {}), is_past);
    EXPECT_THAT(order.Rows(kMax, rows), is_past);
    EXPECT_THAT(order.RowsAt(std::vector{size - 1, size, size, size}, rows),
                is_past);
    EXPECT_THAT(order.PositionsOf(std::vector{kMax, kMax, kMax, kMax}, rows),
                is_past);
    EXPECT_THAT(
        order.RowsAt(std::vector<uint64_t>{1, 2, 3}, rows),
        IsError(ErrorCode::kInvalidArgument,
                {.text = "there are 3 positions, but room for 4 results"}));
    EXPECT_THAT(rows, ElementsAre(77, 77, 77, 77));
    EXPECT_THAT(order.Rows(size - 4, rows), IsOk());
    EXPECT_THAT(order.Rows(size, {}), IsOk());
  }
}

// The rows at some runs of positions are different rows of the order, and the
// same whether they are asked for as runs or one by one.
void ExpectDifferentRows(const OrderOptions& options) {
  SCOPED_TRACE(std::to_string(options.rows) + " rows, block " +
               std::to_string(options.block) + ", window " +
               std::to_string(options.window) + ", lanes " +
               std::to_string(options.lanes) + ", turn " +
               std::to_string(options.turn));
  const Order order = OrThrow(Order::Make(options));
  constexpr uint64_t kRun = 50;
  std::vector<uint64_t> begins = {0, options.rows / 3, options.rows / 2,
                                  options.rows - kRun};
  if (options.block > kRun && options.block < options.rows - 2 * kRun) {
    begins.push_back(options.block - kRun);
    begins.push_back((options.rows - 1) % options.block / 2 + kRun);
  }
  std::vector<uint64_t> positions;
  for (const uint64_t begin : begins) {
    std::vector<uint64_t> run(kRun);
    std::iota(run.begin(), run.end(), begin);
    positions.insert(positions.end(), run.begin(), run.end());
  }
  std::vector<uint64_t> runs(positions.size());
  for (size_t i = 0; i < begins.size(); ++i) {
    EXPECT_THAT(order.Rows(begins[i], std::span(runs).subspan(i * kRun, kRun)),
                IsOk());
  }
  std::vector<uint64_t> rows(positions.size());
  EXPECT_THAT(order.RowsAt(positions, rows), IsOk());
  EXPECT_EQ(runs, rows);
  EXPECT_THAT(order.PositionsOf(runs, runs), IsOk());
  EXPECT_EQ(runs, positions);
  const auto sort_and_count = [](std::vector<uint64_t>* values) {
    std::sort(values->begin(), values->end());
    values->erase(std::unique(values->begin(), values->end()), values->end());
    return values->size();
  };
  EXPECT_EQ(sort_and_count(&rows), sort_and_count(&positions));
  EXPECT_LT(rows.back(), options.rows);
}

TEST(OrderSizes, AsManyRowsAsThereAreNumbers) {
  const uint64_t half = uint64_t{1} << 63;
  for (uint64_t rows : {kMax, kMax - 1, half + 1, half, half - 1}) {
    for (uint64_t block :
         {uint64_t{1}, uint64_t{2}, uint64_t{65535}, uint64_t{65536},
          uint64_t{1} << 32, (uint64_t{1} << 32) + 1, (uint64_t{1} << 48) + 7,
          half - 1, half, half + 1, rows - 1, rows, kMax}) {
      for (uint64_t window : {uint64_t{1}, uint64_t{3}, uint64_t{32768},
                              uint64_t{1} << 33, half, kMax}) {
        ExpectDifferentRows({.rows = rows, .block = block, .window = window});
      }
    }
  }
}

TEST(OrderSizes, AsManyRowsAndLanesAsThereAreNumbers) {
  const uint64_t half = uint64_t{1} << 63;
  for (uint64_t rows : {kMax, half + 1, half}) {
    for (uint64_t block : {uint64_t{1}, (uint64_t{1} << 32) + 1, half - 1}) {
      for (uint64_t lanes : {uint64_t{2}, uint64_t{7}, uint64_t{1} << 32,
                             half - 1, half, kMax}) {
        for (uint64_t turn : {uint64_t{1}, uint64_t{64}, uint64_t{1} << 31,
                              (uint64_t{1} << 32) - 1, half, kMax}) {
          ExpectDifferentRows({.rows = rows,
                               .block = block,
                               .window = 3,
                               .lanes = lanes,
                               .turn = turn});
        }
      }
    }
  }
}

TEST(OrderSizes, BlockAndWindowBeyondTheRows) {
  for (uint64_t rows : {uint64_t{200}, uint64_t{70000}}) {
    const Order plain = OrThrow(Order::Make({.rows = rows}));
    std::vector<uint64_t> expected(rows);
    EXPECT_THAT(plain.Rows(0, expected), IsOk());
    for (uint64_t block : {rows, rows + 1, kMax}) {
      for (uint64_t window : {uint64_t{1}, kMax}) {
        const Order order = OrThrow(
            Order::Make({.rows = rows, .block = block, .window = window}));
        std::vector<uint64_t> found(rows);
        EXPECT_THAT(order.Rows(0, found), IsOk());
        EXPECT_EQ(found, expected);
      }
    }
  }
}

}  // namespace
}  // namespace headrace::testing
