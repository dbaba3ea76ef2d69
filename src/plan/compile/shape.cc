#include "src/plan/compile/shape.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "src/base/checked_math.h"

namespace headrace::plan {
namespace {

// Returns the dimensions that precede the arrays' own. Without a shape there is
// one for the row and one for each partition; a row that is one array has none.
std::vector<int64_t> CutDimensions(const FeatureConfig& config) {
  std::vector<int64_t> dimensions = config.shape;
  const std::vector<Partition>& partitions = config.partitions;
  const bool is_one_array = config.item_shape && partitions.empty();
  if (dimensions.empty() && !is_one_array) {
    dimensions.assign(partitions.size() + 1, -1);
  }
  for (size_t i = 0; i < partitions.size(); ++i) {
    if (partitions[i].type == PartitionType::kUniformRowLength) {
      dimensions[i + 1] = partitions[i].uniform_row_length;
    }
  }
  return dimensions;
}

// Returns at most the largest size_t: the product of uniform row lengths may be
// more than any number of values.
size_t CappedProduct(std::span<const int64_t> dimensions) {
  size_t product = 1;
  for (const int64_t dimension : dimensions) {
    if (dimension < 0) continue;
    if (!CheckedMul(product, static_cast<uint64_t>(dimension), &product)) {
      product = std::numeric_limits<size_t>::max();
    }
  }
  return product;
}

}  // namespace

bool CountElements(std::span<const int64_t> shape, size_t* elements) {
  *elements = 1;
  bool is_empty = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return false;
    is_empty |= dimension == 0;
    if (dimension > 0 &&
        (!CheckedMul(*elements, static_cast<uint64_t>(dimension), elements) ||
         *elements > kMaxElements)) {
      return false;
    }
  }
  if (is_empty) *elements = 0;
  return true;
}

std::string ShapeText(std::span<const int64_t> shape) {
  return "[" + absl::StrJoin(shape, ", ") + "]";
}

RaggedShape RaggedShapeOf(const FeatureConfig& config) {
  RaggedShape shape{.dimensions = CutDimensions(config),
                    .num_cuts = config.partitions.size(),
                    .has_arrays = config.item_shape.has_value(),
                    .has_partitions = !config.partitions.empty()};
  while (shape.num_cuts > 0 && config.partitions[shape.num_cuts - 1].type ==
                                   PartitionType::kUniformRowLength) {
    --shape.num_cuts;
  }
  shape.array_begin = shape.dimensions.size();
  // Dimensions after those of the partitions can follow from the count.
  size_t first = shape.num_cuts == 0 ? 0 : shape.num_cuts + 1;
  for (size_t i = first; i < shape.array_begin; ++i) {
    if (shape.dimensions[i] < 0) shape.derived = i;
  }
  if (shape.derived != RaggedShape::kNone) {
    shape.num_cut_rows =
        CappedProduct(std::span(shape.dimensions).first(first));
    first = 0;
  }
  shape.unit = CappedProduct(std::span(shape.dimensions).subspan(first));
  if (config.item_shape) {
    shape.dimensions.insert(shape.dimensions.end(), config.item_shape->begin(),
                            config.item_shape->end());
  }
  const auto last = std::find(shape.dimensions.rbegin(),
                              shape.dimensions.rend(), int64_t{-1});
  const auto known_from = static_cast<size_t>(shape.dimensions.rend() - last);
  shape.has_unknown_arrays = known_from > shape.array_begin;
  shape.num_levels = std::max<size_t>(1, known_from);
  return shape;
}

}  // namespace headrace::plan
