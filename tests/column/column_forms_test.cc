// What a cell does to its column, form by form.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "src/decode/column/column_set.h"

namespace headrace::column {
namespace {

using ::testing::ElementsAre;

plan::Slot SlotOf(plan::SlotForm form, size_t elements = 0) {
  return {.key = "x",
          .kind = Kind::kInt64,
          .in_sequence = form == plan::SlotForm::kSteps,
          .form = form,
          .elements = elements};
}

// A cell of `count` values, each the number of its row; left open.
Builder* Fill(ColumnSet* set, size_t count) {
  Builder* const builder = set->EnterCell(0);
  EXPECT_TRUE(builder != nullptr && set->Reserve(builder, count));
  auto* const values = reinterpret_cast<int64_t*>(builder->values);
  for (; count > 0; --count) values[builder->count++] = set->num_rows();
  return builder;
}

std::vector<int32_t> OffsetsOf(const Column& column) {
  return {column.offsets, column.offsets + column.num_rows + 1};
}

TEST(ColumnFormsTest, ListsAreRegularWhileEveryRowHasOneValue) {
  // A list that is alone never is.
  const std::vector<plan::Slot> slots(2, SlotOf(plan::SlotForm::kList));
  ColumnSet set(1 << 20);
  set.Start(slots, /*keep_nulls=*/true);
  for (const size_t count : {1u, 1u, 3u, 1u}) {
    ASSERT_TRUE(set.BeginRow());
    ASSERT_TRUE(set.Prepare(0, count));
    EXPECT_FALSE(set.HasCell(set.builder(0)));
    Builder* const builder = set.builders();
    auto* const values = reinterpret_cast<int64_t*>(builder->values);
    std::fill_n(values + builder->count, count, set.num_rows());
    set.ClosePrepared(builder, builder->count + count);
    EXPECT_FALSE(set.Prepare(0, count));  // the row has it
    set.CommitRow();
    EXPECT_EQ(set.builder(0).form, set.num_rows() < 3 ? plan::SlotForm::kRegular
                                                      : plan::SlotForm::kList);
  }
  ASSERT_TRUE(set.Seal());
  EXPECT_THAT(OffsetsOf(set.columns()[0]), ElementsAre(0, 1, 2, 5, 6));
  EXPECT_THAT(set.columns()[0].int64s(), ElementsAre(0, 1, 2, 2, 2, 3));
}

TEST(ColumnFormsTest, NullsAreEmptyUnlessTheyAreKept) {
  const std::vector<plan::Slot> slots = {SlotOf(plan::SlotForm::kList)};
  for (const bool keep_nulls : {false, true}) {
    ColumnSet set(1 << 20);
    set.Start(slots, keep_nulls);
    for (const CellState state : {CellState::kTyped, CellState::kUnset}) {
      ASSERT_TRUE(set.BeginRow());
      EXPECT_EQ(set.state(set.builder(0)), CellState::kAbsent);
      Builder* const builder = Fill(&set, state == CellState::kTyped ? 2 : 0);
      EXPECT_EQ(set.state(*builder), CellState::kUnset);
      set.LeaveCell(builder, state);
      EXPECT_EQ(set.state(*builder), state);
      EXPECT_TRUE(set.HasCell(*builder));
      set.CommitRow();
    }
    ASSERT_TRUE(set.Seal());
    EXPECT_THAT(OffsetsOf(set.columns()[0]), ElementsAre(0, 2, 2));
    EXPECT_EQ(set.columns()[0].null_count, keep_nulls ? 1u : 0u);
  }
}

TEST(ColumnFormsTest, DenseCellsAreFilledByTheirElements) {
  const std::vector<plan::Slot> slots = {SlotOf(plan::SlotForm::kDense, 2)};
  ColumnSet set(1 << 20);
  set.Start(slots, /*keep_nulls=*/true);
  for (const size_t count : {2u, 1u, 3u, 0u, 2u}) {
    ASSERT_TRUE(set.BeginRow());
    set.LeaveCell(Fill(&set, count), CellState::kTyped);
    EXPECT_EQ(set.num_filled(), count == 2 ? 1u : 0u) << count;
    count == 2 ? set.CommitRow() : set.RollBackRow();
  }
  EXPECT_EQ(set.num_rows(), 2u);
  EXPECT_EQ(set.builder(0).count, 4u);
}

TEST(ColumnFormsTest, StepsLieBetweenRowsAndValues) {
  const std::vector<plan::Slot> slots = {SlotOf(plan::SlotForm::kSteps)};
  ColumnSet set(1 << 20);
  set.Start(slots, /*keep_nulls=*/true);
  for (const bool is_good : {true, false, true}) {
    ASSERT_TRUE(set.BeginRow());
    Builder* const builder = Fill(&set, 2);
    EXPECT_EQ(set.StepsBefore(*builder), 2 * set.num_rows());
    EXPECT_EQ(set.CountBefore(*builder), 2 * set.num_rows());
    ASSERT_TRUE(set.EndStep(builder, /*valid=*/true));
    ASSERT_TRUE(set.EndStep(builder, /*valid=*/false));
    set.LeaveCell(builder, CellState::kTyped);
    is_good ? set.CommitRow() : set.RollBackRow();
  }
  ASSERT_TRUE(set.Seal());
  const Column& column = set.columns()[0];
  EXPECT_THAT(OffsetsOf(column), ElementsAre(0, 2, 4));
  EXPECT_THAT(
      std::vector<int32_t>(column.step_offsets, column.step_offsets + 5),
      ElementsAre(0, 2, 2, 4, 4));
  EXPECT_EQ(column.step_null_count, 2u);
  EXPECT_THAT(column.int64s(), ElementsAre(0, 0, 1, 1));
}

// One row whose only cell has `count` values.
void AddRow(ColumnSet* set, size_t count, CellState state) {
  ASSERT_TRUE(set->BeginRow());
  set->LeaveCell(Fill(set, count), state);
  set->CommitRow();
}

TEST(ColumnFormsTest, DefaultsAndUnsetCellsAreNoFeature) {
  for (const plan::SlotForm form :
       {plan::SlotForm::kDense, plan::SlotForm::kList}) {
    const bool is_dense = form == plan::SlotForm::kDense;
    const std::vector<plan::Slot> slots = {SlotOf(form, is_dense ? 1 : 0)};
    ColumnSet set(1 << 20);
    set.Start(slots, /*keep_nulls=*/true);
    EXPECT_FALSE(set.HasFeature(0));
    for (int row = 0; row < 2; ++row) {
      ASSERT_TRUE(set.BeginRow());
      Builder* const builder = Fill(&set, is_dense ? 1 : 0);
      set.LeaveCell(builder, is_dense ? CellState::kTyped : CellState::kUnset);
      if (is_dense) set.NoteDefault(0);
      set.CommitRow();
      EXPECT_FALSE(set.HasFeature(0));
    }
    AddRow(&set, 1, CellState::kTyped);
    EXPECT_TRUE(set.HasFeature(0));
  }
}

TEST(ColumnFormsTest, ContentIsValuesOffsetsAndValidity) {
  const std::vector<plan::Slot> slots = {SlotOf(plan::SlotForm::kList)};
  ColumnSet set(1 << 20);
  set.Start(slots, /*keep_nulls=*/true);
  EXPECT_EQ(set.ContentBytes(), 0u);
  AddRow(&set, 3, CellState::kTyped);
  AddRow(&set, 0, CellState::kUnset);
  EXPECT_EQ(set.ContentBytes(),
            3 * sizeof(int64_t) + 2 * (sizeof(int32_t) + sizeof(uint8_t)));
}

TEST(ColumnFormsTest, KeptMemoryIsNotGivenToRows) {
  const std::vector<plan::Slot> slots = {SlotOf(plan::SlotForm::kList)};
  ColumnSet set(1 << 20);
  set.Start(slots, /*keep_nulls=*/true);
  AddRow(&set, 1, CellState::kTyped);
  ASSERT_TRUE(set.BeginRow());
  Builder* const builder = set.EnterCell(0);
  ASSERT_NE(builder, nullptr);
  constexpr size_t kMany = 20'000;
  set.KeepMemory(set.memory_left());
  EXPECT_FALSE(set.Reserve(builder, kMany));
  set.KeepMemory(0);
  EXPECT_TRUE(set.Reserve(builder, kMany));
}

}  // namespace
}  // namespace headrace::column
