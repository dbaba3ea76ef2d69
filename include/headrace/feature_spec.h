// FeatureSpec: which features to read, and the tensors to make of them.
//
//   auto spec = FeatureSpec()
//                   .Add("age", FixedLen(DType::kInt64).Default(0))
//                   .Add("tags", VarLen(DType::kBytes));
//   auto plan = Plan::Compile(spec);  // checks it
//   if (!plan) return plan.status();
//
// The kinds of features and their fields are those of tf.io's FixedLenFeature
// and its siblings; docs/semantics.md says how each is applied.

#ifndef HEADRACE_FEATURE_SPEC_H_
#define HEADRACE_FEATURE_SPEC_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/export.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "headrace/variant.h"

namespace headrace {

// A Layout is the form of a feature's tensor; B is the number of rows.
enum class Layout : uint8_t {
  kFixedLen,          // dense [B] + shape
  kFixedLenSequence,  // dense [B, longest] + shape, padded
  kVarLen,            // COO [B, longest]; with pad_to dense [B, pad_to]
  kSparse,            // COO [B] + size, indices from other features
  kRagged,            // values and row splits
  // Groups: one tensor of several features, the group's members.
  kMatrix,  // dense [B, width], a member's values beside the next one's
  kJagged,  // values and lengths, of one member after another
};

// The names are "fixed_len", "fixed_len_sequence" and so on.
template <>
HEADRACE_EXPORT std::span<const EnumName<Layout>> EnumNames();
inline std::string_view LayoutName(Layout layout) { return NameOf(layout); }
// Returns whether the tensor is made of a group of features.
constexpr bool IsGroup(Layout layout) {
  return layout == Layout::kMatrix || layout == Layout::kJagged;
}

// How an int64 feature cuts the values of a ragged row into inner rows.
enum class PartitionType : uint8_t {
  kRowLengths,
  kRowSplits,
  kRowStarts,
  kRowLimits,
  kValueRowids,
  kUniformRowLength,
};

// The names are "row_lengths", "row_splits" and so on.
template <>
HEADRACE_EXPORT std::span<const EnumName<PartitionType>> EnumNames();
inline std::string_view PartitionTypeName(PartitionType type) {
  return NameOf(type);
}

struct Partition {
  PartitionType type = PartitionType::kRowLengths;
  std::string key = {};  // on the wire, except for kUniformRowLength
  int64_t uniform_row_length = 0;

  bool operator==(const Partition&) const = default;
};

// Default values of the feature's type, row-major.
using DefaultValues =
    Variant<std::vector<int64_t>, std::vector<float>, std::vector<std::string>>;

// The values that Default accepts: numbers and text.
template <class T>
concept DefaultValue = std::integral<T> || std::floating_point<T> ||
    std::convertible_to<const T&, std::string_view>;

// How a value of kind bytes holds the elements of an array.
enum class Encoding : uint8_t {
  kRaw,          // little-endian and row-major
  kZlib,         // the same bytes as a zlib stream
  kTensorProto,  // a serialized tensorflow.TensorProto, which has its shape
};

// The names are "raw", "zlib" and "tensor_proto".
template <>
HEADRACE_EXPORT std::span<const EnumName<Encoding>> EnumNames();
inline std::string_view EncodingName(Encoding encoding) {
  return NameOf(encoding);
}

// Functions of single values, for FeatureConfig::map. They never fail on a row.
// docs/semantics.md (B10) says what each computes, to the bit.

// From bytes or int64 to an id in [0, buckets): FarmHash's Fingerprint64 modulo
// `buckets`, as tf.strings.to_hash_bucket_fast.
struct HashBucket {
  int64_t buckets = 0;

  bool operator==(const HashBucket&) const = default;
};

// From bytes or int64 to the number of the key's line, from 0. The keys are the
// lines of a file, or `keys`, which have the type of the values. Any other key
// gets a hash bucket after all lines, or before them if `oov_first`, which then
// begin at oov_buckets; or it gets default_id.
struct Vocabulary {
  std::string file = {};  // opened by Plan::Compile
  std::optional<DefaultValues> keys = {};
  int64_t oov_buckets = 0;
  bool oov_first = false;
  std::optional<int64_t> default_id = {};
  std::optional<int64_t> size = {};  // use only the first lines of the file

  bool operator==(const Vocabulary&) const = default;
};

// From float or int64 to the number of boundaries that are not above it.
struct Bucketize {
  std::vector<float> boundaries = {};

  bool operator==(const Bucketize&) const = default;
};

// The number, but at least `lo` and at most `hi`. Those of an int64 are
// int64_t.
struct Clip {
  using Bound = Variant<int64_t, float>;
  Bound lo = {};
  Bound hi = {};

  bool operator==(const Clip&) const = default;
};

// From float or int64 to float: log(1 + x).
struct Log1p {
  bool operator==(const Log1p&) const = default;
};

// From float or int64 to float: (x - mean) / std.
struct Scale {
  float mean = 0;
  float std = 1;

  bool operator==(const Scale&) const = default;
};

using ValueFunction =
    Variant<HashBucket, Vocabulary, Bucketize, Clip, Log1p, Scale>;

struct NamedFeature;

// The members of a group, in order: a vector that may be declared before its
// type is complete.
class HEADRACE_EXPORT Members {
 public:
  Members();
  Members(std::vector<NamedFeature> members);  // NOLINT: implicit
  Members(const Members& other);
  Members(Members&& other) noexcept;
  Members& operator=(Members other) noexcept;
  ~Members();

  size_t size() const;
  bool empty() const { return size() == 0; }
  // Valid until the members change.
  const NamedFeature* begin() const HEADRACE_LIFETIME_BOUND;
  const NamedFeature* end() const HEADRACE_LIFETIME_BOUND;
  // `i` is below size().
  const NamedFeature& operator[](size_t i) const HEADRACE_LIFETIME_BOUND;
  void push_back(NamedFeature member);

  bool operator==(const Members& other) const;

 private:
  std::unique_ptr<std::vector<NamedFeature>> list_;  // null: none
};

// One feature of a spec. A layout uses only the fields whose comments name it;
// the others keep their initial values.
struct HEADRACE_EXPORT FeatureConfig {
  Layout layout = Layout::kVarLen;
  DType dtype = DType::kInt64;  // on the wire: kInt64, kFloat or kBytes

  // fixed_len, fixed_len_sequence: the shape of a row, or of a step. ragged:
  // the shape of a row (of a step), as far as it is known; -1 is a dimension in
  // which rows differ. N partitions cut the first N + 1 dimensions; a length
  // that differs from the one given here is kBadPartition. The dimensions after
  // these (without partitions, all dimensions) follow from the number of
  // values; at most one of them is -1, and only if no dimension before it is
  // -1. A number of values that does not fit is kBadPartition or, without
  // partitions, kWrongCount. Known dimensions at the end become Tensor::shape,
  // the others become row splits. Default (empty): N + 1 dimensions for N
  // partitions, all -1; without partitions but with item_shape, one value per
  // row, and the feature is required.
  std::vector<int64_t> shape = {};
  // fixed_len: the values of rows without the feature, one per element of the
  // shape; if not set, the feature is required. fixed_len_sequence: one value
  // to pad with; if not set, 0, 0.0 or "". It must not be set in feature lists.
  std::optional<DefaultValues> default_values = {};
  // fixed_len_sequence: whether a feature list may be absent; in an Example it
  // must be true.
  bool allow_missing = false;
  // sparse: the int64 features of indices, outermost first, and the size of
  // each dimension, -1 if unknown. already_sorted says that the indices are in
  // order: they are neither sorted nor checked.
  std::vector<std::string> index_keys = {};
  std::vector<int64_t> size = {};
  bool already_sorted = false;
  // sparse: refuse an index outside [0, size) (kBadSparseIndex). Default: keep
  // it.
  bool check_indices = false;
  // sparse, ragged: the values' key on the wire. Default: the name.
  std::optional<std::string> value_key = {};
  // ragged: the partitions, outermost first, and the type of the row splits.
  std::vector<Partition> partitions = {};
  DType row_splits_dtype = DType::kInt32;

  // The key on the wire. Default: the name. A feature that sets it may share
  // its key with features of other layouts.
  std::optional<std::string> column = {};
  // The type of the tensor. Default: dtype. int64 can become kBool, which is
  // true for values other than 0, or a narrower or unsigned integer; a value
  // out of its range is kWrongKind. float can become kFloat64, or kFloat16 or
  // kBfloat16, rounded to the nearest value, ties to even; a finite value that
  // would become infinite is kWrongKind. The bytes of a fixed_len can become
  // any number or kBool: one value with exactly as many bytes as the shape
  // needs, little-endian, as in tf.io.decode_raw. So can the bytes of a ragged
  // with item_shape. With the encoding kTensorProto `as` is required, and
  // kBytes stands for tensors of strings.
  std::optional<DType> as = {};
  // int64 as kUint64: keep the 64 bits of a negative value, which becomes a
  // value of 2^63 or more, instead of refusing it.
  bool as_bits = false;
  // bytes with `as`: how a value holds its elements. kZlib: the value is
  // exactly one zlib stream of its elements, else the row is kWrongCount; no
  // other feature may read the same key. kTensorProto: the value is a
  // TensorProto of the type `as`, else the row is kWrongKind, and of the shape
  // that the feature gives, else it is kWrongCount.
  Encoding encoding = Encoding::kRaw;
  // ragged bytes with `as`, which is required: the shape of the array in each
  // value. Its dimensions follow those of `shape`; -1 is a dimension that
  // differs from value to value. A single -1 follows from the size of the
  // value. If there are more, the int64 feature item_shape_key has the shapes
  // of all values, one after another. A value whose size does not fit is
  // kWrongCount. A TensorProto has its shape, and needs no item_shape_key.
  std::optional<std::vector<int64_t>> item_shape = {};
  std::optional<std::string> item_shape_key = {};
  // ragged: the name of a group. In every row all features of a group have the
  // same length in their outermost dimension; a row in which they do not is
  // kWrongCount. Only for features outside feature lists. Default: no group.
  std::string group = {};
  // var_len: make a dense [B, pad_to], padded with 0 or "". A longer row is
  // kWrongCount, or is cut if `truncate`. Default: COO.
  std::optional<int64_t> pad_to = {};
  bool truncate = false;

  // matrix, jagged: the members, in the order of the columns or keys, with
  // unique names; `as`, which is required, is the type of the tensor, any
  // number or kBool. Members have no `as` of their own. An int64 can become any
  // type, a float any float; kWrongKind is a value out of range, a finite one
  // that would become infinite and, if the matrix is `exact`, an integer that
  // the float would round.
  //
  // A member of a matrix is fixed_len or padded var_len; the width is the sum
  // of the members' values. The bytes of a fixed_len member hold numbers of the
  // matrix's type if the member's `as` names that type. A member of a jagged
  // group is fixed_len, or ragged without partitions and shape.
  Members members = {};
  bool exact = false;
  // jagged: whether there is a float beside each value: that of weight_key, or
  // 1. At least one member then has a weight_key.
  bool weights = false;
  // jagged: the type of lengths and offsets, kInt32 or kInt64. With kInt32 a
  // batch has less than 2^31 values.
  DType lengths_dtype = DType::kInt32;

  // Members of a matrix: add a column after the member's, 1 in rows whose
  // record has the feature with a kind, else 0.
  bool present = false;
  // Members of a jagged group: keep only the first, or the last, values (and
  // weights) of each row. Other values are not converted, so that they cannot
  // be out of range.
  std::optional<int64_t> first_n = {};
  std::optional<int64_t> last_n = {};
  // Members of a jagged group with weights: the key of a float feature with as
  // many values as the row has before it is cut, else the row is kWrongCount.
  std::optional<std::string> weight_key = {};
  // Ragged members of a jagged group: read the feature list (and the weights,
  // too) instead of the context. The values of all steps are one row.
  bool sequence = false;

  // The functions that each value, and the default, goes through before it is
  // cast to the type of the tensor; each takes what the one before it returns.
  // The type is `as` (of a member, that of the group), any number or kBool that
  // holds the ids of all values. Default: kInt64 for ids and for a clipped
  // int64, else kFloat. A feature with functions has neither as_bits nor an
  // encoding, and its bytes are never arrays.
  std::vector<ValueFunction> map = {};

  // Set a field and return this feature.
  FeatureConfig& Map(ValueFunction function) {
    map.push_back(std::move(function));
    return *this;
  }
  FeatureConfig& FirstN(int64_t count) {
    first_n = count;
    return *this;
  }
  FeatureConfig& LastN(int64_t count) {
    last_n = count;
    return *this;
  }
  FeatureConfig& WeightKey(std::string key) {
    weight_key = std::move(key);
    return *this;
  }
  FeatureConfig& Sequence() {
    sequence = true;
    return *this;
  }
  FeatureConfig& Present() {
    present = true;
    return *this;
  }
  FeatureConfig& Exact() {
    exact = true;
    return *this;
  }
  FeatureConfig& Weights() {
    weights = true;
    return *this;
  }

  // Sets default_values and returns this feature: Default(0), Default("x"),
  // Default({1, 2}), or a vector of the feature's type. A feature of kFloat
  // accepts whole numbers, too.
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
  // The last number given to Default that the type cannot hold, as text. If
  // there is one, Plan::Compile returns kBadSpec with it.
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

// Make a feature of each layout; the arguments are named like the fields of
// FeatureConfig.
HEADRACE_EXPORT FeatureConfig FixedLen(DType dtype,
                                       std::vector<int64_t> shape = {});
HEADRACE_EXPORT FeatureConfig FixedLenSequence(DType dtype,
                                               std::vector<int64_t> shape = {},
                                               bool allow_missing = false);
HEADRACE_EXPORT FeatureConfig VarLen(DType dtype);
HEADRACE_EXPORT FeatureConfig Sparse(std::vector<std::string> index_keys,
                                     std::string value_key, DType dtype,
                                     std::vector<int64_t> size,
                                     bool already_sorted = false);
HEADRACE_EXPORT FeatureConfig Ragged(DType dtype,
                                     std::vector<Partition> partitions = {},
                                     std::optional<std::string> value_key = {},
                                     DType row_splits_dtype = DType::kInt32);

// A feature and the name of its tensor; or a member of a group and its name.
struct HEADRACE_EXPORT NamedFeature {
  std::string name = {};
  FeatureConfig config = {};

  const std::string& key() const
      HEADRACE_LIFETIME_BOUND;  // the values' key on the wire
  // Returns all keys on the wire that the feature reads, the values' key first;
  // of a group, the keys of all members, context and feature lists alike.
  std::vector<std::string> keys() const;
  // Returns the type of the tensor's values.
  DType tensor_dtype() const;

  bool operator==(const NamedFeature&) const = default;
};

HEADRACE_EXPORT FeatureConfig Matrix(DType as,
                                     std::vector<NamedFeature> members);
HEADRACE_EXPORT FeatureConfig Jagged(DType as,
                                     std::vector<NamedFeature> members);

// How lists of Examples become tensors. The first dimension of these tensors is
// the row, the second the place in the list.
struct ListOptions {
  // The number of Examples that every list gets: longer lists are cut, shorter
  // ones are filled with Examples without features. 0 or less: the length of
  // the longest list of the batch, at least 1.
  int64_t list_size = 0;
  // The name of a tensor with the number of Examples that each list had before
  // it was cut: int32 [B]. Default: none.
  std::optional<std::string> size_feature_name = {};
  // The name of a tensor that is true where the list has an Example: bool
  // [B, list_size]. Default: none.
  std::optional<std::string> mask_feature_name = {};

  bool operator==(const ListOptions&) const = default;
};

// How FeatureSpec::FromJson treats the vocabulary files that a spec names.
struct SpecJsonOptions {
  // Relative paths become paths in this folder, usually that of the JSON file.
  // Default: they stay relative to the working directory.
  std::string folder = {};
  // Whether a spec may name files. If not, one that does is kBadSpec: a spec
  // from a stranger should not choose which files a process opens.
  bool files = true;
};

// The features of an Example; or of a SequenceExample: of its context and its
// feature lists; or of a list of Examples: of its context and of every Example.
class HEADRACE_EXPORT FeatureSpec {
 public:
  // `message` must not be kAuto or kRaw; AddSequence makes it kSequence.
  explicit FeatureSpec(MessageType message = MessageType::kExample)
      : message_(message) {}

  // Parses the JSON of docs/formats/spec.md. kBadSpec with line and column if
  // it is not JSON, else with the feature and field at fault; an unknown field
  // is reported with a suggestion.
  static Result<FeatureSpec> FromJson(std::string_view text,
                                      const SpecJsonOptions& options = {});
  // Returns canonical JSON, which FromJson parses to an equal spec.
  std::string ToJson() const;

  // Add adds a feature of an Example or of a context, AddSequence a feature
  // list, AddToExamples a feature of the Examples of a list.
  FeatureSpec& Add(std::string name, FeatureConfig config) & {
    features_.push_back({std::move(name), std::move(config)});
    return *this;
  }
  FeatureSpec&& Add(std::string name, FeatureConfig config) && {
    return std::move(Add(std::move(name), std::move(config)));
  }
  // Add a group of features of an Example or of a context:
  // AddMatrix("dense", DType::kFloat, {{"I1", FixedLen(DType::kInt64)}}).
  FeatureSpec& AddMatrix(std::string name, DType as,
                         std::vector<NamedFeature> members) & {
    return Add(std::move(name), Matrix(as, std::move(members)));
  }
  FeatureSpec&& AddMatrix(std::string name, DType as,
                          std::vector<NamedFeature> members) && {
    return std::move(AddMatrix(std::move(name), as, std::move(members)));
  }
  FeatureSpec& AddJagged(std::string name, DType as,
                         std::vector<NamedFeature> members) & {
    return Add(std::move(name), Jagged(as, std::move(members)));
  }
  FeatureSpec&& AddJagged(std::string name, DType as,
                          std::vector<NamedFeature> members) && {
    return std::move(AddJagged(std::move(name), as, std::move(members)));
  }
  FeatureSpec& AddSequence(std::string name, FeatureConfig config) & {
    message_ = MessageType::kSequence;
    sequence_features_.push_back({std::move(name), std::move(config)});
    return *this;
  }
  FeatureSpec&& AddSequence(std::string name, FeatureConfig config) && {
    return std::move(AddSequence(std::move(name), std::move(config)));
  }

  // Makes the message kElwc, unless it is kExampleInExample.
  FeatureSpec& AddToExamples(std::string name, FeatureConfig config) & {
    MakeLists();
    example_features_.push_back({std::move(name), std::move(config)});
    return *this;
  }
  FeatureSpec&& AddToExamples(std::string name, FeatureConfig config) && {
    return std::move(AddToExamples(std::move(name), std::move(config)));
  }
  FeatureSpec& SetLists(ListOptions lists) & {
    MakeLists();
    lists_ = std::move(lists);
    return *this;
  }
  FeatureSpec&& SetLists(ListOptions lists) && {
    return std::move(SetLists(std::move(lists)));
  }

  MessageType message() const { return message_; }
  // The features in the order they were added.
  const std::vector<NamedFeature>& features() const HEADRACE_LIFETIME_BOUND {
    return features_;
  }
  const std::vector<NamedFeature>& sequence_features() const
      HEADRACE_LIFETIME_BOUND {
    return sequence_features_;
  }
  const std::vector<NamedFeature>& example_features() const
      HEADRACE_LIFETIME_BOUND {
    return example_features_;
  }
  const ListOptions& lists() const HEADRACE_LIFETIME_BOUND { return lists_; }

  bool operator==(const FeatureSpec&) const = default;

 private:
  void MakeLists() {
    if (!IsListOfExamples(message_)) message_ = MessageType::kElwc;
  }

  MessageType message_;
  std::vector<NamedFeature> features_;
  std::vector<NamedFeature> sequence_features_;
  std::vector<NamedFeature> example_features_;
  ListOptions lists_;
};

}  // namespace headrace

#endif  // HEADRACE_FEATURE_SPEC_H_
