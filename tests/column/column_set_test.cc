// ColumnSet against a list of rows kept beside it.

#include "src/decode/column/column_set.h"

#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace headrace::column {
namespace {

using Cell = std::optional<std::vector<int64_t>>;
using Row = std::vector<Cell>;

constexpr uint32_t kSlots = 5;

std::vector<plan::Slot> Fields() {
  std::vector<plan::Slot> fields;
  for (uint32_t i = 0; i < kSlots; ++i) {
    fields.push_back({.key = "c" + std::to_string(i), .kind = Kind::kInt64});
  }
  return fields;
}

bool Put(ColumnSet* set, uint32_t slot, const Cell& cell) {
  Builder* builder = set->EnterCell(slot);
  if (builder == nullptr) return false;
  if (cell) {
    if (!set->Reserve(builder, cell->size())) return false;
    for (const int64_t value : *cell) {
      reinterpret_cast<int64_t*>(builder->values)[builder->count++] = value;
    }
  }
  set->LeaveCell(builder, cell ? CellState::kTyped : CellState::kUnset);
  return true;
}

void ExpectEqual(const ColumnSet& set, const std::vector<Row>& rows) {
  ASSERT_EQ(set.num_rows(), rows.size());
  for (uint32_t slot = 0; slot < kSlots; ++slot) {
    const Column& column = set.columns()[slot];
    ASSERT_EQ(column.num_rows, rows.size());
    size_t nulls = 0;
    for (size_t r = 0; r < rows.size(); ++r) {
      const Cell& cell = rows[r][slot];
      ASSERT_EQ(column.IsNull(r), !cell.has_value()) << slot << " " << r;
      nulls += !cell.has_value();
      const std::vector<int64_t> values(
          column.int64s().begin() + column.offsets[r],
          column.int64s().begin() + column.offsets[r + 1]);
      ASSERT_EQ(values, cell.value_or(std::vector<int64_t>())) << slot;
    }
    ASSERT_EQ(column.null_count, nulls);
    ASSERT_EQ(column.validity == nullptr, nulls == 0);
  }
}

// Random rows, cells entered twice, rows rolled back; several batches on the
// same memory.
TEST(ColumnSetTest, EqualsAListOfRows) {
  std::minstd_rand engine(7);
  auto random = [&engine] { return static_cast<uint32_t>(engine() >> 3); };
  const auto fields = Fields();
  ColumnSet set(uint64_t{1} << 30);
  for (int batch = 0; batch < 30; ++batch) {
    set.Start(fields, /*keep_nulls=*/true);
    std::vector<Row> rows;
    const size_t attempts = random() % 1500;
    for (size_t i = 0; i < attempts; ++i) {
      ASSERT_TRUE(set.BeginRow());
      Row row(kSlots);
      for (uint32_t n = random() % 7; n > 0; --n) {
        const uint32_t slot = random() % (batch % 2 ? kSlots : kSlots - 1);
        Cell cell;
        if (random() % 4 != 0) cell.emplace(random() % 5, random());
        ASSERT_TRUE(Put(&set, slot, cell));
        row[slot] = cell;
      }
      if (random() % 5 == 0) {
        set.RollBackRow();
      } else {
        set.CommitRow();
        rows.push_back(row);
      }
    }
    ASSERT_TRUE(set.Seal());
    ExpectEqual(set, rows);
    if (HasFatalFailure()) return;
  }
}

TEST(ColumnSetTest, WrongCellsAreCountedUntilReplaced) {
  const auto fields = Fields();
  ColumnSet set(1 << 20);
  set.Start(fields, /*keep_nulls=*/true);
  ASSERT_TRUE(set.BeginRow());
  set.LeaveCell(set.EnterCell(1), CellState::kWrong);
  set.LeaveCell(set.EnterCell(2), CellState::kWrong);
  EXPECT_EQ(set.num_wrong(), 2u);
  set.LeaveCell(set.EnterCell(1), CellState::kTyped);
  EXPECT_EQ(set.num_wrong(), 1u);
  set.RollBackRow();
  EXPECT_EQ(set.num_wrong(), 0u);
}

TEST(ColumnSetTest, ABudgetEndsGrowthAndTheRowCanBeRolledBack) {
  const auto fields = Fields();
  ColumnSet set(200'000);
  set.Start(fields, /*keep_nulls=*/true);
  std::vector<Row> rows;
  for (;;) {
    ASSERT_TRUE(set.BeginRow());
    const Cell cell(std::in_place, 1000, int64_t{3});
    if (!Put(&set, 0, cell)) break;
    set.CommitRow();
    rows.push_back({cell, {}, {}, {}, {}});
    ASSERT_LT(rows.size(), 100u);
  }
  EXPECT_FALSE(set.out_of_memory());
  set.RollBackRow();
  ASSERT_TRUE(set.Seal());
  ExpectEqual(set, rows);
  EXPECT_GT(rows.size(), 3u);
}

// A set whose budget has ended takes no row, however often it is asked.
TEST(ColumnSetTest, ABudgetEndsTheRows) {
  const auto fields = Fields();
  ColumnSet set(50'000);
  set.Start(fields, /*keep_nulls=*/true);
  size_t rows = 0;
  for (; set.BeginRow(); ++rows) {
    ASSERT_LT(rows, 10'000u);
    ASSERT_TRUE(Put(&set, 0, Cell()));
    set.CommitRow();
  }
  EXPECT_EQ(rows % 256, 0u);
  EXPECT_FALSE(set.BeginRow());
  EXPECT_FALSE(set.BeginRow());
}

// A set makes room for what earlier batches needed, unless it starts afresh.
TEST(ColumnSetTest, RoomIsMadeByWhatWasNeeded) {
  const std::vector<plan::Slot> slots = {{.key = "s",
                                          .kind = Kind::kInt64,
                                          .in_sequence = true,
                                          .form = plan::SlotForm::kSteps}};
  constexpr size_t kSteps = 10'000;
  ColumnSet set(1 << 20);
  const auto room_of_steps = [&](size_t steps) {
    EXPECT_TRUE(set.BeginRow());
    Builder* const builder = set.EnterCell(0);
    for (size_t i = 0; i < steps; ++i) {
      EXPECT_TRUE(set.Reserve(builder, 1));
      reinterpret_cast<int64_t*>(builder->values)[builder->count++] = 1;
      EXPECT_TRUE(set.EndStep(builder, /*valid=*/true));
    }
    set.LeaveCell(builder, CellState::kTyped);
    set.CommitRow();
    return std::pair(builder->capacity, builder->step_capacity);
  };
  set.Start(slots, /*keep_nulls=*/true);
  room_of_steps(kSteps);
  set.Start(slots, /*keep_nulls=*/true);
  auto [values, steps] = room_of_steps(1);
  EXPECT_GE(values, kSteps);
  EXPECT_GE(steps, kSteps);
  set.StartAfresh(slots, /*keep_nulls=*/true);
  std::tie(values, steps) = room_of_steps(1);
  EXPECT_LT(values, 1000u);
  EXPECT_LT(steps, 1000u);
}

// Columns without values have offsets, too, or there is no batch.
TEST(ColumnSetTest, SealWithinEveryBudget) {
  const plan::Slot list = {.key = "a", .kind = Kind::kInt64};
  const plan::Slot steps = {.key = "s",
                            .kind = Kind::kInt64,
                            .in_sequence = true,
                            .form = plan::SlotForm::kSteps};
  for (const bool has_cells : {false, true}) {
    for (const auto& slots : {std::vector{list, steps}, std::vector{steps}}) {
      size_t sealed = 0, failed = 0;
      for (uint64_t budget = 1; sealed < 20; budget += 64) {
        ColumnSet set(budget);
        set.Start(slots, /*keep_nulls=*/true);
        ASSERT_TRUE(set.BeginRow());
        if (has_cells) {
          const auto last = static_cast<uint32_t>(slots.size() - 1);
          Builder* const builder = set.EnterCell(last);
          if (builder == nullptr) continue;
          set.LeaveCell(builder, CellState::kTyped);
        }
        set.CommitRow();
        if (!set.Seal()) {
          ++failed;
          continue;
        }
        ++sealed;
        for (const Column& column : set.columns()) {
          EXPECT_NE(column.offsets, nullptr);
          EXPECT_EQ(column.step_offsets != nullptr, column.in_sequence);
        }
      }
      EXPECT_GT(failed, 0u);
    }
  }
}

// Runs of one list add up: a count is near its limit long before any run is
// long.
TEST(ColumnSetTest, CountsNearTheirLimit) {
  const auto fields = Fields();
  constexpr size_t kMax = (size_t{1} << 31) - 1;
  for (const size_t count : {kMax, kMax - 1, kMax - 100}) {
    ColumnSet set(~uint64_t{0});
    set.Start(fields, /*keep_nulls=*/true);
    ASSERT_TRUE(set.BeginRow());
    ASSERT_TRUE(Put(&set, 0, Cell(std::in_place, 3, 7)));
    Builder* const builder = set.EnterCell(0);
    builder->count = builder->capacity = count;
    for (const size_t more : {kMax - count + 1, kMax, size_t{1} << 31,
                              static_cast<size_t>((uint64_t{1} << 32) - count),
                              ~size_t{0} - count, ~size_t{0}}) {
      EXPECT_FALSE(set.Reserve(builder, more)) << more;
      EXPECT_FALSE(set.out_of_memory());
    }
    set.RollBackRow();
  }
}

// 2^29 values of 8 bytes are 2^32 bytes: no size where those have 32 bits.
TEST(ColumnSetTest, BytesOfValuesDoNotWrapAround) {
  const std::vector<plan::Slot> fields = Fields();
  ColumnSet set(/*budget=*/uint64_t{1} << 30);
  set.Start(fields, /*keep_nulls=*/true);
  ASSERT_TRUE(set.BeginRow());
  Builder* const builder = set.EnterCell(0);
  ASSERT_NE(builder, nullptr);
  for (int bits : {28, 29, 30}) {
    EXPECT_FALSE(set.Reserve(builder, size_t{1} << bits)) << bits;
    EXPECT_EQ(builder->capacity, 0u);
  }
}

}  // namespace
}  // namespace headrace::column
