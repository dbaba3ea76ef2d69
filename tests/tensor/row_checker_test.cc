// Which rows a RowChecker asks to see.

#include "src/decode/tensor/row_checker.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/feature_spec.h"
#include "src/decode/column/column_set.h"
#include "src/plan/compile/program.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {
namespace {

class CheckedRows {
 public:
  CheckedRows(const FeatureSpec& spec, uint64_t budget)
      : program_(OrThrow(plan::Program::ForSpec(spec))), columns_(budget) {
    columns_.Start(program_->slots(), /*keep_nulls=*/false);
    checker_.Start(*program_);
  }

  // Adds a row with so many values of the first slot. Whether it was looked at.
  bool Add(size_t values, ErrorCode expected = ErrorCode::kOk) {
    EXPECT_TRUE(columns_.BeginRow());
    column::Builder* const builder = columns_.EnterCell(0);
    EXPECT_TRUE(columns_.Reserve(builder, values));
    std::fill_n(reinterpret_cast<int64_t*>(builder->values) + builder->count,
                values, int64_t{1});
    builder->count += values;
    columns_.LeaveCell(builder, column::CellState::kTyped);
    const bool looks = checker_.LooksAtFilled(columns_);
    if (looks) {
      EXPECT_EQ(checker_.Check(&columns_, /*dense_are_filled=*/true), expected);
    }
    if (expected == ErrorCode::kOk) {
      columns_.CommitRow();
    } else {
      columns_.RollBackRow();
    }
    return looks;
  }
  column::ColumnSet& columns() { return columns_; }

 private:
  std::shared_ptr<const plan::Program> program_;
  column::ColumnSet columns_;
  tensor::RowChecker checker_;
};

std::vector<FeatureSpec> SpecsThatTakeAnyRow() {
  FeatureConfig cut = VarLen(DType::kInt64);
  cut.pad_to = 2;
  cut.truncate = true;
  return {FeatureSpec().Add("x", VarLen(DType::kInt64)),
          FeatureSpec().Add("x", Ragged(DType::kInt64)),
          FeatureSpec().Add("x", cut)};
}

constexpr uint64_t kPlenty = uint64_t{1} << 30;

// Where nothing can be wrong, rows are looked at when columns have grown.
TEST(RowCheckerTest, RowsThatAnyTensorTakes) {
  for (const FeatureSpec& spec : SpecsThatTakeAnyRow()) {
    CheckedRows rows(spec, kPlenty);
    EXPECT_TRUE(rows.Add(1));
    const uint64_t growths = rows.columns().num_growths();
    for (size_t i = 1; i < 64; ++i) EXPECT_FALSE(rows.Add(1)) << i;
    EXPECT_EQ(rows.columns().num_growths(), growths);
    // There was room for 64 values and 256 rows.
    EXPECT_TRUE(rows.Add(1));
    for (size_t i = 65; i < 100; ++i) EXPECT_FALSE(rows.Add(1)) << i;
    for (size_t i = 100; i < 256; ++i) rows.Add(0);
    EXPECT_TRUE(rows.Add(0));
    EXPECT_FALSE(rows.Add(0));
  }
}

TEST(RowCheckerTest, RowsThatMayBeWrong) {
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.pad_to = 2;
  FeatureConfig narrow = VarLen(DType::kInt64);
  narrow.as = DType::kInt8;
  for (const FeatureConfig& config :
       {padded, narrow, FixedLenSequence(DType::kInt64, {2}, true)}) {
    CheckedRows rows(FeatureSpec().Add("x", config), kPlenty);
    for (size_t i = 0; i < 10; ++i) EXPECT_TRUE(rows.Add(2)) << i;
  }
}

TEST(RowCheckerTest, RowsOfDenseTensors) {
  CheckedRows rows(FeatureSpec().Add("x", FixedLen(DType::kInt64)), kPlenty);
  for (size_t i = 0; i < 10; ++i) EXPECT_FALSE(rows.Add(1)) << i;
}

// Near the end of the budget each row is looked at, so that none is taken whose
// tensors would not fit.
TEST(RowCheckerTest, RowsNearTheEndOfTheBudget) {
  for (const FeatureSpec& spec : SpecsThatTakeAnyRow()) {
    CheckedRows rows(spec, /*budget=*/8192);
    for (size_t i = 0; i < 20; ++i) EXPECT_TRUE(rows.Add(1)) << i;
  }
  // A row that the tensor has no room for, though the column has.
  FeatureConfig wide = VarLen(DType::kInt64);
  wide.pad_to = 100;
  wide.truncate = true;
  CheckedRows rows(FeatureSpec().Add("x", wide), /*budget=*/10'000);
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(rows.Add(1)) << i;
  EXPECT_TRUE(rows.Add(1, ErrorCode::kLimit));
}

}  // namespace
}  // namespace headrace::testing
