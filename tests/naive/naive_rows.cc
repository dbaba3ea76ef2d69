#include "tests/naive/naive_rows.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "tests/naive/naive_convert.h"
#include "tests/naive/naive_tensor_proto.h"

namespace headrace::testing {

namespace {

using Ints = std::vector<int64_t>;

}  // namespace

// A record holds this under one key: the context has one step, which is unset
// where the key is absent.
struct NaiveRows::Cell {
  bool present = false;
  std::vector<NaiveFeature> steps = {};
};

NaiveRows::Cell NaiveRows::CellOf(const NaiveMessage& message,
                                  const std::string& key) const {
  if (in_sequence_) {
    const auto found = message.feature_lists.find(key);
    if (found == message.feature_lists.end()) return {};
    return {.present = true, .steps = found->second};
  }
  const auto found = message.features.find(key);
  if (found == message.features.end()) return {.steps = {NaiveFeature{}}};
  return {.present = true, .steps = {found->second}};
}

Kind KindOf(DType dtype) {
  if (dtype == DType::kBytes) return Kind::kBytes;
  if (dtype == DType::kFloat) return Kind::kFloat;
  if (dtype == DType::kInt64) return Kind::kInt64;
  throw std::runtime_error("no dtype of a record");
}

Kind TensorKindOf(const FeatureConfig& config) {
  const DType dtype = NaiveTensorType(config);
  if (dtype == DType::kBytes) return Kind::kBytes;
  return dtype == DType::kFloat ? Kind::kFloat : Kind::kInt64;
}

int64_t Product(const Ints& shape) {
  int64_t product = 1;
  for (int64_t dimension : shape) product *= dimension;
  return product;
}

void Append(const NaiveFeature& from, NaiveFeature* to) {
  to->bytes.insert(to->bytes.end(), from.bytes.begin(), from.bytes.end());
  to->floats.insert(to->floats.end(), from.floats.begin(), from.floats.end());
  to->int64s.insert(to->int64s.end(), from.int64s.begin(), from.int64s.end());
}

NaiveFeature Slice(const NaiveFeature& from, size_t begin, size_t end) {
  NaiveFeature slice{.kind = from.kind};
  for (size_t i = begin; i < end; ++i) {
    if (from.kind == Kind::kBytes) slice.bytes.push_back(from.bytes[i]);
    if (from.kind == Kind::kFloat) slice.floats.push_back(from.floats[i]);
    if (from.kind == Kind::kInt64) slice.int64s.push_back(from.int64s[i]);
  }
  return slice;
}

NaiveFeature DefaultOf(const FeatureConfig& config) {
  NaiveFeature values{.kind = KindOf(config.dtype)};
  const DefaultValues& from = *config.default_values;
  if (const auto* bytes = std::get_if<std::vector<std::string>>(&from)) {
    values.bytes = *bytes;
  } else if (const auto* floats = std::get_if<std::vector<float>>(&from)) {
    for (float value : *floats) {
      values.floats.push_back(std::bit_cast<uint32_t>(value));
    }
  } else {
    values.int64s = std::get<Ints>(from);
  }
  return values;
}

NaiveRows::NaiveRows(const NamedFeature& feature, bool in_sequence,
                     RowRules rules)
    : feature_(feature),
      in_sequence_(in_sequence),
      rules_(rules),
      kind_(KindOf(feature.config.dtype)) {}

// TensorFlow takes a default without values for no default.
bool NaiveRows::HasDefault() const {
  if (!config().default_values) return false;
  return rules_ == RowRules::kSchema || Product(config().shape) != 0;
}

void NaiveRows::CheckKind(const NaiveMessage& message, const std::string& key,
                          Kind kind, NaiveErrors* errors) const {
  for (const NaiveFeature& step : CellOf(message, key).steps) {
    if (step.kind == Kind::kNull || step.kind == kind) continue;
    (*errors)[ErrorCode::kWrongKind].insert({feature_.name, key});
  }
}

void NaiveRows::CheckKinds(const NaiveMessage& message,
                           NaiveErrors* errors) const {
  CheckKind(message, feature_.key(), kind_, errors);
  for (const NaiveFeature& step : CellOf(message, feature_.key()).steps) {
    if (step.kind == kind_ && NaiveReadsTensors(config())) {
      CheckTensorTypes(step, errors);
    }
    if (step.kind != kind_ || NaiveReinterprets(config())) continue;
    if (NaiveConvert(step, config())) continue;
    (*errors)[ErrorCode::kWrongKind].insert({feature_.name, feature_.key()});
  }
  if (config().item_shape_key) {
    CheckKind(message, *config().item_shape_key, Kind::kInt64, errors);
  }
  for (const std::string& key : config().index_keys) {
    CheckKind(message, key, Kind::kInt64, errors);
  }
  for (const Partition& partition : config().partitions) {
    if (partition.type == PartitionType::kUniformRowLength) continue;
    CheckKind(message, partition.key, Kind::kInt64, errors);
  }
}

bool NaiveRows::CountFits(const Cell& cell, const NaiveFeature& step) const {
  const int64_t want = Product(config().shape);
  const int64_t count = step.count();
  switch (config().layout) {
    case Layout::kFixedLen: {
      // An unset feature takes the default, but not in a SequenceExample.
      const bool unset =
          step.kind == Kind::kNull && rules_ != RowRules::kSequence;
      if (!cell.present || unset) return true;
      return NaiveReinterprets(config()) ? count == 1 && BytesFit(step)
                                         : count == want;
    }
    case Layout::kFixedLenSequence:
      return in_sequence_ ? count == want : count % want == 0;
    default:
      return !config().pad_to || config().truncate || count <= *config().pad_to;
  }
}

// A tensor of another type is of the wrong kind. In a fixed_len feature only
// the type of a single value counts.
void NaiveRows::CheckTensorTypes(const NaiveFeature& step,
                                 NaiveErrors* errors) const {
  const bool is_fixed = config().layout == Layout::kFixedLen;
  if (is_fixed && step.count() != 1) return;
  for (const std::string& value : step.bytes) {
    const auto tensor = NaiveReadTensor(
        value, *config().as,
        is_fixed ? config().shape : config().item_shape.value_or(Ints()));
    if (tensor.end != NaiveTensorProto::End::kOtherType) continue;
    (*errors)[ErrorCode::kWrongKind].insert({feature_.name, feature_.key()});
  }
}

bool NaiveRows::BytesFit(const NaiveFeature& step) const {
  if (NaiveReadsTensors(config())) {
    // Another type is of the wrong kind, not a wrong count.
    const auto end =
        NaiveReadTensor(step.bytes[0], *config().as, config().shape).end;
    return end == NaiveTensorProto::End::kTensor ||
           end == NaiveTensorProto::End::kOtherType;
  }
  const auto bytes = NaiveUnpack(step.bytes[0], config().encoding);
  return bytes && static_cast<int64_t>(bytes->size()) ==
                      Product(config().shape) * NaiveSize(*config().as);
}

// Without a shape a value of encoded bytes has to be there.
bool NaiveRows::IsMissing(const Cell& cell) const {
  const bool unset =
      rules_ != RowRules::kSequence && cell.steps[0].kind == Kind::kNull;
  return config().item_shape && NaiveShapeOf(config()).own.empty() &&
         (!cell.present || unset);
}

NaiveRagged NaiveRows::CutStep(const NaiveMessage& message, size_t step) const {
  return NaiveCut(config(), CellOf(message, feature_.key()).steps[step],
                  [&](const std::string& key) {
                    return CellOf(message, key).steps[step].int64s;
                  });
}

std::optional<int64_t> NaiveRows::LengthOf(const NaiveMessage& message) const {
  NaiveErrors errors;
  CheckKinds(message, &errors);
  if (!errors.empty()) return std::nullopt;
  const NaiveRagged cut = CutStep(message, 0);
  if (cut.error != ErrorCode::kOk) return std::nullopt;
  return cut.lengths[0][0];
}

void NaiveRows::CheckGroup(const NaiveMessage& message, const NaiveRows& first,
                           NaiveErrors* errors) const {
  const auto wanted = first.LengthOf(message);
  const auto length = LengthOf(message);
  if (!wanted || !length || *wanted == *length) return;
  (*errors)[ErrorCode::kWrongCount].insert(feature_.name);
}

void NaiveRows::CheckCounts(const NaiveMessage& message,
                            NaiveErrors* errors) const {
  const Cell cell = CellOf(message, feature_.key());
  if (config().layout == Layout::kRagged && errors->empty()) {
    for (size_t step = 0; step < cell.steps.size(); ++step) {
      const bool has_list =
          config().item_shape_key &&
          !CellOf(message, *config().item_shape_key).steps[0].int64s.empty();
      if (IsMissing(cell) && !has_list) continue;
      if (!HasAllSteps(message, cell)) continue;
      if (CutStep(message, step).error != ErrorCode::kWrongCount) continue;
      (*errors)[ErrorCode::kWrongCount].insert({feature_.name, feature_.key()});
      return;
    }
    return;
  }
  for (const NaiveFeature& step : cell.steps) {
    if (step.kind != Kind::kNull && step.kind != kind_) continue;
    if (CountFits(cell, step)) continue;
    (*errors)[ErrorCode::kWrongCount].insert({feature_.name, feature_.key()});
  }
}

void NaiveRows::CheckMissing(const NaiveMessage& message,
                             NaiveErrors* errors) const {
  const Cell cell = CellOf(message, feature_.key());
  bool missing = false;
  if (config().layout == Layout::kFixedLen && !HasDefault()) {
    missing = !cell.present || (rules_ != RowRules::kSequence &&
                                cell.steps[0].kind == Kind::kNull);
  } else if (config().layout == Layout::kFixedLenSequence && in_sequence_) {
    missing = !cell.present && !config().allow_missing;
  } else if (config().layout == Layout::kRagged && !in_sequence_) {
    missing = IsMissing(cell);
  }
  if (!missing) return;
  (*errors)[ErrorCode::kMissingFeature].insert({feature_.name, feature_.key()});
}

void NaiveRows::TakeRow(const NaiveMessage& message, NaiveErrors* errors) {
  NaiveRow row{.steps = CellOf(message, feature_.key()).steps};
  for (NaiveFeature& step : row.steps) {
    if (config().layout == Layout::kFixedLen && step.kind == Kind::kNull &&
        HasDefault()) {
      step = DefaultOf(config());
    }
    step.kind = kind_;
    if (config().layout != Layout::kRagged) step = TensorValues(step);
  }
  if (config().layout == Layout::kSparse && !TakeIndices(message, &row)) {
    (*errors)[ErrorCode::kBadSparseIndex].insert(feature_.name);
  }
  if (config().layout == Layout::kRagged && !TakePartitions(message, &row)) {
    (*errors)[ErrorCode::kBadPartition].insert(feature_.name);
  }
  if (errors->empty()) rows_.push_back(std::move(row));
}

NaiveFeature NaiveRows::TensorValues(const NaiveFeature& step) const {
  if (!NaiveReinterprets(config())) return *NaiveConvert(step, config());
  if (NaiveReadsTensors(config())) {
    return NaiveReadTensor(step.bytes[0], *config().as, config().shape)
        .elements;
  }
  return *NaiveElements(*NaiveUnpack(step.bytes[0], config().encoding),
                        *config().as);
}

bool NaiveRows::TakeIndices(const NaiveMessage& message, NaiveRow* row) const {
  NaiveFeature& values = row->steps[0];
  std::vector<Ints> coordinates(values.size());
  for (size_t k = 0; k < config().index_keys.size(); ++k) {
    const Ints column = CellOf(message, config().index_keys[k]).steps[0].int64s;
    if (column.size() != values.size()) return false;
    for (size_t i = 0; i < column.size(); ++i) {
      const bool inside = column[i] >= 0 && column[i] < config().size[k];
      if (config().check_indices && !inside) return false;
      coordinates[i].push_back(column[i]);
    }
  }
  std::vector<size_t> order(values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!config().already_sorted) {
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return coordinates[a] < coordinates[b];
    });
  }
  NaiveFeature sorted{.kind = values.kind};
  for (size_t i : order) {
    Append(Slice(values, i, i + 1), &sorted);
    row->indices.insert(row->indices.end(), coordinates[i].begin(),
                        coordinates[i].end());
  }
  values = sorted;
  return true;
}

bool NaiveRows::HasAllSteps(const NaiveMessage& message,
                            const Cell& cell) const {
  for (const Partition& partition : config().partitions) {
    if (partition.type == PartitionType::kUniformRowLength) continue;
    if (CellOf(message, partition.key).steps.size() != cell.steps.size()) {
      return false;
    }
  }
  return true;
}

bool NaiveRows::TakePartitions(const NaiveMessage& message,
                               NaiveRow* row) const {
  if (!HasAllSteps(message, CellOf(message, feature_.key()))) return false;
  for (size_t step = 0; step < row->steps.size(); ++step) {
    NaiveRagged cut = CutStep(message, step);
    if (cut.error != ErrorCode::kOk) return false;
    row->lengths.push_back(std::move(cut.lengths));
    row->steps[step] = std::move(cut.values);
  }
  return true;
}

}  // namespace headrace::testing
