// RaggedShape is the shape of a ragged row, put together from a feature's
// shape, partitions and item_shape.

#ifndef HEADRACE_SRC_PLAN_COMPILE_RAGGED_SHAPE_H_
#define HEADRACE_SRC_PLAN_COMPILE_RAGGED_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "headrace/feature_spec.h"

namespace headrace::plan {

// For example, row_lengths with shape [-1, -1, 3] have the dimensions -1, -1
// and 3: two levels of row splits, then items of shape [3]. The lengths in the
// second one are the numbers of the partition; the number of values follows.
struct RaggedShape {
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // Outermost first; -1 where rows differ.
  std::vector<int64_t> dimensions = {};
  // The first dimensions have row splits, at least one has; those behind them
  // are the shape of an item.
  size_t num_levels = 1;
  // So many partitions cut the values, into the dimensions after the first.
  // Uniform ones at the end are none of them: their lengths are known.
  size_t num_cuts = 0;
  // From here on dimensions are those of the arrays in encoded values.
  bool has_arrays = false;
  bool has_unknown_arrays = false;  // one of them is -1
  bool has_partitions = false;      // uniform ones at the end are some, too
  size_t array_begin = 0;
  // This dimension follows from the number of values; kNone where none does.
  size_t derived = kNone;
  // The number of values is a multiple of this, and exactly this where nothing
  // is left to follow from it.
  size_t unit = 1;
  // With partitions and a derived dimension all before it are known, and so is
  // how many rows the partitions have together.
  size_t num_cut_rows = 1;

  std::span<const int64_t> item() const {
    return std::span(dimensions).subspan(num_levels);
  }
  // Without partitions nothing but a derived dimension is left open.
  bool has_exact_count() const { return num_cuts == 0 && derived == kNone; }
  // A row is its values, whatever their number.
  bool is_plain() const {
    return !has_arrays && dimensions.size() == 1 && derived == 0;
  }

  bool operator==(const RaggedShape&) const = default;
};

// The feature is ragged, and its shape has a dimension for each partition.
RaggedShape RaggedShapeOf(const FeatureConfig& config);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_RAGGED_SHAPE_H_
