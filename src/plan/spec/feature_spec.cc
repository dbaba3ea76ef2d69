#include "headrace/feature_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace headrace {

namespace {

constexpr EnumName<Layout> kLayoutNames[] = {
    {Layout::kFixedLen, "fixed_len"},
    {Layout::kFixedLenSequence, "fixed_len_sequence"},
    {Layout::kVarLen, "var_len"},
    {Layout::kSparse, "sparse"},
    {Layout::kRagged, "ragged"},
    {Layout::kMatrix, "matrix"},
    {Layout::kJagged, "jagged"}};

constexpr EnumName<PartitionType> kPartitionTypeNames[] = {
    {PartitionType::kRowLengths, "row_lengths"},
    {PartitionType::kRowSplits, "row_splits"},
    {PartitionType::kRowStarts, "row_starts"},
    {PartitionType::kRowLimits, "row_limits"},
    {PartitionType::kValueRowids, "value_rowids"},
    {PartitionType::kUniformRowLength, "uniform_row_length"}};

constexpr EnumName<Encoding> kEncodingNames[] = {
    {Encoding::kRaw, "raw"},
    {Encoding::kZlib, "zlib"},
    {Encoding::kTensorProto, "tensor_proto"}};

// Returns the list of values of type T. A default with values of two types
// keeps those of the last.
template <class T>
std::vector<T>* ListOf(std::optional<DefaultValues>* values) {
  auto* list = std::get_if<std::vector<T>>(&values->value());
  return list ? list : &values->value().emplace<std::vector<T>>();
}

// Each returns the type of the results for values of a type; all other
// functions return ids.
DType ResultOf(const Clip&, DType values) { return values; }
DType ResultOf(const Log1p&, DType) { return DType::kFloat; }
DType ResultOf(const Scale&, DType) { return DType::kFloat; }
template <class Function>
DType ResultOf(const Function&, DType) {
  return DType::kInt64;
}

}  // namespace

template <>
std::span<const EnumName<Layout>> EnumNames() {
  return kLayoutNames;
}

template <>
std::span<const EnumName<PartitionType>> EnumNames() {
  return kPartitionTypeNames;
}

template <>
std::span<const EnumName<Encoding>> EnumNames() {
  return kEncodingNames;
}

void FeatureConfig::StartDefault() {
  unfit_default.clear();
  default_values.emplace();
  if (dtype == DType::kFloat) ListOf<float>(&default_values);
  if (dtype == DType::kBytes) ListOf<std::string>(&default_values);
}

// A number in a default of bytes stays an int64, which the plan refuses.
void FeatureConfig::AddSigned(int64_t value) {
  if (dtype == DType::kFloat) {
    ListOf<float>(&default_values)->push_back(static_cast<float>(value));
  } else {
    ListOf<int64_t>(&default_values)->push_back(value);
  }
}

void FeatureConfig::AddUnsigned(uint64_t value) {
  if (dtype == DType::kFloat) {
    ListOf<float>(&default_values)->push_back(static_cast<float>(value));
  } else if (value <= INT64_MAX) {
    ListOf<int64_t>(&default_values)->push_back(static_cast<int64_t>(value));
  } else {
    unfit_default = std::to_string(value);
  }
}

void FeatureConfig::AddReal(long double value) {
  const auto narrow = static_cast<float>(value);
  if (std::isinf(narrow) && !std::isinf(value)) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value,
                                   std::chars_format::general, 9)
                         .ptr;
    unfit_default.assign(text, end);
  } else {
    ListOf<float>(&default_values)->push_back(narrow);
  }
}

void FeatureConfig::AddBytes(std::string_view value) {
  ListOf<std::string>(&default_values)->emplace_back(value);
}

FeatureConfig& FeatureConfig::Default(DefaultValues values) {
  unfit_default.clear();
  default_values = std::move(values);
  return *this;
}

FeatureConfig FixedLen(DType dtype, std::vector<int64_t> shape) {
  return {
      .layout = Layout::kFixedLen, .dtype = dtype, .shape = std::move(shape)};
}

FeatureConfig FixedLenSequence(DType dtype, std::vector<int64_t> shape,
                               bool allow_missing) {
  return {.layout = Layout::kFixedLenSequence,
          .dtype = dtype,
          .shape = std::move(shape),
          .allow_missing = allow_missing};
}

FeatureConfig VarLen(DType dtype) {
  return {.layout = Layout::kVarLen, .dtype = dtype};
}

FeatureConfig Sparse(std::vector<std::string> index_keys, std::string value_key,
                     DType dtype, std::vector<int64_t> size,
                     bool already_sorted) {
  return {.layout = Layout::kSparse,
          .dtype = dtype,
          .index_keys = std::move(index_keys),
          .size = std::move(size),
          .already_sorted = already_sorted,
          .value_key = std::move(value_key)};
}

FeatureConfig Ragged(DType dtype, std::vector<Partition> partitions,
                     std::optional<std::string> value_key,
                     DType row_splits_dtype) {
  return {.layout = Layout::kRagged,
          .dtype = dtype,
          .value_key = std::move(value_key),
          .partitions = std::move(partitions),
          .row_splits_dtype = row_splits_dtype};
}

FeatureConfig Matrix(DType as, std::vector<NamedFeature> members) {
  return {.layout = Layout::kMatrix, .as = as, .members = std::move(members)};
}

FeatureConfig Jagged(DType as, std::vector<NamedFeature> members) {
  return {.layout = Layout::kJagged, .as = as, .members = std::move(members)};
}

Members::Members() = default;
Members::Members(std::vector<NamedFeature> members)
    : list_(std::make_unique<std::vector<NamedFeature>>(std::move(members))) {}
Members::Members(const Members& other)
    : list_(other.list_
                ? std::make_unique<std::vector<NamedFeature>>(*other.list_)
                : nullptr) {}
Members::Members(Members&& other) noexcept = default;
Members& Members::operator=(Members other) noexcept {
  list_.swap(other.list_);
  return *this;
}
Members::~Members() = default;

size_t Members::size() const { return list_ ? list_->size() : 0; }

const NamedFeature* Members::begin() const {
  return list_ ? list_->data() : nullptr;
}

const NamedFeature* Members::end() const { return begin() + size(); }

const NamedFeature& Members::operator[](size_t i) const { return (*list_)[i]; }

void Members::push_back(NamedFeature member) {
  if (!list_) list_ = std::make_unique<std::vector<NamedFeature>>();
  list_->push_back(std::move(member));
}

bool Members::operator==(const Members& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

const std::string& NamedFeature::key() const {
  if (config.column) return *config.column;
  const bool has_value_key =
      config.layout == Layout::kSparse || config.layout == Layout::kRagged;
  return has_value_key && config.value_key ? *config.value_key : name;
}

DType NamedFeature::tensor_dtype() const {
  if (config.as) return *config.as;
  DType dtype = config.dtype;
  for (const ValueFunction& function : config.map) {
    dtype = std::visit([dtype](const auto& f) { return ResultOf(f, dtype); },
                       function);
  }
  return dtype;
}

std::vector<std::string> NamedFeature::keys() const {
  std::vector<std::string> keys;
  if (IsGroup(config.layout)) {
    for (const NamedFeature& member : config.members) {
      for (std::string& key : member.keys()) keys.push_back(std::move(key));
    }
    return keys;
  }
  keys.push_back(key());
  keys.insert(keys.end(), config.index_keys.begin(), config.index_keys.end());
  for (const Partition& partition : config.partitions) {
    if (!partition.key.empty()) keys.push_back(partition.key);
  }
  if (config.item_shape_key) keys.push_back(*config.item_shape_key);
  if (config.weight_key) keys.push_back(*config.weight_key);
  return keys;
}

}  // namespace headrace
