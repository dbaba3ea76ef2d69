// From a FeatureSpec to a Program: everything that can be known to be wrong
// before the first record is found here. Rules S1 to S11 of docs/semantics.md.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/base/quote.h"
#include "src/plan/bad_spec.h"
#include "src/plan/program.h"

namespace headrace::plan {
namespace {

// A row or a padding unit has no more values than 32-bit offsets can count.
constexpr size_t kMaxElements = (size_t{1} << 31) - 1;

// TensorFlow parses a key as one of these, never as two.
enum class Role : uint8_t { kDense, kSparse, kRagged };

constexpr std::string_view kRoleNames[] = {"dense", "sparse", "ragged"};

Role RoleOf(Layout layout) {
  switch (layout) {
    case Layout::kFixedLen:
    case Layout::kFixedLenSequence:
      return Role::kDense;
    case Layout::kVarLen:
    case Layout::kSparse:
      return Role::kSparse;
    case Layout::kRagged:
      break;
  }
  return Role::kRagged;
}

Kind KindOf(DType dtype) { return static_cast<Kind>(dtype); }

bool IsWireType(DType dtype) {
  return dtype == DType::kInt64 || dtype == DType::kFloat ||
         dtype == DType::kBytes;
}

Status Bad(const NamedFeature& feature, const std::string& what,
           std::string_view rule) {
  return BadSpec("feature", feature.name, what, rule);
}

// Values of a shape; false when they are too many or a dimension is negative.
bool CountElements(const std::vector<int64_t>& shape, size_t* elements) {
  *elements = 1;
  bool is_empty = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return false;
    is_empty |= dimension == 0;
    // A zero later on must not hide an overflow.
    if (dimension > 0 &&
        (!CheckedMul(*elements, static_cast<size_t>(dimension), elements) ||
         *elements > kMaxElements)) {
      return false;
    }
  }
  if (is_empty) *elements = 0;
  return true;
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ",";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

size_t CountDefaults(const DefaultValues& values) {
  return std::visit([](const auto& list) { return list.size(); }, values);
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

// Of a default that has the type of its feature.
bool Fits(const DefaultValues& values, DType to) {
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
             to == DType::kInt16 || to == DType::kInt8 ||
             to == DType::kUint64 || to == DType::kUint32 ||
             to == DType::kUint16 || to == DType::kUint8;
    case DType::kFloat:
      return to == DType::kFloat || to == DType::kFloat16 ||
             to == DType::kBfloat16;
    default:
      return to == DType::kBytes || config.layout == Layout::kFixedLen;
  }
}

bool Reinterprets(const FeatureConfig& config) {
  return config.dtype == DType::kBytes &&
         config.as.value_or(DType::kBytes) != DType::kBytes;
}

}  // namespace

class SpecCompiler {
 public:
  Result<std::shared_ptr<const Program>> Compile(const FeatureSpec& spec);

 private:
  // How the features of the spec use one key on the wire.
  struct Use {
    uint32_t slot = kNoSlot;
    size_t count = 0;
    std::string_view first;  // feature that used it first
    // Of the features without `column`; those with it may share.
    bool has_role = false;
    Role role = Role::kDense;
    DType splits = DType::kInt32;
  };
  using Uses = absl::flat_hash_map<std::string_view, Use>;

  Status AddTensors(const std::vector<NamedFeature>& features,
                    bool in_sequence);
  Status CheckPlace(const NamedFeature& feature, bool in_sequence) const;
  Status CheckShape(const NamedFeature& feature, bool in_sequence);
  Status CheckDefault(const NamedFeature& feature, bool in_sequence) const;
  Status CheckSparse(const NamedFeature& feature) const;
  Status CheckRagged(const NamedFeature& feature) const;
  Status CheckType(const NamedFeature& feature) const;
  Status CheckPadding(const NamedFeature& feature, bool in_sequence) const;

  Status AddOutput(uint32_t field);
  Status UseKey(const TensorField& field, const std::string& key, Kind kind,
                uint32_t* slot);
  const void* Defaults(const DefaultValues& values);
  void ChooseDense();

  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  size_t elements_ = 1;  // of the feature being checked
  std::vector<size_t> counts_;
  Uses features_;
  Uses lists_;
};

Status SpecCompiler::CheckPlace(const NamedFeature& feature,
                                bool in_sequence) const {
  const Layout layout = feature.config.layout;
  if (!IsWireType(feature.config.dtype)) {
    return Bad(feature,
               "has type " + std::string(DTypeName(feature.config.dtype)) +
                   "; records hold int64, float or bytes",
               "S2");
  }
  const bool sequence = program_->message_ == MessageType::kSequence;
  const bool allowed =
      in_sequence ? layout != Layout::kFixedLen && layout != Layout::kSparse
      : !sequence
          ? true
          : layout != Layout::kFixedLenSequence && layout != Layout::kSparse;
  if (allowed) return Status();
  return Bad(feature,
             "is " + std::string(LayoutName(layout)) + ", which " +
                 (in_sequence ? "a feature list" : "a context feature") +
                 " cannot be",
             "S3");
}

Status SpecCompiler::CheckShape(const NamedFeature& feature, bool in_sequence) {
  const FeatureConfig& config = feature.config;
  elements_ = 1;
  const bool is_sequence = config.layout == Layout::kFixedLenSequence;
  if (config.layout != Layout::kFixedLen && !is_sequence) return Status();
  if (!CountElements(config.shape, &elements_)) {
    return Bad(feature,
               "has shape " + ShapeText(config.shape) +
                   "; dimensions are not negative, and their product is less "
                   "than 2^31",
               "S4");
  }
  if (is_sequence && elements_ == 0) {
    return Bad(feature,
               "has shape " + ShapeText(config.shape) +
                   " without elements, of which no sequence can be made",
               "S4");
  }
  if (is_sequence && !in_sequence && !config.allow_missing) {
    return Bad(feature, "must allow to be missing in an Example", "S6");
  }
  return Status();
}

Status SpecCompiler::CheckDefault(const NamedFeature& feature,
                                  bool in_sequence) const {
  const FeatureConfig& config = feature.config;
  if (!config.default_values) return Status();
  const bool fixed = config.layout == Layout::kFixedLen;
  if (!fixed && config.layout != Layout::kFixedLenSequence) {
    return Bad(feature,
               "has a default, which " +
                   std::string(LayoutName(config.layout)) + " does not use",
               "S5");
  }
  if (in_sequence) {
    return Bad(feature, "has a default, which a feature list cannot have",
               "S5");
  }
  if (Reinterprets(config)) {
    return Bad(feature, "is read from raw bytes and cannot have a default",
               "S5");
  }
  if (!HasType(*config.default_values, config.dtype)) {
    return Bad(feature,
               "has a default of another type than " +
                   std::string(DTypeName(config.dtype)),
               "S5");
  }
  const size_t count = CountDefaults(*config.default_values);
  const size_t expected = fixed ? elements_ : 1;
  if (count != expected) {
    return Bad(feature,
               "has a default of " + std::to_string(count) +
                   " values, needs exactly " + std::to_string(expected),
               "S5");
  }
  return Status();
}

Status SpecCompiler::CheckSparse(const NamedFeature& feature) const {
  const FeatureConfig& config = feature.config;
  if (config.layout != Layout::kSparse) {
    if (config.index_keys.empty() && config.size.empty()) return Status();
    return Bad(feature, "has index keys or sizes, but is not sparse", "S7");
  }
  if (config.index_keys.empty() || feature.key().empty()) {
    return Bad(feature, "needs index keys and the key of its values", "S7");
  }
  for (const std::string& key : config.index_keys) {
    if (key.empty()) return Bad(feature, "has an empty index key", "S7");
  }
  if (config.index_keys.size() != config.size.size()) {
    return Bad(feature,
               "has " + std::to_string(config.index_keys.size()) +
                   " index keys but " + std::to_string(config.size.size()) +
                   " sizes",
               "S7");
  }
  for (const int64_t size : config.size) {
    if (size < -1) return Bad(feature, "has a negative size", "S7");
  }
  return Status();
}

Status SpecCompiler::CheckRagged(const NamedFeature& feature) const {
  const FeatureConfig& config = feature.config;
  if (config.layout != Layout::kRagged) {
    if (config.partitions.empty()) return Status();
    return Bad(feature, "has partitions, but is not ragged", "S8");
  }
  if (feature.key().empty()) {
    return Bad(feature, "is ragged and needs a value key that is not empty",
               "S8");
  }
  if (config.row_splits_dtype != DType::kInt32 &&
      config.row_splits_dtype != DType::kInt64) {
    return Bad(feature, "has row splits that are neither int32 nor int64",
               "S8");
  }
  for (const Partition& partition : config.partitions) {
    if (partition.type != PartitionType::kUniformRowLength) {
      if (!partition.key.empty()) continue;
      return Bad(feature,
                 "has a partition " +
                     std::string(PartitionTypeName(partition.type)) +
                     " without a key",
                 "S8");
    }
    if (partition.uniform_row_length <= 0) {
      return Bad(feature,
                 "has a uniform row length of " +
                     std::to_string(partition.uniform_row_length) +
                     ", which must be positive",
                 "S8");
    }
  }
  return Status();
}

Status SpecCompiler::CheckType(const NamedFeature& feature) const {
  const FeatureConfig& config = feature.config;
  if (!config.as) return Status();
  if (!CanBecome(config, *config.as)) {
    return Bad(feature,
               "is " + std::string(DTypeName(config.dtype)) +
                   ", which cannot be read as " +
                   std::string(DTypeName(*config.as)),
               "S10");
  }
  if (config.default_values && !Fits(*config.default_values, *config.as)) {
    return Bad(
        feature,
        "has a default that does not fit " + std::string(DTypeName(*config.as)),
        "S10");
  }
  size_t bytes;
  if (Reinterprets(config) &&
      (!CheckedMul(elements_, DTypeSize(*config.as), &bytes) ||
       bytes > kMaxElements)) {
    return Bad(feature, "is larger than 2^31 bytes", "S10");
  }
  return Status();
}

Status SpecCompiler::CheckPadding(const NamedFeature& feature,
                                  bool in_sequence) const {
  const FeatureConfig& config = feature.config;
  if (!config.pad_to) {
    if (!config.truncate) return Status();
    return Bad(feature, "is truncated, but not padded", "S11");
  }
  if (config.layout != Layout::kVarLen || in_sequence) {
    return Bad(feature,
               "is padded, which only var_len outside feature lists "
               "can be",
               "S11");
  }
  if (*config.pad_to <= 0 ||
      static_cast<uint64_t>(*config.pad_to) > kMaxElements) {
    return Bad(feature,
               "is padded to " + std::to_string(*config.pad_to) +
                   ", which must be positive and less than 2^31",
               "S11");
  }
  return Status();
}

Status SpecCompiler::AddTensors(const std::vector<NamedFeature>& features,
                                bool in_sequence) {
  absl::flat_hash_map<std::string_view, size_t> seen;
  seen.reserve(features.size());
  for (const NamedFeature& feature : features) {
    if (!seen.emplace(feature.name, 0).second) {
      return Bad(feature, "is listed twice", "S1");
    }
    if (!IsKey(feature.name)) return Bad(feature, "is not UTF-8", "S1");
    Status status = CheckPlace(feature, in_sequence);
    if (status.ok()) status = CheckShape(feature, in_sequence);
    if (status.ok()) status = CheckDefault(feature, in_sequence);
    if (status.ok()) status = CheckSparse(feature);
    if (status.ok()) status = CheckRagged(feature);
    if (status.ok()) status = CheckType(feature);
    if (status.ok()) status = CheckPadding(feature, in_sequence);
    if (!status.ok()) return status;
    program_->tensors_.push_back({feature, in_sequence});
    counts_.push_back(elements_);
  }
  return Status();
}

Status SpecCompiler::UseKey(const TensorField& field, const std::string& key,
                            Kind kind, uint32_t* slot) {
  const NamedFeature& feature = field.feature;
  if (!IsKey(key)) {
    return Bad(feature,
               "reads key " + Quote(key) +
                   ", which is not UTF-8, so no record can have it",
               "S1");
  }
  Use& use = (field.in_sequence ? lists_ : features_)[key];
  if (use.count++ == 0) {
    use.slot = static_cast<uint32_t>(program_->slots_.size());
    use.first = feature.name;
    program_->slots_.push_back(
        {.key = key,
         .kind = kind,
         .in_sequence = field.in_sequence,
         .form = field.in_sequence ? SlotForm::kSteps : SlotForm::kList});
  }
  *slot = use.slot;
  const Kind known = program_->slots_[use.slot].kind;
  const std::string both = "reads key " + Quote(key) + " as ";
  const std::string other =
      ", feature " + Quote(std::string(use.first)) + " as ";
  if (known != kind) {
    return Bad(feature,
               both + std::string(KindName(kind)) + other +
                   std::string(KindName(known)),
               "S9");
  }
  if (feature.config.column) return Status();
  const Role role = RoleOf(feature.config.layout);
  if (!use.has_role) {
    use.has_role = true;
    use.role = role;
    use.splits = feature.config.row_splits_dtype;
  } else if (use.role != role) {
    return Bad(feature,
               both + std::string(kRoleNames[static_cast<int>(role)]) + other +
                   std::string(kRoleNames[static_cast<int>(use.role)]),
               "S9");
  } else if (role == Role::kRagged &&
             use.splits != feature.config.row_splits_dtype) {
    return Bad(feature,
               both + "ragged with other row splits than feature " +
                   Quote(std::string(use.first)),
               "S9");
  }
  return Status();
}

const void* SpecCompiler::Defaults(const DefaultValues& values) {
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&values)) {
    return ints->data();
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
    return floats->data();
  }
  const auto& strings = std::get<std::vector<std::string>>(values);
  return program_->default_bytes_.emplace_back(strings.begin(), strings.end())
      .data();
}

Status SpecCompiler::AddOutput(uint32_t index) {
  const TensorField& field = program_->tensors_[index];
  const NamedFeature& feature = field.feature;
  const FeatureConfig& config = feature.config;
  Output output{
      .field = index,
      .layout = config.layout,
      .in_sequence = field.in_sequence,
      .from = config.dtype,
      .to = feature.tensor_dtype(),
      .shape = config.layout == Layout::kSparse ? config.size : config.shape,
      .elements = counts_[index],
      .allow_missing = config.allow_missing,
      .unset_is_empty = program_->message_ == MessageType::kSequence,
      .reinterpret = Reinterprets(config),
      .pad_to = static_cast<size_t>(config.pad_to.value_or(0)),
      .truncate = config.truncate,
      .already_sorted = config.already_sorted,
      .check_indices = config.check_indices,
      .int64_splits = config.row_splits_dtype == DType::kInt64};
  // A default for a shape without elements does not count as one (T2).
  if (config.default_values && CountDefaults(*config.default_values) > 0) {
    output.default_values = Defaults(*config.default_values);
  }
  Status status =
      UseKey(field, feature.key(), KindOf(config.dtype), &output.slot);
  if (!status.ok()) return status;
  for (const std::string& key : config.index_keys) {
    output.index_slots.push_back(kNoSlot);
    status = UseKey(field, key, Kind::kInt64, &output.index_slots.back());
    if (!status.ok()) return status;
  }
  for (const Partition& partition : config.partitions) {
    Cut cut{.type = partition.type,
            .uniform_length = partition.uniform_row_length};
    if (partition.type != PartitionType::kUniformRowLength) {
      status = UseKey(field, partition.key, Kind::kInt64, &cut.slot);
      if (!status.ok()) return status;
    }
    output.cuts.push_back(cut);
  }
  while (!output.cuts.empty() &&
         output.cuts.back().type == PartitionType::kUniformRowLength) {
    const int64_t length = output.cuts.back().uniform_length;
    output.uniform.insert(output.uniform.begin(), length);
    // A product past this is as good as any other: only no values fit it.
    if (!CheckedMul(output.uniform_product, static_cast<size_t>(length),
                    &output.uniform_product)) {
      output.uniform_product = kMaxElements + 1;
    }
    output.cuts.pop_back();
  }
  program_->outputs_.push_back(std::move(output));
  return Status();
}

// A fixed_len feature that has its key to itself is decoded straight into its
// tensor.
void SpecCompiler::ChooseDense() {
  for (const Output& output : program_->outputs_) {
    Slot& slot = program_->slots_[output.slot];
    if (output.layout != Layout::kFixedLen || output.reinterpret ||
        features_[slot.key].count != 1) {
      continue;
    }
    slot.form = SlotForm::kDense;
    program_->dense_slots_.push_back({.slot = output.slot,
                                      .elements = output.elements,
                                      .default_values = output.default_values,
                                      .unset_is_empty = output.unset_is_empty});
  }
}

Result<std::shared_ptr<const Program>> SpecCompiler::Compile(
    const FeatureSpec& spec) {
  program_->message_ = spec.message();
  if (spec.message() != MessageType::kExample &&
      spec.message() != MessageType::kSequence) {
    return Status(ErrorCode::kBadSpec,
                  "a spec is for Examples or SequenceExamples");
  }
  // Views into this vector are kept.
  program_->tensors_.reserve(spec.features().size() +
                             spec.sequence_features().size());
  Status status = AddTensors(spec.features(), /*in_sequence=*/false);
  if (status.ok()) {
    status = AddTensors(spec.sequence_features(), /*in_sequence=*/true);
  }
  for (uint32_t i = 0; status.ok() && i < program_->tensors_.size(); ++i) {
    status = AddOutput(i);
  }
  if (!status.ok()) return status;
  ChooseDense();
  program_->sequence_struct_ = !spec.sequence_features().empty();
  program_->BuildTables();
  return {std::move(program_)};
}

Result<std::shared_ptr<const Program>> Program::ForSpec(
    const FeatureSpec& spec) {
  return SpecCompiler().Compile(spec);
}

}  // namespace headrace::plan
