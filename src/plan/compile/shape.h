// Shapes of rows, and RaggedShape: the shape of a ragged row, combined from a
// feature's shape, partitions and item_shape.

#ifndef HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_
#define HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"

namespace headrace::plan {

// Values of the largest row or padding unit: 32-bit offsets can count them.
inline constexpr size_t kMaxElements = (size_t{1} << 31) - 1;

// Sets `elements` to the product of the dimensions. Returns false if there are
// too many values, or if a dimension is negative.
bool CountElements(std::span<const int64_t> shape, size_t* elements);

// Returns a text like "[2, 3]".
std::string ShapeText(std::span<const int64_t> shape);

// For example, row_lengths with shape [-1, -1, 3] have the dimensions -1, -1
// and 3: two levels of row splits, then items of shape [3]. The partition has
// the lengths of the second level, and the number of values follows from them.
struct RaggedShape {
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  // Outermost first; -1 where rows differ.
  std::vector<int64_t> dimensions = {};
  // Dimensions with row splits, at least one; the others are those of an item.
  size_t num_levels = 1;
  // Partitions that cut the values, into the dimensions after the first.
  // Uniform ones at the end are not counted: their lengths are known.
  size_t num_cuts = 0;
  // Encoded values are arrays; dimensions from array_begin on are theirs.
  bool has_arrays = false;
  bool has_unknown_arrays = false;  // one of their dimensions is -1
  bool has_partitions = false;      // uniform ones at the end count, too
  size_t array_begin = 0;
  // The dimension that follows from the number of values, or kNone.
  size_t derived = kNone;
  // The number of values is a multiple of `unit`, and equal to it if
  // has_exact_count().
  size_t unit = 1;
  // Rows of all partitions together, if there are partitions and a derived
  // dimension: the dimensions before it are then known.
  size_t num_cut_rows = 1;

  std::span<const int64_t> item() const {
    return std::span(dimensions).subspan(num_levels);
  }
  // Whether the number of values is known: without cuts only a derived
  // dimension leaves it open.
  bool has_exact_count() const { return num_cuts == 0 && derived == kNone; }
  // Whether a row is just its values, of any number.
  bool is_plain() const {
    return !has_arrays && dimensions.size() == 1 && derived == 0;
  }

  bool operator==(const RaggedShape&) const = default;
};

// Returns the shape of rows of a ragged feature. The feature's shape, if set,
// must have a dimension for the row and for each partition.
RaggedShape RaggedShapeOf(const FeatureConfig& config);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_
