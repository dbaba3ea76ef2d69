// FeatureSpec: which features to read, and the tensors to make of them.
//
// The kinds, fields and meanings are those of tf.io's FixedLenFeature and its
// siblings; docs/semantics.md says how each is applied. A spec only describes:
// Plan::Compile checks it.
//
//   auto spec = FeatureSpec()
//                   .Add("age", FixedLen(DType::kInt64).Default(0))
//                   .Add("tags", VarLen(DType::kBytes));

#ifndef HEADRACE_FEATURE_SPEC_H_
#define HEADRACE_FEATURE_SPEC_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "headrace/variant.h"

namespace headrace {

// What becomes of the values of one feature; B is the number of rows.
enum class Layout : uint8_t {
  kFixedLen,          // dense [B] + shape
  kFixedLenSequence,  // dense [B, longest] + shape, padded
  kVarLen,            // COO [B, longest]; with pad_to dense [B, pad_to]
  kSparse,            // COO [B] + size, indices from other features
  kRagged,            // values and row splits
};

// "fixed_len", "fixed_len_sequence", "var_len", "sparse", "ragged".
template <>
std::span<const EnumName<Layout>> EnumNames();
inline std::string_view LayoutName(Layout layout) { return NameOf(layout); }

// How a feature of int64 cuts the values of a ragged row into inner rows.
enum class PartitionType : uint8_t {
  kRowLengths,
  kRowSplits,
  kRowStarts,
  kRowLimits,
  kValueRowids,
  kUniformRowLength,
};

// "row_lengths", "row_splits" and so on.
template <>
std::span<const EnumName<PartitionType>> EnumNames();
inline std::string_view PartitionTypeName(PartitionType type) {
  return NameOf(type);
}

struct Partition {
  PartitionType type = PartitionType::kRowLengths;
  std::string key = {};  // on the wire; unused for kUniformRowLength
  int64_t uniform_row_length = 0;

  bool operator==(const Partition&) const = default;
};

// Flat, row-major, of the type of the feature.
using DefaultValues =
    Variant<std::vector<int64_t>, std::vector<float>, std::vector<std::string>>;

// What Default takes: a number, or text.
template <class T>
concept DefaultValue = std::integral<T> || std::floating_point<T> ||
    std::convertible_to<const T&, std::string_view>;

// One feature of a spec. Fields that its layout does not use keep their
// initial values.
struct FeatureConfig {
  Layout layout = Layout::kVarLen;
  DType dtype = DType::kInt64;  // on the wire: kInt64, kFloat or kBytes

  // fixed_len, fixed_len_sequence: of a row, or of a step of a sequence.
  std::vector<int64_t> shape = {};
  // fixed_len: as many values as the shape has, for rows without the feature;
  // without it the feature is required. fixed_len_sequence: one value to pad
  // with (0, 0.0 or "" otherwise), not for feature lists.
  std::optional<DefaultValues> default_values = {};
  // fixed_len_sequence: whether a feature list may be absent. Of an Example it
  // must be true.
  bool allow_missing = false;
  // sparse: int64 features of indices, outermost first, and the dimensions.
  std::vector<std::string> index_keys = {};
  std::vector<int64_t> size = {};
  bool already_sorted = false;
  // sparse: an index outside [0, size) is kBadSparseIndex, not kept.
  bool check_indices = false;
  // sparse, ragged: the key on the wire of the values; without it, the name.
  std::optional<std::string> value_key = {};
  // ragged: outermost first; the type of the row splits.
  std::vector<Partition> partitions = {};
  DType row_splits_dtype = DType::kInt32;

  // Key on the wire where it is not the name. A feature that has it may share
  // its key with features of other layouts.
  std::optional<std::string> column = {};
  // Type of the tensor. int64: a narrower or unsigned integer, a value out of
  // its range is kWrongKind; float: kFloat16, kBfloat16,
  // rounded to even, a finite value beyond their range is kWrongKind; bytes:
  // for fixed_len, one value of exactly the shape's bytes, little-endian, as
  // tf.io.decode_raw.
  std::optional<DType> as = {};
  // var_len: columns of a dense [B, pad_to], padded with 0 or "". A longer row
  // is kWrongCount, or cut when `truncate`.
  std::optional<int64_t> pad_to = {};
  bool truncate = false;

  // For building in one expression: Default(0), Default("x"), Default({1, 2}),
  // or a vector of the feature's type. Whole numbers become floats where that
  // is kFloat.
  FeatureConfig& Default(DefaultValues values);
  template <DefaultValue T>
  FeatureConfig& Default(const T& value) {
    StartDefault();
    AddDefault(value);
    return *this;
  }
  template <DefaultValue T>
  FeatureConfig& Default(std::initializer_list<T> values) {
    StartDefault();
    for (const T& value : values) AddDefault(value);
    return *this;
  }
  // The last number given to Default that the type cannot hold, as text. Where
  // there is one the feature is refused with it: Plan::Compile is kBadSpec.
  std::string unfit_default = {};

  bool operator==(const FeatureConfig&) const = default;

 private:
  template <class T>
  void AddDefault(const T& value) {
    if constexpr (std::floating_point<T>) {
      AddReal(value);
    } else if constexpr (std::unsigned_integral<T>) {
      AddUnsigned(value);
    } else if constexpr (std::integral<T>) {
      AddSigned(value);
    } else {
      AddBytes(value);
    }
  }
  void StartDefault();
  void AddSigned(int64_t value);
  void AddUnsigned(uint64_t value);
  void AddReal(long double value);
  void AddBytes(std::string_view value);
};

FeatureConfig FixedLen(DType dtype, std::vector<int64_t> shape = {});
FeatureConfig FixedLenSequence(DType dtype, std::vector<int64_t> shape = {},
                               bool allow_missing = false);
FeatureConfig VarLen(DType dtype);
FeatureConfig Sparse(std::vector<std::string> index_keys, std::string value_key,
                     DType dtype, std::vector<int64_t> size,
                     bool already_sorted = false);
FeatureConfig Ragged(DType dtype, std::vector<Partition> partitions = {},
                     std::optional<std::string> value_key = {},
                     DType row_splits_dtype = DType::kInt32);

// A feature with the name of its tensor.
struct NamedFeature {
  std::string name = {};
  FeatureConfig config = {};

  // The key on the wire of the values.
  const std::string& key() const;
  // Of the tensor's values.
  DType tensor_dtype() const { return config.as.value_or(config.dtype); }

  bool operator==(const NamedFeature&) const = default;
};

class FeatureSpec {
 public:
  // kExample or kSequence. AddSequence makes it kSequence.
  explicit FeatureSpec(MessageType message = MessageType::kExample)
      : message_(message) {}

  // The JSON of docs/formats/spec.md. kBadSpec with line and column of JSON
  // that is none, or with the feature and field at fault; a field that does
  // not exist is an error with a suggestion.
  static Result<FeatureSpec> FromJson(std::string_view text);
  // Canonical: FromJson of it gives an equal spec.
  std::string ToJson() const;

  // Features of an Example, or the context of a SequenceExample.
  FeatureSpec& Add(std::string name, FeatureConfig config) & {
    features_.push_back({std::move(name), std::move(config)});
    return *this;
  }
  FeatureSpec&& Add(std::string name, FeatureConfig config) && {
    return std::move(Add(std::move(name), std::move(config)));
  }
  FeatureSpec& AddSequence(std::string name, FeatureConfig config) & {
    message_ = MessageType::kSequence;
    sequence_features_.push_back({std::move(name), std::move(config)});
    return *this;
  }
  FeatureSpec&& AddSequence(std::string name, FeatureConfig config) && {
    return std::move(AddSequence(std::move(name), std::move(config)));
  }

  MessageType message() const { return message_; }
  // In the order of Add.
  const std::vector<NamedFeature>& features() const { return features_; }
  const std::vector<NamedFeature>& sequence_features() const {
    return sequence_features_;
  }

  bool operator==(const FeatureSpec&) const = default;

 private:
  MessageType message_;
  std::vector<NamedFeature> features_;
  std::vector<NamedFeature> sequence_features_;
};

}  // namespace headrace

#endif  // HEADRACE_FEATURE_SPEC_H_
