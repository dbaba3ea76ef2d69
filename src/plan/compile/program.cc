// Compiles columns into a Program, and defines Plan, which holds one.

#include "src/plan/compile/program.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/out_of_memory.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/plan/compile/list_parts.h"
#include "src/plan/spec/bad_spec.h"
#include "wire/utf8.h"

namespace headrace::plan {
namespace {

// The maximum number of slots: slot numbers have 32 bits, and a table has eight
// places for each slot.
constexpr size_t kMaxSlots = size_t{1} << 28;

}  // namespace

Status Program::CheckColumns() const {
  std::map<std::pair<std::string_view, bool>, size_t> seen;
  bool in_sequence = false;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const ColumnField& column = columns_[i];
    const auto [first, is_new] = seen.emplace(
        std::pair<std::string_view, bool>(column.name, column.in_sequence), i);
    if (!is_new) {
      return BadSpec("column", column.name,
                     "is listed twice, as number " +
                         std::to_string(first->second) + " and " +
                         std::to_string(i));
    }
    if (!wire::IsUtf8(column.name)) {
      return BadSpec("column", column.name,
                     "is not UTF-8, so no record can have it");
    }
    if (in_sequence && !column.in_sequence) {
      return BadSpec("column", column.name, "comes after a feature list");
    }
    in_sequence = column.in_sequence;
  }
  if (in_sequence && message_ == MessageType::kExample) {
    return BadSpec("column", columns_.back().name,
                   "is a feature list, which an Example does not have");
  }
  return Status();
}

uint32_t Program::AddSlot(std::string key, Kind kind, bool in_sequence) {
  const auto slot = static_cast<uint32_t>(slots_.size());
  slots_.push_back({.key = std::move(key),
                    .kind = kind,
                    .in_sequence = in_sequence,
                    .form = in_sequence ? SlotForm::kSteps : SlotForm::kList});
  return slot;
}

void Program::BuildTables() {
  std::vector<KeyTable::Key> features, lists;
  templates_.reserve(slots_.size() + 1);
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    templates_.emplace_back(slots_[i].key, slots_[i].kind);
    (slots_[i].in_sequence ? lists : features).push_back({slots_[i].key, i});
  }
  templates_.emplace_back();
  features_.Build(features);
  feature_lists_.Build(lists);
}

std::vector<VocabularyFile> Program::VocabularyFiles() const {
  std::vector<VocabularyFile> files;
  for (const Output* const cell : cells_) {
    if (cell->chain == nullptr) continue;
    const std::vector<ValueFunction>& map = FeatureOf(*cell).config.map;
    for (size_t i = 0; i < map.size(); ++i) {
      const auto* const given = std::get_if<Vocabulary>(&map[i]);
      if (given == nullptr || given->file.empty()) continue;
      const auto& made =
          std::get<function::LookUp>(cell->chain->functions()[i]);
      files.push_back({given->file, made.vocabulary->digest()});
    }
  }
  if (lists_) {
    const auto examples = lists_->examples->VocabularyFiles();
    files.insert(files.end(), examples.begin(), examples.end());
  }
  return files;
}

Result<std::shared_ptr<const Program>> Program::ForColumns(
    std::vector<ColumnField> columns, MessageType message, bool sequence_struct,
    LateKeys late_keys) {
  if (columns.size() > kMaxSlots) {
    // not covered: takes 10 GiB.
    return Status(ErrorCode::kBadSpec, "too many columns");
  }
  const bool is_list = message == MessageType::kElwc;
  if (message != MessageType::kExample && message != MessageType::kSequence &&
      !is_list) {
    return Status(ErrorCode::kBadSpec,
                  "columns can be decoded only from Example, SequenceExample "
                  "or ExampleListWithContext, not from the message given");
  }
  auto program = std::make_shared<Program>();
  program->columns_ = std::move(columns);
  program->message_ = message;
  program->late_keys_ = late_keys;
  if (Status status = program->CheckColumns(); !status.ok()) return status;
  for (const ColumnField& column : program->columns_) {
    sequence_struct |= column.in_sequence;
    if (is_list && column.in_sequence) continue;
    program->AddSlot(column.name, column.kind, column.in_sequence);
  }
  program->sequence_struct_ = is_list ? !program->columns_.empty() &&
                                            program->columns_.back().in_sequence
                                      : sequence_struct;
  if (is_list) {
    program->lists_.emplace();
    Status status =
        MakeListParts(program->columns_, late_keys, &*program->lists_);
    if (!status.ok()) return status;
  }
  program->BuildTables();
  return {std::move(program)};
}

std::shared_ptr<const Program> Program::ForRaw() {
  auto program = std::make_shared<Program>();
  program->message_ = MessageType::kRaw;
  program->columns_ = {{.name = "payload", .kind = Kind::kBytes}};
  program->AddSlot("payload", Kind::kBytes, /*in_sequence=*/false);
  program->BuildTables();
  return program;
}

Result<Plan> Program::OfSample(const Plan& plan) {
  if (!plan.tensors().empty() || plan.message() == MessageType::kRaw) {
    return plan;
  }
  auto program =
      ForColumns(plan.columns(), plan.message(), plan.has_sequence_struct(),
                 LateKeys::kCollectedValues);
  if (!program.ok()) return program.status();
  return MakePlan(*std::move(program));
}

Status FeaturesBesidePlan() {
  return Status(ErrorCode::kInvalidArgument,
                "features cannot be combined with a plan: they only choose "
                "among columns that are inferred; use Plan::Select to narrow a "
                "plan of columns, or name fewer features in the spec");
}

}  // namespace headrace::plan

namespace headrace {

Result<Plan> Plan::ForColumns(std::vector<ColumnField> columns) {
  const bool sequence =
      std::any_of(columns.begin(), columns.end(),
                  [](const ColumnField& c) { return c.in_sequence; });
  return ForColumns(std::move(columns),
                    sequence ? MessageType::kSequence : MessageType::kExample,
                    sequence);
}

Result<Plan> Plan::ForColumns(std::vector<ColumnField> columns,
                              MessageType message, bool sequence_struct) {
  return CatchOutOfMemory([&]() -> Result<Plan> {
    auto program = plan::Program::ForColumns(
        std::move(columns), message, sequence_struct, plan::LateKeys::kIgnored);
    if (!program.ok()) return program.status();
    return Plan(*std::move(program));
  });
}

Plan::Plan()
    : program_(*plan::Program::ForColumns({}, MessageType::kExample,
                                          /*sequence_struct=*/false,
                                          plan::LateKeys::kIgnored)) {}

Plan Plan::ForRaw() { return Plan(plan::Program::ForRaw()); }

Result<Plan> Plan::Compile(const FeatureSpec& spec) {
  return CatchOutOfMemory([&]() -> Result<Plan> {
    auto program = plan::Program::ForSpec(spec);
    if (!program.ok()) return program.status();
    return Plan(*std::move(program));
  });
}

namespace {

Status NoColumn(const std::string& name,
                const std::vector<ColumnField>& columns) {
  std::vector<std::string_view> names;
  for (const ColumnField& column : columns) names.push_back(column.name);
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "there is no column " + Quote(name) + DidYouMean(name, names),
      .feature = name});
}

Result<Plan> SelectColumns(const Plan& plan,
                           std::span<const std::string> names) {
  if (plan.message() == MessageType::kRaw && !names.empty()) {
    return Status(ErrorCode::kInvalidArgument,
                  "raw records have no features to choose from");
  }
  std::multimap<std::string_view, const ColumnField*> by_name;
  for (const ColumnField& column : plan.columns()) {
    by_name.emplace(column.name, &column);
  }
  std::vector<ColumnField> selected;
  for (const std::string& name : names) {
    const auto [first, last] = by_name.equal_range(name);
    if (first == last) return NoColumn(name, plan.columns());
    for (auto it = first; it != last; ++it) selected.push_back(*it->second);
  }
  std::stable_partition(selected.begin(), selected.end(),
                        [](const ColumnField& c) { return !c.in_sequence; });
  return Plan::ForColumns(std::move(selected), plan.message(),
                          /*sequence_struct=*/false);
}

}  // namespace

Result<Plan> Plan::Select(std::span<const std::string> names) const {
  return CatchOutOfMemory([&] { return SelectColumns(*this, names); });
}

const std::vector<ColumnField>& Plan::columns() const {
  return plan::Program::Of(*this).columns();
}

const std::vector<TensorField>& Plan::tensors() const {
  return plan::Program::Of(*this).tensors();
}

bool Plan::has_sequence_struct() const {
  return plan::Program::Of(*this).has_sequence_struct();
}

MessageType Plan::message() const { return plan::Program::Of(*this).message(); }

std::vector<VocabularyFile> Plan::vocabulary_files() const {
  return plan::Program::Of(*this).VocabularyFiles();
}

std::string Plan::ToString() const {
  return plan::Program::Of(*this).ToString();
}

}  // namespace headrace
