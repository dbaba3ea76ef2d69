// FeatureOf makes the feature of a spec that reads a leaf (rules E1 to E8, X3).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/base/text/quote.h"
#include "src/tfds/folder/leaves.h"

namespace headrace::tfds {
namespace {

// Maximum number of elements of a default, all of which the spec has to hold.
constexpr size_t kMaxDefaults = size_t{1} << 24;

// Returns the type of elements in memory; nullopt if headrace does not have it.
std::optional<DType> ElementType(std::string_view dtype) {
  if (dtype == "string") return DType::kBytes;
  if (dtype == "float32" || dtype == "complex64") return DType::kFloat;
  if (dtype == "complex128") return DType::kFloat64;
  // ParseDType knows these names, but numpy does not.
  if (dtype == "float" || dtype == "bytes") return std::nullopt;
  return ParseDType(dtype);
}

size_t NumUnknown(const std::vector<int64_t>& dimensions) {
  return static_cast<size_t>(std::ranges::count(dimensions, -1));
}

std::vector<int64_t> Joined(std::vector<int64_t> outer,
                            const std::vector<int64_t>& inner) {
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

// Returns the values that records without an optional feature get (E5).
DefaultValues LeastValues(DType dtype, size_t number) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (dtype) {
    case DType::kBytes:
      return std::vector<std::string>(number);
    case DType::kFloat:
    case DType::kBfloat16:
      return std::vector<float>(number, std::numeric_limits<float>::lowest());
    case DType::kFloat16:
      return std::vector<float>(number, -65504.0F);
    case DType::kFloat64:
      return std::vector<float>(number, -kInfinity);
    case DType::kInt64:
      return std::vector<int64_t>(number, std::numeric_limits<int64_t>::min());
    case DType::kInt32:
      return std::vector<int64_t>(number, std::numeric_limits<int32_t>::min());
    case DType::kInt16:
      return std::vector<int64_t>(number, std::numeric_limits<int16_t>::min());
    case DType::kInt8:
      return std::vector<int64_t>(number, std::numeric_limits<int8_t>::min());
    default:
      return std::vector<int64_t>(number, 0);
  }
}

class FeatureMaker {
 public:
  FeatureMaker(const Leaf& leaf, DType dtype, FeatureConfig* feature)
      : leaf_(leaf), dtype_(dtype), feature_(feature) {}

  // Like the functions it calls, returns a problem; empty if there is none.
  std::string Make() {
    std::string problem = leaf_.node.encoding && !leaf_.node.is_file
                              ? MakeEncoded()
                              : MakePlain();
    const bool differs = !leaf_.lengths.empty() && leaf_.lengths[0] == -1;
    if (leaf_.dataset && differs) {
      // The name of a group must not be empty.
      feature_->group = leaf_.dataset->empty() ? "/" : *leaf_.dataset;
    }
    return problem;
  }

 private:
  std::string MakeEncoded() {
    if (dtype_ == DType::kBytes) {
      return "strings cannot be encoded: their elements have no fixed size "
             "(E2)";
    }
    feature_->dtype = DType::kBytes;
    feature_->as = dtype_;
    feature_->encoding = *leaf_.node.encoding;
    const size_t num_unknown = NumUnknown(leaf_.shape);
    std::vector<int64_t> shape = leaf_.shape;
    if (is_complex()) {
      if (num_unknown >= 2) {
        return "complex numbers of which two dimensions differ from value to "
               "value (E3)";
      }
      shape.push_back(2);  // a complex number is a pair of floats
    }
    if (rank() == 0 && num_unknown == 0) {
      feature_->layout = Layout::kFixedLen;
      feature_->shape = std::move(shape);
      return std::string();
    }
    feature_->layout = Layout::kRagged;
    feature_->shape = leaf_.lengths;
    feature_->item_shape = std::move(shape);
    const std::string inner = rank() >= 2 ? "/ragged_flat_values" : "";
    std::string key = leaf_.path();
    if (num_unknown >= 2) {
      feature_->item_shape_key = key + "/shape" + inner;
      key += "/value";
    }
    AddPartitions(key);
    key += inner;
    if (key != leaf_.path()) feature_->value_key = key;
    return std::string();
  }

  std::string MakePlain() {
    if (dtype_ == DType::kBfloat16 || is_complex()) {
      return "records hold " + leaf_.dtype + " only with an encoding (E1)";
    }
    feature_->dtype = WireTypeOf(dtype_);  // E1
    if (dtype_ != feature_->dtype) feature_->as = dtype_;
    feature_->as_bits = dtype_ == DType::kUint64;
    std::vector<int64_t> shape = Joined(leaf_.lengths, leaf_.shape);
    const size_t num_unknown = NumUnknown(shape);
    const bool is_empty = std::ranges::count(shape, 0) > 0;
    if (rank() < 2) {
      if (num_unknown > 1) {
        return "two dimensions differ from row to row, and records do not hold "
               "them (E3, E4)";
      }
      if (num_unknown == 1 && is_empty) {
        return "a dimension of 0 beside one that differs from row to row (E4)";
      }
    } else if (num_unknown > 1 && NumUnknown(leaf_.shape) > 0) {
      return "the elements of sequences in sequences differ in shape, and "
             "records do not hold their shapes (E6)";
    }
    feature_->shape = std::move(shape);
    if (rank() < 2 && num_unknown == 0) {
      feature_->layout = Layout::kFixedLen;
      return leaf_.node.optional && rank() == 0 ? AddDefault() : std::string();
    }
    feature_->layout = Layout::kRagged;
    if (rank() >= 2) {
      feature_->value_key = leaf_.path() + "/ragged_flat_values";
      AddPartitions(leaf_.path());
    }
    return std::string();
  }

  std::string AddDefault() {
    size_t number = 1;
    for (const int64_t size : leaf_.shape) {
      if (!CheckedMul(number, static_cast<uint64_t>(size), &number)) {
        number = kMaxDefaults + 1;
        break;
      }
    }
    if (number > kMaxDefaults) {
      return "an optional feature of more than " +
             std::to_string(kMaxDefaults) + " elements (E5)";
    }
    feature_->default_values = LeastValues(dtype_, number);
    return std::string();
  }

  // Adds the lengths of sequences in sequences, which have their own keys (E6).
  void AddPartitions(const std::string& key) {
    for (size_t i = 0; i + 1 < rank(); ++i) {
      feature_->partitions.push_back(
          {PartitionType::kRowLengths,
           key + "/ragged_row_lengths_" + std::to_string(i)});
    }
  }

  size_t rank() const { return leaf_.lengths.size(); }
  bool is_complex() const { return leaf_.dtype.starts_with("complex"); }

  const Leaf& leaf_;
  DType dtype_;
  FeatureConfig* feature_;
};

}  // namespace

std::string FeatureOf(const Leaf& leaf, FeatureConfig* feature) {
  if (leaf.path().empty()) {
    return "the feature has no name, since no dict is around it (F1)";
  }
  const std::optional<DType> dtype = ElementType(leaf.dtype);
  if (!dtype) {
    return "the dtype " + Quote(leaf.dtype) +
           " is not one of those that "
           "headrace reads (F5)";
  }
  return FeatureMaker(leaf, *dtype, feature).Make();
}

}  // namespace headrace::tfds
