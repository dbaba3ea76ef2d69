// Compiles a FeatureSpec, or the tensors of a Schema, into a Program. Rules S1
// to S15 of docs/semantics.md reject mistakes that can be known before the
// first record.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/base/text/quote.h"
#include "src/plan/compile/feature_chain.h"
#include "src/plan/compile/feature_check.h"
#include "src/plan/compile/group_check.h"
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
    case Layout::kMatrix:
    case Layout::kJagged:
      break;
  }
  return Role::kRagged;
}

Kind KindOf(DType dtype) { return static_cast<Kind>(dtype); }

}  // namespace

class SpecCompiler {
 public:
  explicit SpecCompiler(bool has_functions) : has_functions_(has_functions) {}
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
  // A feature that reads a key, and how.
  struct Reader {
    const NamedFeature& feature;
    bool in_sequence;
    Role role;
  };

  Status AddOutput(uint32_t field);
  Status MakeOutput(const NamedFeature& feature, bool in_sequence,
                    size_t elements, Output* output);
  Status AddChain(const NamedFeature& feature, Output* output);
  Status MakeGroup(const NamedFeature& group, Output* output);
  Status AddMember(const NamedFeature& group, size_t index, size_t elements,
                   Output* output);
  Status UseKey(const Reader& reader, const std::string& key, Kind kind,
                uint32_t* slot);
  const void* Defaults(const DefaultValues& values);
  Status AddCuts(const Reader& reader, Output* output);
  void ListCells();
  Status CheckInflatedKeys() const;
  void ChooseDense();
  void ChooseMapped();

  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  Dialect dialect_ = Dialect::kSpec;
  bool has_functions_ = true;
  // Of each tensor the elements of its feature, or of its members.
  std::vector<std::vector<size_t>> counts_;
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
    const FeaturePlace place{program_->message_, in_sequence, dialect_};
    std::vector<size_t>& elements = counts_.emplace_back();
    Status status;
    if (IsGroup(feature.config.layout)) {
      status = CheckGroupAndMembers(feature, place, &elements);
    } else {
      status = CheckFeature(feature, place, &elements.emplace_back());
      if (status.ok()) status = CheckIsNoMember(feature);
    }
    if (!status.ok()) return status;
    program_->tensors_.push_back({feature, in_sequence});
  }
  return Status();
}

void SpecCompiler::AddColumn(const ColumnField& column) {
  (column.in_sequence ? lists_ : features_)[column.name].slot =
      program_->AddSlot(column.name, column.kind, column.in_sequence);
}

Status SpecCompiler::UseKey(const Reader& reader, const std::string& key,
                            Kind kind, uint32_t* slot) {
  const NamedFeature& feature = reader.feature;
  if (!wire::IsUtf8(key)) {
    return BadFeature(feature,
                      "reads key " + Quote(key) +
                          ", which is not UTF-8, so no record can have it",
                      "S1");
  }
  Use& use = (reader.in_sequence ? lists_ : features_)[key];
  if (use.count++ == 0) {
    use.first = feature.name;
    if (use.slot == kNoSlot) {
      use.slot = program_->AddSlot(key, kind, reader.in_sequence);
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
  const Role role = reader.role;
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
  Output output{.field = index};
  Status status;
  if (IsGroup(field.feature.config.layout)) {
    status = MakeGroup(field.feature, &output);
  } else {
    status = MakeOutput(field.feature, field.in_sequence, counts_[index][0],
                        &output);
    if (status.ok()) status = AddChain(field.feature, &output);
  }
  if (!status.ok()) return status;
  program_->outputs_.push_back(std::move(output));
  return Status();
}

// `output` knows the type of its tensor.
Status SpecCompiler::AddChain(const NamedFeature& feature, Output* output) {
  if (!has_functions_) return Status();
  auto chain = CompileChain(feature, output->to, output->member.exact);
  if (!chain.ok()) return chain.status();
  output->chain = *std::move(chain);
  return Status();
}

// `output` knows its field.
Status SpecCompiler::MakeOutput(const NamedFeature& feature, bool in_sequence,
                                size_t elements, Output* made) {
  const FeatureConfig& config = feature.config;
  Output& output = *made;
  output = Output{
      .field = output.field,
      .layout = config.layout,
      .in_sequence = in_sequence,
      .from = config.dtype,
      .to = feature.tensor_dtype(),
      .shape = config.layout == Layout::kSparse ? config.size : config.shape,
      .elements = elements,
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
  const Reader reader{feature, in_sequence, RoleOf(config.layout)};
  Status status =
      UseKey(reader, feature.key(), KindOf(config.dtype), &output.slot);
  if (!status.ok()) return status;
  for (const std::string& key : config.index_keys) {
    output.index_slots.push_back(kNoSlot);
    status = UseKey(reader, key, Kind::kInt64, &output.index_slots.back());
    if (!status.ok()) return status;
  }
  if (config.layout == Layout::kRagged) return AddCuts(reader, &output);
  return Status();
}

Status SpecCompiler::MakeGroup(const NamedFeature& group, Output* output) {
  const FeatureConfig& config = group.config;
  output->layout = config.layout;
  output->to = *config.as;
  output->has_weights = config.weights;
  output->int64_lengths = config.lengths_dtype == DType::kInt64;
  output->elements = 0;
  output->members.resize(config.members.size());
  const std::vector<size_t>& counts = counts_[output->field];
  for (size_t i = 0; i < config.members.size(); ++i) {
    output->keys.push_back(config.members[i].name);
    Status status = AddMember(group, i, counts[i], output);
    if (!status.ok()) return InGroup(group, status);
  }
  return Status();
}

Status SpecCompiler::AddMember(const NamedFeature& group, size_t index,
                               size_t elements, Output* output) {
  const NamedFeature& feature = group.config.members[index];
  const FeatureConfig& config = feature.config;
  Output& made = output->members[index];
  made.field = output->field;
  Status status = MakeOutput(feature, config.sequence, elements, &made);
  if (!status.ok()) return status;
  made.to = output->to;
  made.member = {.index = static_cast<uint32_t>(index),
                 .group = output->layout,
                 .exact = group.config.exact,
                 .present = config.present,
                 .column = output->elements,
                 .width = WidthOf(config, elements),
                 .has_weights = output->has_weights};
  status = AddChain(feature, &made);
  if (!status.ok()) return status;
  output->elements += made.member.width + config.present;
  if (const auto most = config.first_n ? config.first_n : config.last_n) {
    made.member.most = static_cast<size_t>(*most);
    made.member.keeps_last = config.last_n.has_value();
  }
  if (!config.weight_key) return Status();
  return UseKey({feature, config.sequence, Role::kRagged}, *config.weight_key,
                Kind::kFloat, &made.member.weight_slot);
}

Status SpecCompiler::AddCuts(const Reader& reader, Output* output) {
  const FeatureConfig& config = reader.feature.config;
  output->ragged = RaggedShapeOf(config);
  for (size_t i = 0; i < output->ragged.num_cuts; ++i) {
    const Partition& partition = config.partitions[i];
    Cut& cut = output->cuts.emplace_back(
        Cut{.type = partition.type,
            .uniform_length = partition.uniform_row_length});
    if (partition.type == PartitionType::kUniformRowLength) continue;
    Status status = UseKey(reader, partition.key, Kind::kInt64, &cut.slot);
    if (!status.ok()) return status;
  }
  if (!config.group.empty()) {
    output->group = groups_.emplace(config.group, output->field).first->second;
  }
  if (!config.item_shape_key) return Status();
  return UseKey(reader, *config.item_shape_key, Kind::kInt64,
                &output->item_shape_slot);
}

// Inflated values replace the stored ones, so no other feature may read them.
Status SpecCompiler::CheckInflatedKeys() const {
  for (const Output* cell : program_->cells_) {
    const Output& output = *cell;
    if (output.encoding != Encoding::kZlib) continue;
    const std::string& key = program_->slots_[output.slot].key;
    if (features_.at(key).count == 1) continue;
    const Status status =
        BadFeature(program_->FeatureOf(output),
                   "inflates the values of key " + Quote(key) +
                       ", which another feature reads, too",
                   "S13");
    if (!output.is_member()) return status;
    return InGroup(program_->tensors_[output.field].feature, status);
  }
  return Status();
}

// Finds the fixed_len features that share their key with no other: their values
// are decoded straight into their tensors.
void SpecCompiler::ChooseDense() {
  for (const Output* cell : program_->cells_) {
    const Output& output = *cell;
    Slot& slot = program_->slots_[output.slot];
    // A dense slot does not know which rows have the feature.
    if (output.layout != Layout::kFixedLen || output.reinterpret ||
        output.member.present || features_[slot.key].count != 1) {
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

// Finds the outputs that map every value of their slots. Slots of feature lists
// have keys of their own.
void SpecCompiler::ChooseMapped() {
  size_t views = 0;
  for (const Slot& slot : program_->slots_) views += slot.kind == Kind::kBytes;
  for (const Output* const output : program_->cells_) {
    if (output->chain == nullptr) continue;
    const Slot& slot = program_->slots_[output->slot];
    const bool is_cut =
        output->truncate || output->member.most != Membership().most ||
        (output->is_member() && output->layout == Layout::kVarLen);
    const bool is_alone =
        (slot.in_sequence ? lists_ : features_)[slot.key].count == 1;
    const size_t size = slot.kind == Kind::kBytes ? sizeof(std::string_view)
                                                  : DTypeSize(output->from);
    if (!is_alone || is_cut || DTypeSize(output->to) > size ||
        (output->layout == Layout::kFixedLen &&
         slot.form != SlotForm::kDense)) {
      continue;
    }
    program_->mapped_.push_back(output);
    views -= slot.kind == Kind::kBytes;
  }
  program_->keeps_views_ = views > 0;
}

// The outputs do not move any more.
void SpecCompiler::ListCells() {
  for (const Output& output : program_->outputs_) {
    if (!IsGroup(output.layout)) program_->cells_.push_back(&output);
    for (const Output& member : output.members) {
      program_->cells_.push_back(&member);
    }
  }
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
  ListCells();
  if (status.ok()) status = CheckInflatedKeys();
  if (status.ok() && IsListOfExamples(spec.message())) {
    program_->lists_.emplace();
    status = MakeListParts(spec, has_functions_, &*program_->lists_,
                           &program_->tensors_);
  }
  if (!status.ok()) return status;
  ChooseDense();
  if (program_->lists() == nullptr) ChooseMapped();
  program_->sequence_struct_ =
      !spec.sequence_features().empty() || !spec.example_features().empty();
  program_->BuildTables();
  return {std::move(program_)};
}

Result<std::shared_ptr<const Program>> Program::ForSpec(const FeatureSpec& spec,
                                                        bool has_functions) {
  return SpecCompiler(has_functions).Compile(spec);
}

Result<std::shared_ptr<const Program>> Program::ForSchema(
    const std::vector<ColumnField>& columns, const FeatureSpec& spec) {
  return SpecCompiler(columns).Compile(spec);
}

}  // namespace headrace::plan
