#include "src/plan/compile/feature_check.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/plan/compile/shape.h"

namespace headrace::plan {
namespace {

bool IsWireType(DType dtype) {
  return dtype == DType::kInt64 || dtype == DType::kFloat ||
         dtype == DType::kBytes;
}

bool HasType(const DefaultValues& values, DType dtype) {
  switch (dtype) {
    case DType::kInt64:
      return std::holds_alternative<std::vector<int64_t>>(values);
    case DType::kFloat:
      return std::holds_alternative<std::vector<float>>(values);
    default:
      return std::holds_alternative<std::vector<std::string>>(values);
  }
}

// Whether default values, which have the type of the feature, fit the type of
// the tensor.
bool Fits(const DefaultValues& values, const FeatureConfig& config) {
  if (config.as_bits) return true;
  const DType to = *config.as;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&values)) {
    return FindUnfit(DType::kInt64, to, ints->data(), ints->size()) ==
           ints->size();
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
    return FindUnfit(DType::kFloat, to, floats->data(), floats->size()) ==
           floats->size();
  }
  return true;
}

bool CanBecome(const FeatureConfig& config, DType to) {
  switch (config.dtype) {
    case DType::kInt64:
      return to == DType::kInt64 || to == DType::kInt32 ||
             to == DType::kInt16 || to == DType::kInt8 || to == DType::kBool ||
             to == DType::kUint64 || to == DType::kUint32 ||
             to == DType::kUint16 || to == DType::kUint8;
    case DType::kFloat:
      return to == DType::kFloat || to == DType::kFloat16 ||
             to == DType::kBfloat16 || to == DType::kFloat64;
    default:
      return to == DType::kBytes || config.layout == Layout::kFixedLen ||
             config.layout == Layout::kRagged;
  }
}

Status CheckPlace(const NamedFeature& feature, const FeaturePlace& place) {
  const Layout layout = feature.config.layout;
  if (!IsWireType(feature.config.dtype)) {
    return BadFeature(feature,
                      "has type " +
                          std::string(DTypeName(feature.config.dtype)) +
                          "; records hold int64, float or bytes",
                      "S2");
  }
  const bool sequence = place.message == MessageType::kSequence;
  const bool allowed = place.in_sequence ? layout != Layout::kFixedLen &&
                                               layout != Layout::kSparse
                       : !sequence ? true
                                   : layout != Layout::kFixedLenSequence &&
                                         (layout != Layout::kSparse ||
                                          place.dialect == Dialect::kSchema);
  if (allowed) return Status();
  return BadFeature(
      feature,
      "is " + std::string(LayoutName(layout)) + ", which " +
          (place.in_sequence ? "a feature list" : "a context feature") +
          " cannot be",
      "S3");
}

Status CheckShape(const NamedFeature& feature, const FeaturePlace& place,
                  size_t* elements) {
  const FeatureConfig& config = feature.config;
  *elements = 1;
  const bool is_sequence = config.layout == Layout::kFixedLenSequence;
  if (config.layout != Layout::kFixedLen && !is_sequence) return Status();
  if (!CountElements(config.shape, elements)) {
    return BadFeature(
        feature,
        "has shape " + ShapeText(config.shape) +
            "; dimensions are not negative, and their product is less "
            "than 2^31",
        "S4");
  }
  if (is_sequence && *elements == 0) {
    return BadFeature(feature,
                      "has shape " + ShapeText(config.shape) +
                          ", which has no elements to make a sequence of",
                      "S4");
  }
  if (is_sequence && !place.in_sequence && !config.allow_missing) {
    return BadFeature(feature, "needs allow_missing: true in an Example", "S6");
  }
  return Status();
}

Status CheckDefault(const NamedFeature& feature, const FeaturePlace& place,
                    size_t elements) {
  const FeatureConfig& config = feature.config;
  if (!config.unfit_default.empty()) {
    return BadFeature(feature,
                      "has a default of " + config.unfit_default +
                          ", which does not fit " +
                          std::string(DTypeName(config.dtype)),
                      "S5");
  }
  if (!config.default_values) return Status();
  const bool fixed = config.layout == Layout::kFixedLen;
  if (!fixed && config.layout != Layout::kFixedLenSequence) {
    return BadFeature(feature,
                      "has a default, which " +
                          std::string(LayoutName(config.layout)) +
                          " does not use",
                      "S5");
  }
  if (place.in_sequence) {
    return BadFeature(feature,
                      "has a default, which a feature list cannot have", "S5");
  }
  if (Reinterprets(config)) {
    return BadFeature(
        feature,
        config.encoding == Encoding::kTensorProto
            ? "is read from TensorProtos and cannot have a default"
            : "is read from raw bytes and cannot have a default",
        "S5");
  }
  if (!HasType(*config.default_values, config.dtype)) {
    return BadFeature(feature,
                      "has a default of another type than " +
                          std::string(DTypeName(config.dtype)),
                      "S5");
  }
  const size_t count = CountDefaults(*config.default_values);
  const size_t expected = fixed ? elements : 1;
  if (count != expected) {
    return BadFeature(feature,
                      "has a default of " + std::to_string(count) +
                          " values, needs exactly " + std::to_string(expected),
                      "S5");
  }
  return Status();
}

Status CheckSparse(const NamedFeature& feature, const FeaturePlace& place) {
  const FeatureConfig& config = feature.config;
  if (config.layout != Layout::kSparse) {
    if (config.index_keys.empty() && config.size.empty()) return Status();
    return BadFeature(feature, "has index keys or sizes, but is not sparse",
                      "S7");
  }
  const bool any_keys = place.dialect == Dialect::kSchema;
  if (!any_keys && (config.index_keys.empty() || feature.key().empty())) {
    return BadFeature(feature, "needs index keys and the key of its values",
                      "S7");
  }
  for (const std::string& key : config.index_keys) {
    if (key.empty() && !any_keys) {
      return BadFeature(feature, "has an empty index key", "S7");
    }
  }
  if (config.index_keys.size() != config.size.size()) {
    return BadFeature(feature,
                      "has " + std::to_string(config.index_keys.size()) +
                          " index keys but " +
                          std::to_string(config.size.size()) + " sizes",
                      "S7");
  }
  for (const int64_t size : config.size) {
    if (size < -1) return BadFeature(feature, "has a negative size", "S7");
  }
  return Status();
}

Status CheckRagged(const NamedFeature& feature, const FeaturePlace& place) {
  const FeatureConfig& config = feature.config;
  if (config.layout != Layout::kRagged) {
    if (config.partitions.empty()) return Status();
    return BadFeature(feature, "has partitions, but is not ragged", "S8");
  }
  const bool any_keys = place.dialect == Dialect::kSchema;
  if (feature.key().empty() && !any_keys) {
    return BadFeature(
        feature, "is ragged and needs a value key that is not empty", "S8");
  }
  if (config.row_splits_dtype != DType::kInt32 &&
      config.row_splits_dtype != DType::kInt64) {
    return BadFeature(feature,
                      "has row splits that are neither int32 nor int64", "S8");
  }
  for (const Partition& partition : config.partitions) {
    if (partition.type != PartitionType::kUniformRowLength) {
      if (!partition.key.empty() || any_keys) continue;
      return BadFeature(feature,
                        "has a partition " +
                            std::string(PartitionTypeName(partition.type)) +
                            " without a key",
                        "S8");
    }
    if (partition.uniform_row_length <= 0) {
      return BadFeature(feature,
                        "has a uniform row length of " +
                            std::to_string(partition.uniform_row_length) +
                            ", which must be positive",
                        "S8");
    }
  }
  return Status();
}

Status CheckType(const NamedFeature& feature, size_t elements) {
  const FeatureConfig& config = feature.config;
  if (config.as_bits &&
      (config.dtype != DType::kInt64 || config.as != DType::kUint64)) {
    return BadFeature(feature, "sets as_bits, which needs int64 as uint64",
                      "S10");
  }
  // CompileChain knows what functions return.
  if (!config.as || !config.map.empty()) return Status();
  if (!CanBecome(config, *config.as)) {
    return BadFeature(feature,
                      "is " + std::string(DTypeName(config.dtype)) +
                          ", which cannot be read as " +
                          std::string(DTypeName(*config.as)),
                      "S10");
  }
  if (config.default_values && !Fits(*config.default_values, config)) {
    return BadFeature(
        feature,
        "has a default that does not fit " + std::string(DTypeName(*config.as)),
        "S10");
  }
  size_t bytes;
  if (Reinterprets(config) &&
      (!CheckedMul(elements, DTypeSize(*config.as), &bytes) ||
       bytes > kMaxElements)) {
    return BadFeature(feature, "is larger than 2^31 bytes", "S10");
  }
  return Status();
}

Status CheckFunctions(const NamedFeature& feature) {
  const FeatureConfig& config = feature.config;
  if (config.map.empty()) return Status();
  if (config.encoding != Encoding::kRaw) {
    return BadFeature(feature, "has both an encoding and functions", "B10");
  }
  if (config.as_bits) {
    return BadFeature(feature, "has both as_bits and functions", "B10");
  }
  return Status();
}

Status CheckPadding(const NamedFeature& feature, const FeaturePlace& place) {
  const FeatureConfig& config = feature.config;
  if (!config.pad_to) {
    if (!config.truncate) return Status();
    return BadFeature(feature, "sets truncate, which needs pad_to", "S11");
  }
  if (config.layout != Layout::kVarLen || place.in_sequence) {
    return BadFeature(feature,
                      "is padded, which only var_len outside feature lists "
                      "can be",
                      "S11");
  }
  if (*config.pad_to <= 0 ||
      static_cast<uint64_t>(*config.pad_to) > kMaxElements) {
    return BadFeature(feature,
                      "is padded to " + std::to_string(*config.pad_to) +
                          ", which must be positive and less than 2^31",
                      "S11");
  }
  return Status();
}

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

// Returns why the number of values cannot determine the shape, or an empty
// text.
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
  const bool has_shapes = config.encoding == Encoding::kTensorProto;
  size_t known;
  if (!CountKnown(all, &known)) {
    return BadFeature(feature,
                      shape_text +
                          "; dimensions are -1 or not negative, and the known "
                          "ones have less than 2^31 bytes with the shape",
                      "S13");
  }
  const auto unknown = std::count(shape.begin(), shape.end(), -1);
  if (has_shapes && config.item_shape_key) {
    return BadFeature(feature,
                      "has an item_shape_key, but a TensorProto has its shape",
                      "S13");
  }
  if ((unknown > 1 && !has_shapes) != config.item_shape_key.has_value() ||
      (config.item_shape_key && config.item_shape_key->empty())) {
    return BadFeature(
        feature,
        shape_text + (unknown > 1 ? ", which has more than one unknown "
                                    "dimension and needs an "
                                    "item_shape_key: the key of a feature "
                                    "that holds the dimensions"
                                  : ", which needs no item_shape_key"),
        "S13");
  }
  if (unknown == 1 && !has_shapes &&
      std::find(shape.begin(), shape.end(), 0) != shape.end()) {
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
  if (config.encoding == Encoding::kZlib && !Reinterprets(config)) {
    return BadFeature(
        feature, "is encoded as zlib, which only bytes read as numbers can be",
        "S13");
  }
  if (config.encoding == Encoding::kTensorProto) {
    if (config.dtype != DType::kBytes ||
        (config.layout != Layout::kFixedLen && !is_ragged)) {
      return BadFeature(feature,
                        "is encoded as tensor_proto, which only the bytes of "
                        "fixed_len and ragged can be",
                        "S13");
    }
    if (!config.as) {
      return BadFeature(feature,
                        "is encoded as tensor_proto and needs `as`, the type "
                        "of the tensors",
                        "S13");
    }
  }
  if (config.item_shape_key && !config.item_shape) {
    return BadFeature(feature, "has an item_shape_key, but no item shape",
                      "S13");
  }
  if (is_ragged && Reinterprets(config) && !config.item_shape) {
    return BadFeature(feature,
                      config.encoding == Encoding::kTensorProto
                          ? "is encoded as tensor_proto and needs an item shape"
                          : "is bytes read as numbers and needs an item shape",
                      "S13");
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
                      "is in a group, which only ragged features outside "
                      "feature lists can be",
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

size_t CountDefaults(const DefaultValues& values) {
  return std::visit([](const auto& list) { return list.size(); }, values);
}

Status CheckFeature(const NamedFeature& feature, const FeaturePlace& place,
                    size_t* elements) {
  Status status = CheckPlace(feature, place);
  if (status.ok()) status = CheckShape(feature, place, elements);
  if (status.ok()) status = CheckDefault(feature, place, *elements);
  if (status.ok()) status = CheckSparse(feature, place);
  if (status.ok()) status = CheckRagged(feature, place);
  if (status.ok()) status = CheckFunctions(feature);
  if (status.ok()) status = CheckType(feature, *elements);
  if (status.ok()) status = CheckRaggedShape(feature);
  if (status.ok()) status = CheckEncoding(feature, place);
  if (status.ok()) status = CheckGroup(feature, place);
  if (status.ok()) status = CheckPadding(feature, place);
  return status;
}

}  // namespace headrace::plan
