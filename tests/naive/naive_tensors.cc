#include "tests/naive/naive_tensors.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "tests/naive/naive_convert.h"
#include "tests/naive/naive_ragged.h"

namespace headrace::testing {

namespace {

using Ints = std::vector<int64_t>;

// A value of padding is 0, 0.0 or "".
NaiveFeature ZeroOf(Kind kind) {
  NaiveFeature zero{.kind = kind};
  if (kind == Kind::kBytes) zero.bytes = {""};
  if (kind == Kind::kFloat) zero.floats = {0};
  if (kind == Kind::kInt64) zero.int64s = {0};
  return zero;
}

class Maker {
 public:
  explicit Maker(const NaiveRows& from) : from_(from) {}

  NaiveTensor Make() const;

 private:
  void MakeDense(NaiveTensor* tensor) const;
  void MakePadded(NaiveTensor* tensor) const;
  void MakePaddedSteps(NaiveTensor* tensor) const;
  void MakeVarLen(NaiveTensor* tensor) const;
  void MakeSparse(NaiveTensor* tensor) const;
  void MakeRagged(NaiveTensor* tensor) const;
  void AppendPadding(size_t times, NaiveTensor* tensor) const;

  const FeatureConfig& config() const { return from_.feature().config; }
  Kind kind() const { return TensorKindOf(config()); }
  const std::vector<NaiveRow>& rows() const { return from_.rows(); }
  int64_t NumRows() const { return static_cast<int64_t>(rows().size()); }

  const NaiveRows& from_;
};

NaiveTensor Maker::Make() const {
  NaiveTensor tensor{.name = from_.feature().name,
                     .in_sequence = from_.in_sequence()};
  tensor.values.kind = kind();
  switch (config().layout) {
    case Layout::kFixedLen:
      MakeDense(&tensor);
      break;
    case Layout::kFixedLenSequence:
      from_.in_sequence() ? MakePaddedSteps(&tensor) : MakePadded(&tensor);
      break;
    case Layout::kVarLen:
      config().pad_to ? MakePadded(&tensor) : MakeVarLen(&tensor);
      break;
    case Layout::kSparse:
      MakeSparse(&tensor);
      break;
    case Layout::kMatrix:
    case Layout::kJagged:  // never random
      break;
    case Layout::kRagged:
      MakeRagged(&tensor);
      break;
  }
  return tensor;
}

void Maker::AppendPadding(size_t times, NaiveTensor* tensor) const {
  const NaiveFeature value = config().default_values
                                 ? *NaiveConvert(DefaultOf(config()), config())
                                 : ZeroOf(kind());
  for (size_t i = 0; i < times; ++i) Append(value, &tensor->values);
}

void Maker::MakeDense(NaiveTensor* tensor) const {
  tensor->shape = {NumRows()};
  tensor->shape.insert(tensor->shape.end(), config().shape.begin(),
                       config().shape.end());
  for (const NaiveRow& row : rows()) Append(row.steps[0], &tensor->values);
}

// Rows of values are padded to the longest or to pad_to.
void Maker::MakePadded(NaiveTensor* tensor) const {
  const auto stride = static_cast<size_t>(Product(config().shape));
  size_t longest = 0;
  for (const NaiveRow& row : rows()) {
    longest = std::max(longest, row.steps[0].size() / stride);
  }
  if (config().pad_to) longest = static_cast<size_t>(*config().pad_to);
  for (const NaiveRow& row : rows()) {
    const size_t kept = std::min(row.steps[0].size(), longest * stride);
    if (!config().pad_to) {
      tensor->lengths.push_back(
          static_cast<int64_t>(row.steps[0].size() / stride));
    }
    Append(Slice(row.steps[0], 0, kept), &tensor->values);
    AppendPadding(longest * stride - kept, tensor);
  }
  tensor->shape = {NumRows(), static_cast<int64_t>(longest)};
  tensor->shape.insert(tensor->shape.end(), config().shape.begin(),
                       config().shape.end());
}

// Steps of rows each have the same number of values.
void Maker::MakePaddedSteps(NaiveTensor* tensor) const {
  const auto stride = static_cast<size_t>(Product(config().shape));
  size_t longest = 0;
  for (const NaiveRow& row : rows())
    longest = std::max(longest, row.steps.size());
  for (const NaiveRow& row : rows()) {
    for (const NaiveFeature& step : row.steps) Append(step, &tensor->values);
    AppendPadding((longest - row.steps.size()) * stride, tensor);
    tensor->lengths.push_back(static_cast<int64_t>(row.steps.size()));
  }
  tensor->shape = {NumRows(), static_cast<int64_t>(longest)};
  tensor->shape.insert(tensor->shape.end(), config().shape.begin(),
                       config().shape.end());
}

void Maker::MakeVarLen(NaiveTensor* tensor) const {
  tensor->kind = TensorKind::kSparse;
  int64_t most_steps = 0;
  int64_t most_values = 0;
  for (size_t r = 0; r < rows().size(); ++r) {
    const std::vector<NaiveFeature>& steps = rows()[r].steps;
    most_steps = std::max(most_steps, static_cast<int64_t>(steps.size()));
    for (size_t s = 0; s < steps.size(); ++s) {
      most_values = std::max(most_values, steps[s].count());
      Append(steps[s], &tensor->values);
      for (int64_t i = 0; i < steps[s].count(); ++i) {
        tensor->indices.push_back(static_cast<int64_t>(r));
        if (from_.in_sequence())
          tensor->indices.push_back(static_cast<int64_t>(s));
        tensor->indices.push_back(i);
      }
    }
  }
  tensor->shape = {NumRows()};
  if (from_.in_sequence()) tensor->shape.push_back(most_steps);
  tensor->shape.push_back(most_values);
}

void Maker::MakeSparse(NaiveTensor* tensor) const {
  tensor->kind = TensorKind::kSparse;
  const size_t keys = config().index_keys.size();
  for (size_t r = 0; r < rows().size(); ++r) {
    const NaiveFeature& values = rows()[r].steps[0];
    Append(values, &tensor->values);
    for (size_t i = 0; i < values.size(); ++i) {
      tensor->indices.push_back(static_cast<int64_t>(r));
      for (size_t k = 0; k < keys; ++k) {
        tensor->indices.push_back(rows()[r].indices[i * keys + k]);
      }
    }
  }
  tensor->shape = {NumRows()};
  tensor->shape.insert(tensor->shape.end(), config().size.begin(),
                       config().size.end());
}

Ints SplitsOf(const Ints& lengths) {
  Ints splits = {0};
  for (int64_t length : lengths) splits.push_back(splits.back() + length);
  return splits;
}

// Known dimensions at the end are the items' shape.
void Maker::MakeRagged(NaiveTensor* tensor) const {
  tensor->kind = TensorKind::kRagged;
  tensor->int64_splits = config().row_splits_dtype == DType::kInt64;
  const NaiveShape shape = NaiveShapeOf(config());
  const Ints all = shape.all();
  tensor->shape.assign(all.begin() + static_cast<std::ptrdiff_t>(shape.levels),
                       all.end());
  Ints row_lengths;
  std::vector<Ints> lengths(shape.levels);
  for (const NaiveRow& row : rows()) {
    row_lengths.push_back(static_cast<int64_t>(row.steps.size()));
    for (size_t s = 0; s < row.steps.size(); ++s) {
      for (size_t level = 0; level < shape.levels; ++level) {
        const Ints& step = row.lengths[s][level];
        lengths[level].insert(lengths[level].end(), step.begin(), step.end());
      }
      Append(row.steps[s], &tensor->values);
    }
  }
  if (from_.in_sequence()) tensor->row_splits.push_back(SplitsOf(row_lengths));
  for (const Ints& level : lengths) {
    tensor->row_splits.push_back(SplitsOf(level));
  }
}

// The first feature of the same group; null if it is this one.
const NaiveRows* FirstOfGroup(const NaiveRows& feature,
                              const std::vector<NaiveRows>& features) {
  const std::string& group = feature.feature().config.group;
  if (group.empty()) return nullptr;
  for (const NaiveRows& other : features) {
    if (&other == &feature) return nullptr;
    if (other.feature().config.group == group) return &other;
  }
  return nullptr;
}

// Empty when the record is good; `features` have its row then.
NaiveErrors TakeRecord(const std::optional<NaiveMessage>& message,
                       std::vector<NaiveRows>* features) {
  NaiveErrors errors;
  if (!message) {
    errors[ErrorCode::kMalformed] = {};
    return errors;
  }
  for (const NaiveRows& feature : *features) {
    feature.CheckKinds(*message, &errors);
  }
  for (const NaiveRows& feature : *features) {
    feature.CheckCounts(*message, &errors);
  }
  for (const NaiveRows& feature : *features) {
    const NaiveRows* const first = FirstOfGroup(feature, *features);
    if (first != nullptr) feature.CheckGroup(*message, *first, &errors);
  }
  if (!errors.empty()) return errors;
  for (const NaiveRows& feature : *features) {
    feature.CheckMissing(*message, &errors);
  }
  if (!errors.empty()) return errors;
  for (NaiveRows& feature : *features) {
    feature.TakeRow(*message, &errors);
  }
  return errors;
}

// The last `num_checked` features are looked at, but give no tensors.
NaiveTensors DecodeFeatures(std::span<const std::string_view> records,
                            MessageType message,
                            std::vector<NaiveRows> features,
                            size_t num_checked) {
  NaiveTensors result;
  for (size_t i = 0; i < records.size(); ++i) {
    result.errors = TakeRecord(NaiveParse(records[i], message), &features);
    if (!result.ok()) {
      result.record = i;
      return result;
    }
  }
  result.num_rows = records.size();
  for (size_t i = 0; i + num_checked < features.size(); ++i) {
    result.tensors.push_back(Maker(features[i]).Make());
  }
  return result;
}

std::vector<NaiveRows> FeaturesOf(const FeatureSpec& spec, RowRules rules) {
  std::vector<NaiveRows> features;
  for (const NamedFeature& feature : spec.features()) {
    features.emplace_back(feature, /*in_sequence=*/false, rules);
  }
  for (const NamedFeature& feature : spec.sequence_features()) {
    features.emplace_back(feature, /*in_sequence=*/true, rules);
  }
  return features;
}

}  // namespace

NaiveTensors NaiveDecodeTensors(std::span<const std::string_view> records,
                                const FeatureSpec& spec) {
  const bool sequence = spec.message() == MessageType::kSequence;
  return DecodeFeatures(
      records, spec.message(),
      FeaturesOf(spec, sequence ? RowRules::kSequence : RowRules::kExample),
      /*num_checked=*/0);
}

NaiveTensors NaiveSchemaTensors(std::span<const std::string_view> records,
                                const FeatureSpec& spec,
                                std::span<const ColumnField> columns) {
  std::vector<NaiveRows> features = FeaturesOf(spec, RowRules::kSchema);
  for (const ColumnField& column : columns) {
    const auto dtype = static_cast<DType>(column.kind);
    features.emplace_back(NamedFeature{column.name, VarLen(dtype)},
                          column.in_sequence, RowRules::kSchema);
  }
  return DecodeFeatures(records, spec.message(), std::move(features),
                        columns.size());
}

}  // namespace headrace::testing
