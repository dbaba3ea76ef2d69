// The dimensions of a row, from and to a feature's config.

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

// Returns the dimensions of a row, outermost first, kUnknownSize where rows
// differ. Returns nullopt for layouts whose rows are not simply arrays (sparse,
// padded).
std::optional<Sizes> RowShape(const FeatureConfig& config);

// Whether the row is a dense array.
bool IsKnown(std::span<const int64_t> sizes);

// Returns the config of the feature `name` whose tensor has this type and rows
// of this shape: fixed_len if it is known, otherwise ragged, with partitions of
// keys that no record has and with splits of type `splits`.
FeatureConfig ConfigOfRows(const std::string& name, DType dtype, Sizes sizes,
                           DType splits);

}  // namespace headrace::steps

#endif  // HEADRACE_SRC_TFDS_STEPS_ROW_SHAPE_H_
