// Make FeatureRows of a feature: from the builder while a batch is filled, or
// from the column of a batch.

#ifndef HEADRACE_SRC_STATS_COUNT_COLUMN_ROWS_H_
#define HEADRACE_SRC_STATS_COUNT_COLUMN_ROWS_H_

#include <cstdint>
#include <vector>

#include "headrace/batch.h"
#include "src/decode/column/column_set.h"
#include "src/stats/count/feature_rows.h"

namespace headrace::stats {

// The builder's set must mark cells without a kind, and be settled. Rows after
// the last one that has the feature are left out.
FeatureRows RowsOf(const column::Builder& builder);

class ColumnRows {
 public:
  // The rows are valid until the next call.
  FeatureRows Of(const Column& column);

 private:
  std::vector<uint8_t> marks_;
  std::vector<uint8_t> step_marks_;
  std::vector<int32_t> no_offsets_;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_COLUMN_ROWS_H_
