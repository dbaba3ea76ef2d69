// The dimensions of a row, as a feature's config has them.

#ifndef HEADRACE_SRC_TFDS_STEPS_ROW_SHAPE_H_
#define HEADRACE_SRC_TFDS_STEPS_ROW_SHAPE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/types.h"

namespace headrace::steps {

inline constexpr int64_t kUnknownSize = -1;

using Sizes = std::vector<int64_t>;

// The dimensions of a row, outermost first, kUnknownSize where rows differ;
// empty for layouts whose rows are not simply arrays (sparse, padded).
std::optional<Sizes> RowShape(const FeatureConfig& config);

// Whether the row is a dense array.
bool IsKnown(std::span<const int64_t> sizes);

// A feature whose tensor has this type and rows of this shape: fixed_len where
// it is known, otherwise ragged, with partitions of keys that no record has and
// splits of the type given. `name` is that of the feature.
FeatureConfig ConfigOfRows(const std::string& name, DType dtype, Sizes sizes,
                           DType splits);

}  // namespace headrace::steps

#endif  // HEADRACE_SRC_TFDS_STEPS_ROW_SHAPE_H_
