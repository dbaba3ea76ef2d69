#include "tests/naive/naive_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/naive/batch_tensors.h"
#include "tests/naive/naive_convert.h"
#include "tests/naive/naive_group_values.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {

namespace {

using Records = std::span<const std::string_view>;

struct Cell {
  std::set<ErrorCode> codes = {};
  std::vector<NaiveBits> values = {};
  std::vector<float> weights = {};
  bool present = false;
};

NaiveValue ValueAt(const Tensor& tensor, size_t i) {
  if (tensor.dtype == DType::kInt64) return tensor.int64s()[i];
  if (tensor.dtype == DType::kFloat) return tensor.floats()[i];
  return std::string(tensor.bytes()[i]);
}

uint64_t StoredAt(const Tensor& tensor, size_t i) {
  const size_t size = DTypeSize(tensor.dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(tensor.values) + i * size, size);
  return bits;
}

// Where the values of a row begin and end.
std::pair<size_t, size_t> RangeOf(const Tensor& tensor, size_t row,
                                  size_t num_rows) {
  if (tensor.kind == TensorKind::kDense) {
    const size_t width = tensor.num_values / num_rows;
    return {row * width, (row + 1) * width};
  }
  if (tensor.kind == TensorKind::kSparse) {
    return {static_cast<size_t>(tensor.row_offsets[row]),
            static_cast<size_t>(tensor.row_offsets[row + 1])};
  }
  auto begin = static_cast<int64_t>(row);
  int64_t end = begin + 1;
  for (const RowSplits& splits : tensor.row_splits) {
    begin = splits[static_cast<size_t>(begin)];
    end = splits[static_cast<size_t>(end)];
  }
  return {static_cast<size_t>(begin), static_cast<size_t>(end)};
}

}  // namespace

// A plan of plain features, and what is wrong with each record.
class NaiveGrouper::Plain {
 public:
  Plain() = default;
  explicit Plain(Plan plan) : plan_(std::move(plan)) {}

  struct Result {
    std::optional<Batch> batch;       // of the good records
    std::vector<ErrorCode> codes;     // of all records
    std::vector<size_t> row_of = {};  // of a good record
  };

  Result Decode(Records records) const {
    DecodeOptions options;
    options.on_row_error = OnRowError::kSkip;
    options.on_absent = OnAbsent::kIgnore;
    options.limits.max_reported = records.size() + 1;
    Decoder decoder(*plan_, options);
    Result result = {.batch = OrThrow(decoder.Decode(records)), .codes = {}};
    result.codes.assign(records.size(), ErrorCode::kOk);
    for (const Status& status : decoder.skipped()) {
      result.codes[status.info()->record] = status.code();
    }
    size_t row = 0;
    for (const ErrorCode code : result.codes) {
      result.row_of.push_back(row);
      if (code == ErrorCode::kOk) ++row;
    }
    return result;
  }

 private:
  std::optional<Plan> plan_;
};

class NaiveGrouper::Member {
 public:
  Member(const FeatureConfig& group, const NamedFeature& member,
         MessageType message)
      : member_(member.config), chain_(group, member.config) {
    // Keys of ragged features are not empty.
    FeatureConfig values = member_.layout == Layout::kVarLen
                               ? VarLen(member_.dtype)
                               : Ragged(member_.dtype);
    if (member_.layout == Layout::kFixedLen) {
      values = FixedLen(member_.dtype, member_.shape);
      values.default_values = member_.default_values;
      values.as = member_.as;
      values.encoding = member_.encoding;
    }
    FeatureSpec spec(message);
    Add("values", member.key(), values, &spec);
    if (member_.weight_key) {
      Add("weights", *member_.weight_key, Ragged(DType::kFloat), &spec);
    }
    plain_ = Plain(OrThrow(Plan::Compile(spec)));
    if (!member_.present) return;
    if (message == MessageType::kSequence) {
      const auto kind = static_cast<Kind>(member_.dtype);
      has_ = Plain(OrThrow(
          Plan::ForColumns({{member.key(), kind, false}}, message, false)));
      return;
    }
    // Only an absent feature is missing, whatever others hold.
    FeatureSpec none(message);
    Add("none", member.key(), FixedLen(member_.dtype, {0}), &none);
    has_ = Plain(OrThrow(Plan::Compile(none)));
  }

  std::vector<Cell> Read(Records records) const {
    std::vector<Cell> cells(records.size());
    const Plain::Result plain = plain_.Decode(records);
    std::optional<Plain::Result> has;
    if (member_.present) has = has_.Decode(records);
    for (size_t i = 0; i < records.size(); ++i) {
      Cell& cell = cells[i];
      if (plain.codes[i] != ErrorCode::kOk) {
        cell.codes.insert(plain.codes[i]);
        continue;
      }
      Take(*plain.batch, plain.row_of[i], &cell);
      if (!has) continue;
      cell.present = has->batch->columns().empty()
                         ? has->codes[i] != ErrorCode::kMissingFeature
                         : has->codes[i] == ErrorCode::kOk &&
                               !has->batch->columns()[0].IsNull(has->row_of[i]);
    }
    return cells;
  }

 private:
  void Add(const std::string& name, const std::string& key,
           FeatureConfig config, FeatureSpec* spec) const {
    config.column = key;
    member_.sequence ? spec->AddSequence(name, std::move(config))
                     : spec->Add(name, std::move(config));
  }

  void Take(const Batch& batch, size_t row, Cell* cell) const {
    const Tensor& tensor = *batch.FindTensor("values", member_.sequence);
    const auto [begin, end] = RangeOf(tensor, row, batch.num_rows());
    const size_t count = end - begin;
    std::vector<float> weights(count, 1.0f);
    if (member_.weight_key) {
      const Tensor& beside = *batch.FindTensor("weights", member_.sequence);
      const auto [first, last] = RangeOf(beside, row, batch.num_rows());
      weights.clear();
      for (size_t i = first; i < last; ++i) {
        weights.push_back(beside.floats()[i]);
      }
    }
    const auto most = static_cast<size_t>(member_.pad_to.value_or(0));
    const bool is_long = member_.pad_to && !member_.truncate && count > most;
    if (is_long || weights.size() != count) {
      cell->codes.insert(ErrorCode::kWrongCount);
      return;
    }
    size_t from = 0, to = count;
    if (member_.pad_to) to = std::min(to, most);
    if (member_.first_n) {
      to = std::min(to, static_cast<size_t>(*member_.first_n));
    }
    if (member_.last_n) {
      from = to - std::min(to, static_cast<size_t>(*member_.last_n));
    }
    for (size_t i = from; i < to; ++i) {
      std::optional<NaiveBits> bits;
      if (member_.as) {
        bits = NaiveBits{StoredAt(tensor, begin + i)};
      } else {
        bits = chain_.Apply(ValueAt(tensor, begin + i));
      }
      if (!bits) {
        cell->codes.insert(ErrorCode::kWrongKind);
        return;
      }
      cell->values.push_back(*bits);
      cell->weights.push_back(weights[i]);
    }
    if (member_.pad_to) cell->values.resize(most);
  }

  FeatureConfig member_;
  NaiveChain chain_;
  Plain plain_;
  Plain has_;
};

bool NaiveGroupsFit(const FeatureSpec& spec) {
  for (const NamedFeature& group : spec.features()) {
    if (!IsGroup(group.config.layout)) continue;
    for (const NamedFeature& member : group.config.members) {
      if (!NaiveChain(group.config, member.config).Fits()) return false;
    }
  }
  return true;
}

NaiveGrouper::NaiveGrouper(const FeatureSpec& spec) : others_(spec.message()) {
  for (const NamedFeature& feature : spec.features()) {
    if (!IsGroup(feature.config.layout)) {
      others_.Add(feature.name, feature.config);
      continue;
    }
    Group& group = groups_.emplace_back();
    group.feature = feature;
    for (const NamedFeature& member : feature.config.members) {
      group.members.push_back(
          std::make_unique<Member>(feature.config, member, spec.message()));
    }
  }
  for (const NamedFeature& feature : spec.sequence_features()) {
    others_.AddSequence(feature.name, feature.config);
  }
  for (const NamedFeature& feature : spec.example_features()) {
    others_.AddToExamples(feature.name, feature.config);
  }
}

NaiveGrouper::~NaiveGrouper() = default;

namespace {

// A member's cells, of all records.
using Cells = std::vector<Cell>;

void MakeMatrix(const FeatureConfig& config, const std::vector<Cells>& members,
                const std::vector<size_t>& good, NaiveGroup* group) {
  const NaiveBits one = *NaiveCast(int64_t{1}, *config.as, false);
  int64_t width = 0;
  for (const NamedFeature& member : config.members) {
    width += member.config.pad_to.value_or(Product(member.config.shape));
    if (member.config.present) ++width;
  }
  group->shape = {static_cast<int64_t>(good.size()), width};
  for (const size_t row : good) {
    for (size_t m = 0; m < members.size(); ++m) {
      const Cell& cell = members[m][row];
      group->values.insert(group->values.end(), cell.values.begin(),
                           cell.values.end());
      if (config.members[m].config.present) {
        group->values.push_back(cell.present ? one : NaiveBits());
      }
    }
  }
}

void MakeJagged(const FeatureConfig& config, const std::vector<Cells>& members,
                const std::vector<size_t>& good, NaiveGroup* group) {
  group->is_jagged = true;
  group->int64_lengths = config.lengths_dtype == DType::kInt64;
  if (config.weights) group->weights.emplace();
  for (size_t m = 0; m < members.size(); ++m) {
    group->keys.push_back(config.members[m].name);
    for (const size_t row : good) {
      const Cell& cell = members[m][row];
      group->values.insert(group->values.end(), cell.values.begin(),
                           cell.values.end());
      group->lengths.push_back(static_cast<int64_t>(cell.values.size()));
      if (!config.weights) continue;
      for (const float weight : cell.weights) {
        group->weights->push_back(std::bit_cast<uint32_t>(weight));
      }
    }
  }
}

}  // namespace

NaiveGroups NaiveGrouper::Decode(Records records) const {
  NaiveGroups result;
  result.rows.resize(records.size());
  std::vector<std::vector<Cells>> cells;
  for (const Group& group : groups_) {
    auto& members = cells.emplace_back();
    for (const auto& member : group.members) {
      members.push_back(member->Read(records));
    }
  }
  const bool has_others = !others_.features().empty() ||
                          !others_.sequence_features().empty() ||
                          !others_.example_features().empty();
  Plain others;
  std::vector<ErrorCode> codes(records.size());
  if (has_others) {
    others = Plain(OrThrow(Plan::Compile(others_)));
    codes = others.Decode(records).codes;
  }
  std::vector<size_t> good;
  std::vector<std::string_view> good_records;
  for (size_t i = 0; i < records.size(); ++i) {
    NaiveFault& fault = result.rows[i];
    if (has_others && codes[i] != ErrorCode::kOk) fault.codes = {codes[i]};
    for (const auto& members : cells) {
      for (const Cells& member : members) {
        fault.codes.insert(member[i].codes.begin(), member[i].codes.end());
      }
    }
    if (fault.ok()) {
      good.push_back(i);
      good_records.push_back(records[i]);
      continue;
    }
    // Only the first class is reported (E2).
    fault.codes = {*fault.codes.begin()};
    const ErrorCode code = *fault.codes.begin();
    fault.any_feature = has_others && codes[i] == code;
    fault.is_bare = IsListOfExamples(others_.message()) ||
                    !NaiveParse(records[i], others_.message());
    for (size_t g = 0; g < cells.size(); ++g) {
      for (size_t m = 0; m < cells[g].size(); ++m) {
        if (cells[g][m][i].codes.contains(code)) {
          fault.members.insert(groups_[g].feature.config.members[m].name);
        }
      }
    }
  }
  for (size_t g = 0; g < groups_.size(); ++g) {
    const FeatureConfig& config = groups_[g].feature.config;
    NaiveGroup& group = result.groups.emplace_back();
    group.name = groups_[g].feature.name;
    group.dtype = *config.as;
    config.layout == Layout::kMatrix
        ? MakeMatrix(config, cells[g], good, &group)
        : MakeJagged(config, cells[g], good, &group);
  }
  result.others.num_rows = good.size();
  if (has_others) {
    result.others = TensorsOf(*others.Decode(good_records).batch);
  }
  return result;
}

namespace {

std::string Difference(const NaiveGroup& expected, const Tensor& tensor) {
  const auto kind =
      expected.is_jagged ? TensorKind::kJagged : TensorKind::kDense;
  if (tensor.kind != kind) return "another kind of tensor";
  if (tensor.dtype != expected.dtype) return "another type";
  if (!expected.is_jagged &&
      !std::equal(tensor.shape.begin(), tensor.shape.end(),
                  expected.shape.begin(), expected.shape.end())) {
    std::string text = "another shape:";
    for (const int64_t size : tensor.shape) {
      text += ' ' + std::to_string(size);
    }
    text += " instead of";
    for (const int64_t size : expected.shape) {
      text += ' ' + std::to_string(size);
    }
    return text;
  }
  if (!std::equal(tensor.keys.begin(), tensor.keys.end(), expected.keys.begin(),
                  expected.keys.end())) {
    return "other keys";
  }
  if (expected.is_jagged) {
    if (tensor.key_lengths.is_int64 != expected.int64_lengths ||
        tensor.key_offsets.is_int64 != expected.int64_lengths) {
      return "lengths or offsets of another type";
    }
    if (tensor.key_lengths.size != expected.lengths.size()) {
      return "another number of lengths";
    }
    for (size_t i = 0; i < expected.lengths.size(); ++i) {
      if (tensor.key_lengths[i] != expected.lengths[i]) {
        return "length " + std::to_string(i) + " is " +
               std::to_string(tensor.key_lengths[i]) + " instead of " +
               std::to_string(expected.lengths[i]);
      }
    }
  }
  if (tensor.num_values != expected.values.size()) {
    return std::to_string(tensor.num_values) + " values instead of " +
           std::to_string(expected.values.size());
  }
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const uint64_t bits = StoredAt(tensor, i);
    const NaiveBits& wanted = expected.values[i];
    if (wanted.any_nan ? NaiveIsNan(tensor.dtype, bits) : bits == wanted.bits) {
      continue;
    }
    return "value " + std::to_string(i) + " has the bits " +
           std::to_string(bits) + " instead of " +
           (wanted.any_nan ? "a NaN" : std::to_string(wanted.bits));
  }
  if ((tensor.weights != nullptr) != expected.weights.has_value() &&
      !expected.values.empty()) {
    return "weights";
  }
  if (!expected.weights) return {};
  for (size_t i = 0; i < expected.weights->size(); ++i) {
    if (std::bit_cast<uint32_t>(tensor.weights[i]) != (*expected.weights)[i]) {
      return "weight " + std::to_string(i) + " is " +
             std::to_string(tensor.weights[i]);
    }
  }
  return {};
}

}  // namespace

std::string Difference(const NaiveGroups& expected, const Batch& actual) {
  std::string broken = BrokenTensors(actual);
  if (!broken.empty()) return broken;
  for (const NaiveGroup& group : expected.groups) {
    const Tensor* const tensor = actual.FindTensor(group.name, false);
    if (tensor == nullptr) return "no tensor \"" + group.name + '"';
    const std::string difference = Difference(group, *tensor);
    if (!difference.empty()) return '"' + group.name + "\": " + difference;
  }
  NaiveTensors others = TensorsOf(actual);
  std::erase_if(others.tensors, [&](const NaiveTensor& tensor) {
    return !tensor.in_sequence &&
           std::any_of(expected.groups.begin(), expected.groups.end(),
                       [&](const NaiveGroup& group) {
                         return group.name == tensor.name;
                       });
  });
  return Difference(expected.others, others);
}

std::string Difference(const NaiveGroups& expected, size_t i,
                       const Status& actual) {
  const NaiveFault& fault = expected.rows[i];
  if (fault.is_bare && actual.code() == ErrorCode::kMalformed) return {};
  if (!fault.codes.contains(actual.code())) {
    return "the error of row " + std::to_string(i) + " is " +
           actual.ToString() + " instead of " +
           (fault.ok() ? "none" : std::string(NameOf(*fault.codes.begin())));
  }
  if (actual.code() == ErrorCode::kMalformed || fault.any_feature) return {};
  const std::string& feature = actual.info()->feature;
  if (fault.is_bare && feature.empty()) return {};
  if (!fault.members.contains(feature)) {
    return "an error of \"" + feature +
           "\", which has none: " + actual.ToString();
  }
  for (const NaiveGroup& group : expected.groups) {
    if (actual.ToString().find('"' + group.name + '"') != std::string::npos) {
      return {};
    }
  }
  return "no group in " + actual.ToString();
}

}  // namespace headrace::testing
