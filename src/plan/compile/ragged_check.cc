#include "src/plan/compile/ragged_check.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/plan/compile/ragged_shape.h"
#include "src/plan/compile/shape.h"

namespace headrace::plan {
namespace {

// Multiplies the known dimensions. Leaves out zeros, so that the product bounds
// every part of the shape, too. Returns false if it is too large, or if a
// dimension is less than -1.
bool CountKnown(std::span<const int64_t> shape, size_t* known) {
  std::vector<int64_t> dimensions;
  for (const int64_t dimension : shape) {
    if (dimension < -1) return false;
    if (dimension > 0) dimensions.push_back(dimension);
  }
  return CountElements(dimensions, known);
}

// Returns why the number of values cannot determine the shape, or nothing.
std::string Undetermined(const RaggedShape& ragged,
                         const std::vector<Partition>& partitions) {
  const auto own = std::span(ragged.dimensions).first(ragged.array_begin);
  const bool has_zero = std::find(own.begin(), own.end(), 0) != own.end();
  if (ragged.derived != RaggedShape::kNone) {
    if (std::count(own.begin(), own.end(), -1) > 1) {
      return "has two unknown dimensions, and the number of values determines "
             "only one";
    }
    if (has_zero) {
      return "has a dimension of 0, so that no number of values determines "
             "the unknown one";
    }
  } else if (ragged.num_cuts > 0 && ragged.unit == 0 &&
             partitions[ragged.num_cuts - 1].type ==
                 PartitionType::kRowStarts) {
    return "has a dimension of 0, so that the end of the last row of its "
           "row_starts is unknown";
  }
  return {};
}

// Checks the shape of a ragged row, not that of the arrays in its values.
Status CheckRaggedShape(const NamedFeature& feature) {
  const FeatureConfig& config = feature.config;
  if (config.layout != Layout::kRagged) return Status();
  const std::vector<Partition>& partitions = config.partitions;
  const std::string shape_text = "has shape " + ShapeText(config.shape);
  if (!config.shape.empty() && config.shape.size() <= partitions.size()) {
    return BadFeature(feature,
                      shape_text + ", which needs a dimension more than the " +
                          std::to_string(partitions.size()) + " partitions",
                      "S12");
  }
  for (size_t i = 0; i < partitions.size() && !config.shape.empty(); ++i) {
    const int64_t length = partitions[i].uniform_row_length;
    if (partitions[i].type != PartitionType::kUniformRowLength ||
        config.shape[i + 1] == -1 || config.shape[i + 1] == length) {
      continue;
    }
    return BadFeature(feature,
                      shape_text + " beside a uniform row length of " +
                          std::to_string(length),
                      "S12");
  }
  const RaggedShape ragged = RaggedShapeOf(config);
  size_t known;
  if (!config.shape.empty() &&
      !CountKnown(std::span(ragged.dimensions).first(ragged.array_begin),
                  &known)) {
    return BadFeature(feature,
                      shape_text +
                          "; dimensions are -1 or not negative, and the "
                          "product of the known ones is less than 2^31",
                      "S12");
  }
  const std::string undetermined = Undetermined(ragged, partitions);
  if (undetermined.empty()) return Status();
  return BadFeature(feature, shape_text + " and " + undetermined, "S12");
}

Status CheckArrays(const NamedFeature& feature) {
  const FeatureConfig& config = feature.config;
  const std::vector<int64_t>& shape = *config.item_shape;
  const std::string shape_text = "has item shape " + ShapeText(shape);
  std::vector<int64_t> all = shape;
  all.insert(all.end(), config.shape.begin(), config.shape.end());
  all.push_back(static_cast<int64_t>(DTypeSize(*config.as)));
  size_t known;
  if (!CountKnown(all, &known)) {
    return BadFeature(feature,
                      shape_text +
                          "; dimensions are -1 or not negative, and the known "
                          "ones have less than 2^31 bytes with the shape",
                      "S13");
  }
  const auto unknown = std::count(shape.begin(), shape.end(), -1);
  if ((unknown > 1) != config.item_shape_key.has_value() ||
      (config.item_shape_key && config.item_shape_key->empty())) {
    return BadFeature(
        feature,
        shape_text + (unknown > 1 ? ", of which two are unknown, and needs "
                                    "the item_shape_key of a feature that "
                                    "has them"
                                  : ", which needs no item_shape_key"),
        "S13");
  }
  if (unknown == 1 && std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return BadFeature(feature,
                      shape_text +
                          ", and the size of an array without elements does "
                          "not determine the unknown dimension",
                      "S13");
  }
  if (config.shape.empty() && config.partitions.empty() && shape.empty()) {
    return BadFeature(feature, "is one value per row, which fixed_len reads",
                      "S13");
  }
  return Status();
}

Status CheckEncoding(const NamedFeature& feature, const FeaturePlace& place) {
  const FeatureConfig& config = feature.config;
  const bool is_ragged = config.layout == Layout::kRagged;
  if (config.encoding != Encoding::kRaw && !Reinterprets(config)) {
    return BadFeature(
        feature, "is encoded as zlib, which only bytes read as numbers are",
        "S13");
  }
  if (config.item_shape_key && !config.item_shape) {
    return BadFeature(feature, "has an item_shape_key, but no item shape",
                      "S13");
  }
  if (is_ragged && Reinterprets(config) && !config.item_shape) {
    return BadFeature(
        feature, "is bytes read as numbers and needs an item shape", "S13");
  }
  if (!config.item_shape) return Status();
  if (!is_ragged || !Reinterprets(config) || place.in_sequence) {
    return BadFeature(feature,
                      "has an item shape, which only ragged bytes read as "
                      "numbers outside feature lists have",
                      "S13");
  }
  return CheckArrays(feature);
}

Status CheckGroup(const NamedFeature& feature, const FeaturePlace& place) {
  const FeatureConfig& config = feature.config;
  if (config.group.empty()) return Status();
  if (config.layout != Layout::kRagged || place.in_sequence) {
    return BadFeature(feature,
                      "is in a group, where only ragged features outside "
                      "feature lists are",
                      "S14");
  }
  if (RaggedShapeOf(config).array_begin == 0) {
    return BadFeature(feature,
                      "is in a group, but has one value per row and no length",
                      "S14");
  }
  return Status();
}

}  // namespace

Status CheckRaggedRow(const NamedFeature& feature, const FeaturePlace& place) {
  Status status = CheckRaggedShape(feature);
  if (status.ok()) status = CheckEncoding(feature, place);
  if (status.ok()) status = CheckGroup(feature, place);
  return status;
}

}  // namespace headrace::plan
