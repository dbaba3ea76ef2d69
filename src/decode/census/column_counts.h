// These add what the rows of a ColumnSet show of one feature to its count.

#ifndef HEADRACE_SRC_DECODE_CENSUS_COLUMN_COUNTS_H_
#define HEADRACE_SRC_DECODE_CENSUS_COLUMN_COUNTS_H_

#include <cstdint>

#include "src/decode/column/column_set.h"
#include "src/plan/infer/census.h"

namespace headrace::census {

// True if any row has a list with a kind, even an empty one. The column must be
// that of a feature, not of a feature list.
bool HasTyped(const column::Builder& builder);

// Adds the column to the count, which must have the column's kind; only feature
// lists may have none. The set must mark cells without a kind and be settled.
void AddColumn(const column::Builder& builder, FeatureCount* count);

}  // namespace headrace::census

#endif  // HEADRACE_SRC_DECODE_CENSUS_COLUMN_COUNTS_H_
