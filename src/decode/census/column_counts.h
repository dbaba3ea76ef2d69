// These add what the rows of a ColumnSet say of one feature to its count.

#ifndef HEADRACE_SRC_DECODE_CENSUS_COLUMN_COUNTS_H_
#define HEADRACE_SRC_DECODE_CENSUS_COLUMN_COUNTS_H_

#include <cstdint>

#include "src/decode/column/column_set.h"
#include "src/plan/infer/census.h"

namespace headrace::census {

// True if any row has a list with a kind, even an empty one. The column is of a
// feature.
bool HasTyped(const column::Builder& builder);

// The set marks cells without a kind, and is settled. The count has the kind of
// the column, which may be none for feature lists alone.
void AddColumn(const column::Builder& builder, FeatureCount* count);

}  // namespace headrace::census

#endif  // HEADRACE_SRC_DECODE_CENSUS_COLUMN_COUNTS_H_
