// Compiles a FeatureSpec, or the tensors of a Schema, into a Program. Rules S1
// to S14 of docs/semantics.md reject mistakes that can be known before the
// first record.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/text/quote.h"
#include "src/plan/compile/feature_check.h"
#include "src/plan/compile/list_parts.h"
#include "src/plan/compile/program.h"
#include "src/plan/spec/bad_spec.h"
#include "wire/utf8.h"

namespace headrace::plan {

// TensorFlow parses a key in exactly one of these roles.
enum class Role : uint8_t { kDense, kSparse, kRagged };

namespace {

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

}  // namespace

class SpecCompiler {
 public:
  SpecCompiler() = default;
  // Compiles for a schema: every column is decoded, whether a tensor is made of
  // it or not. All keys of the spec must be columns.
  explicit SpecCompiler(const std::vector<ColumnField>& columns)
      : dialect_(Dialect::kSchema) {
    for (const ColumnField& column : columns) AddColumn(column);
  }

  Result<std::shared_ptr<const Program>> Compile(const FeatureSpec& spec);

 private:
  // Several features of a spec may use one key on the wire.
  struct Use {
    uint32_t slot = kNoSlot;
    size_t count = 0;
    std::string first;  // the feature that used it first
    // Features without `column` must use the key in the same role; features
    // with `column` may use it in any.
    bool has_role = false;
    Role role = Role::kDense;
    DType splits = DType::kInt32;
  };
  using Uses = std::map<std::string, Use>;

  Status AddTensors(const std::vector<NamedFeature>& features,
                    bool in_sequence);
  void AddColumn(const ColumnField& column);
  Status AddOutput(uint32_t field);
  Status UseKey(const TensorField& field, const std::string& key, Kind kind,
                uint32_t* slot);
  const void* Defaults(const DefaultValues& values);
  Status AddCuts(const TensorField& field, Output* output);
  Status CheckInflatedKeys() const;
  void ChooseDense();

  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  Dialect dialect_ = Dialect::kSpec;
  std::vector<size_t> counts_;
  Uses features_;
  Uses lists_;
  std::map<std::string, uint32_t> groups_;  // the first output of each
};

Status SpecCompiler::AddTensors(const std::vector<NamedFeature>& features,
                                bool in_sequence) {
  std::map<std::string_view, size_t> seen;
  for (const NamedFeature& feature : features) {
    if (!seen.emplace(feature.name, 0).second) {
      return BadFeature(feature, "is listed twice", "S1");
    }
    if (!wire::IsUtf8(feature.name))
      return BadFeature(feature, "is not UTF-8", "S1");
    size_t elements;
    Status status = CheckFeature(
        feature, {program_->message_, in_sequence, dialect_}, &elements);
    if (!status.ok()) return status;
    program_->tensors_.push_back({feature, in_sequence});
    counts_.push_back(elements);
  }
  return Status();
}

void SpecCompiler::AddColumn(const ColumnField& column) {
  (column.in_sequence ? lists_ : features_)[column.name].slot =
      program_->AddSlot(column.name, column.kind, column.in_sequence);
}

Status SpecCompiler::UseKey(const TensorField& field, const std::string& key,
                            Kind kind, uint32_t* slot) {
  const NamedFeature& feature = field.feature;
  if (!wire::IsUtf8(key)) {
    return BadFeature(feature,
                      "reads key " + Quote(key) +
                          ", which is not UTF-8, so no record can have it",
                      "S1");
  }
  Use& use = (field.in_sequence ? lists_ : features_)[key];
  if (use.count++ == 0) {
    use.first = feature.name;
    if (use.slot == kNoSlot) {
      use.slot = program_->AddSlot(key, kind, field.in_sequence);
    }
  }
  *slot = use.slot;
  const Kind known = program_->slots_[use.slot].kind;
  const std::string both = "reads key " + Quote(key) + " as ";
  const std::string other = ", feature " + Quote(use.first) + " as ";
  if (known != kind) {
    return BadFeature(feature,
                      both + std::string(KindName(kind)) + other +
                          std::string(KindName(known)),
                      "S9");
  }
  if (feature.config.column || dialect_ == Dialect::kSchema) return Status();
  const Role role = RoleOf(feature.config.layout);
  if (!use.has_role) {
    use.has_role = true;
    use.role = role;
    use.splits = feature.config.row_splits_dtype;
  } else if (use.role != role) {
    return BadFeature(feature,
                      both + std::string(kRoleNames[static_cast<int>(role)]) +
                          other +
                          std::string(kRoleNames[static_cast<int>(use.role)]),
                      "S9");
  } else if (role == Role::kRagged &&
             use.splits != feature.config.row_splits_dtype) {
    return BadFeature(
        feature,
        both + "ragged with other row splits than feature " + Quote(use.first),
        "S9");
  }
  return Status();
}

const void* SpecCompiler::Defaults(const DefaultValues& values) {
  // A shape without elements has no default in a spec (T2), but has one in a
  // schema (I15).
  if (CountDefaults(values) == 0) {
    return dialect_ == Dialect::kSchema ? program_.get() : nullptr;
  }
  if (const auto* strings = std::get_if<std::vector<std::string>>(&values)) {
    return program_->default_bytes_
        .emplace_back(strings->begin(), strings->end())
        .data();
  }
  return std::visit(
      [](const auto& numbers) -> const void* { return numbers.data(); },
      values);
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
      .unset_is_empty = dialect_ == Dialect::kSpec &&
                        program_->message_ == MessageType::kSequence,
      .reinterpret = Reinterprets(config),
      .encoding = config.encoding,
      .as_bits = config.as_bits,
      .pad_to = static_cast<size_t>(config.pad_to.value_or(0)),
      .truncate = config.truncate,
      .already_sorted = config.already_sorted,
      .check_indices = config.check_indices,
      .int64_splits = config.row_splits_dtype == DType::kInt64};
  if (config.default_values) {
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
  if (config.layout == Layout::kRagged) {
    status = AddCuts(field, &output);
    if (!status.ok()) return status;
  }
  program_->outputs_.push_back(std::move(output));
  return Status();
}

Status SpecCompiler::AddCuts(const TensorField& field, Output* output) {
  const FeatureConfig& config = field.feature.config;
  output->ragged = RaggedShapeOf(config);
  for (size_t i = 0; i < output->ragged.num_cuts; ++i) {
    const Partition& partition = config.partitions[i];
    Cut& cut = output->cuts.emplace_back(
        Cut{.type = partition.type,
            .uniform_length = partition.uniform_row_length});
    if (partition.type == PartitionType::kUniformRowLength) continue;
    Status status = UseKey(field, partition.key, Kind::kInt64, &cut.slot);
    if (!status.ok()) return status;
  }
  if (!config.group.empty()) {
    output->group = groups_.emplace(config.group, output->field).first->second;
  }
  if (!config.item_shape_key) return Status();
  return UseKey(field, *config.item_shape_key, Kind::kInt64,
                &output->item_shape_slot);
}

// Inflated values replace the stored ones, so no other feature may read them.
Status SpecCompiler::CheckInflatedKeys() const {
  for (const Output& output : program_->outputs_) {
    if (output.encoding != Encoding::kZlib) continue;
    const std::string& key = program_->slots_[output.slot].key;
    if (features_.at(key).count == 1) continue;
    return BadFeature(program_->tensors_[output.field].feature,
                      "inflates the values of key " + Quote(key) +
                          ", which another feature reads, too",
                      "S13");
  }
  return Status();
}

// Finds the fixed_len features that share their key with no other: their values
// are decoded straight into their tensors.
void SpecCompiler::ChooseDense() {
  for (const Output& output : program_->outputs_) {
    Slot& slot = program_->slots_[output.slot];
    if (output.layout != Layout::kFixedLen || output.reinterpret ||
        features_[slot.key].count != 1) {
      continue;
    }
    slot.form = SlotForm::kDense;
    slot.elements = output.elements;
    program_->dense_slots_.push_back({.slot = output.slot,
                                      .default_values = output.default_values,
                                      .unset_is_empty = output.unset_is_empty});
  }
  std::vector<DenseSlot>& dense = program_->dense_slots_;
  const auto required = std::stable_partition(
      dense.begin(), dense.end(),
      [](const DenseSlot& s) { return s.default_values != nullptr; });
  program_->num_with_defaults_ = static_cast<size_t>(required - dense.begin());
}

Result<std::shared_ptr<const Program>> SpecCompiler::Compile(
    const FeatureSpec& spec) {
  program_->message_ = spec.message();
  if (spec.message() == MessageType::kAuto ||
      spec.message() == MessageType::kRaw) {
    return Status(ErrorCode::kBadSpec,
                  "a spec is for Examples, SequenceExamples or lists of "
                  "Examples");
  }
  // Views of this vector are kept, so it must never grow.
  program_->tensors_.reserve(spec.features().size() +
                             spec.sequence_features().size() +
                             spec.example_features().size() + kMaxListTensors);
  Status status = AddTensors(spec.features(), /*in_sequence=*/false);
  if (status.ok()) {
    status = AddTensors(spec.sequence_features(), /*in_sequence=*/true);
  }
  for (uint32_t i = 0; status.ok() && i < program_->tensors_.size(); ++i) {
    status = AddOutput(i);
  }
  if (status.ok()) status = CheckInflatedKeys();
  if (status.ok() && IsListOfExamples(spec.message())) {
    program_->lists_.emplace();
    status = MakeListParts(spec, &*program_->lists_, &program_->tensors_);
  }
  if (!status.ok()) return status;
  ChooseDense();
  program_->sequence_struct_ =
      !spec.sequence_features().empty() || !spec.example_features().empty();
  program_->BuildTables();
  return {std::move(program_)};
}

Result<std::shared_ptr<const Program>> Program::ForSpec(
    const FeatureSpec& spec) {
  return SpecCompiler().Compile(spec);
}

Result<std::shared_ptr<const Program>> Program::ForSchema(
    const std::vector<ColumnField>& columns, const FeatureSpec& spec) {
  return SpecCompiler(columns).Compile(spec);
}

}  // namespace headrace::plan
