#include "src/tfds/steps/row_shape.h"

#include <algorithm>
#include <utility>

#include "src/base/convert.h"
#include "src/plan/compile/shape.h"

namespace headrace::steps {

std::optional<Sizes> RowShape(const FeatureConfig& config) {
  switch (config.layout) {
    case Layout::kFixedLen:
      return config.shape;
    case Layout::kRagged:
      return plan::RaggedShapeOf(config).dimensions;
    default:
      return std::nullopt;
  }
}

bool IsKnown(std::span<const int64_t> sizes) {
  return std::find(sizes.begin(), sizes.end(), kUnknownSize) == sizes.end();
}

FeatureConfig ConfigOfRows(const std::string& name, DType dtype, Sizes sizes,
                           DType splits) {
  const DType wire = WireTypeOf(dtype);
  FeatureConfig config;
  if (IsKnown(sizes)) {
    config = FixedLen(wire, std::move(sizes));
  } else {
    config = Ragged(wire);
    // One list of values needs neither partitions nor a shape.
    for (size_t i = 1; i < sizes.size(); ++i) {
      config.partitions.push_back(
          {.key = name + "#lengths_" + std::to_string(i)});
    }
    if (sizes.size() > 1) config.shape = std::move(sizes);
    config.row_splits_dtype = splits;
  }
  if (wire != dtype) config.as = dtype;
  return config;
}

}  // namespace headrace::steps
