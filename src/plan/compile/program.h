// Program is a compiled plan, as the decoder reads it.
//
// It is immutable after compilation and shared by threads. A slot is a key on
// the wire that the plan asks for; in a plan of columns a slot has the index of
// its column. Outputs are the tensors that are made of the slots.

#ifndef HEADRACE_SRC_PLAN_COMPILE_PROGRAM_H_
#define HEADRACE_SRC_PLAN_COMPILE_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/compile/entry_template.h"
#include "src/plan/compile/key_table.h"
#include "src/plan/compile/shape.h"
#include "src/plan/function/chain.h"

namespace headrace {

namespace plan {
class Program;
}

// Makes a Plan of a Program, and the reverse: public headers do not name
// classes of src/.
class PlanAccess {
 public:
  static const plan::Program& ProgramOf(const Plan& plan) {
    return *static_cast<const plan::Program*>(plan.program_.get());
  }
  static Plan MakePlan(std::shared_ptr<const plan::Program> program) {
    return Plan(std::move(program));
  }
};

}  // namespace headrace

namespace headrace::plan {

// SlotForm is what the decoder keeps of a slot in addition to its values.
enum class SlotForm : uint8_t {
  // Nothing yet: the list has had one value in every row so far. A column under
  // construction may have this form in place of kList; a plan never does.
  kRegular,
  kList,   // offsets and validity of rows
  kSteps,  // offsets and validity of rows, and of their steps
  kDense,  // nothing: every row has the same number of values
};

struct Slot {
  std::string key;
  Kind kind = Kind::kNull;
  bool in_sequence = false;
  SlotForm form = SlotForm::kList;
  size_t elements = 0;  // kDense: values per row
};

// A slot of form kDense, whose key a row may lack.
struct DenseSlot {
  uint32_t slot = 0;
  // Copied into rows without the feature; null if it is required.
  const void* default_values = nullptr;
  // Whether a Feature that is present without a kind counts as empty.
  bool unset_is_empty = false;
};

struct Cut {
  PartitionType type = PartitionType::kRowLengths;
  uint32_t slot = kNoSlot;     // of the numbers
  int64_t uniform_length = 0;  // > 0 for kUniformRowLength
};

inline constexpr uint32_t kNoGroup = ~uint32_t{0};
inline constexpr uint32_t kNoMember = ~uint32_t{0};

// What a member of a matrix or jagged group (Layout) adds to its output.
struct Membership {
  uint32_t index = kNoMember;  // among the members; kNoMember: not a member
  Layout group = Layout::kMatrix;
  bool exact = false;
  bool present = false;
  // Matrix: the member's first column, and its columns without that of
  // `present`.
  size_t column = 0;
  size_t width = 0;
  // Jagged: how many values of a row stay, and from which end.
  size_t most = ~size_t{0};
  bool keeps_last = false;
  bool has_weights = false;  // of the group
  uint32_t weight_slot = kNoSlot;
};

struct Output {
  uint32_t field = 0;  // index into tensors()
  Layout layout = Layout::kVarLen;
  bool in_sequence = false;
  uint32_t slot = kNoSlot;  // of the values
  DType from = DType::kInt64;
  DType to = DType::kInt64;
  std::span<const int64_t> shape = {};  // the field's shape or size
  // Values in a row (or step, or padding unit) of a dense tensor.
  size_t elements = 1;
  // The default of fixed_len, of `elements` values, or the one value to pad
  // with; null if there is neither.
  const void* default_values = nullptr;
  bool allow_missing = true;
  bool unset_is_empty = false;  // see DenseSlot
  // Values of kind bytes are arrays: in fixed_len one value of `elements`
  // elements, in ragged an array per value.
  bool reinterpret = false;
  Encoding encoding = Encoding::kRaw;
  bool as_bits = false;  // kUint64 with the bits of kInt64
  size_t pad_to = 0;     // 0: not padded
  bool truncate = false;
  std::vector<uint32_t> index_slots = {};
  bool already_sorted = false;
  bool check_indices = false;
  bool int64_splits = false;
  // For kRagged. The outermost cut is the first.
  RaggedShape ragged = {};
  std::vector<Cut> cuts = {};
  // The slot of the arrays' shapes; kNoSlot if the spec and the sizes of the
  // values determine them.
  uint32_t item_shape_slot = kNoSlot;
  // The first output of the same group, perhaps this one.
  uint32_t group = kNoGroup;
  // The functions of the values, which are applied before the cast to `to`;
  // null for none.
  std::shared_ptr<const function::Chain> chain = nullptr;
  // A member of a matrix or jagged group: the output says which values the
  // record must have, and `field` is the group's.
  Membership member = {};
  // kMatrix, kJagged: an output per member, and their names. Such an output has
  // no slot.
  std::vector<Output> members = {};
  std::vector<std::string_view> keys = {};
  bool has_weights = false;
  bool int64_lengths = false;

  bool is_member() const { return member.index != kNoMember; }
  // Whether values change in memory.
  bool converts() const {
    return chain != nullptr || (from != to && !as_bits && !reinterpret);
  }
};

class Program;

// The parts of a plan of lists of Examples, other than the program of the
// context.
struct ListParts {
  std::shared_ptr<const Program> examples = {};  // a row per Example
  // Walks Examples that become no row; it has no columns.
  std::shared_ptr<const Program> unread = {};
  // kExampleInExample: the Example that wraps the list. Slot 0 has the context,
  // slot 1 the Examples; both are of kind bytes. Null for kElwc.
  std::shared_ptr<const Program> wrapper = {};
  uint64_t list_size = 0;  // 0: the size of the longest list
  bool has_sizes = false;
  bool has_mask = false;  // sizes and mask are the last tensors
};

// Late keys are those that are not in the plan.
enum class LateKeys : uint8_t {
  kIgnored,
  kCollected,        // reported to the caller of the decoder
  kCollectedValues,  // reported if they have a kind
  // Reported. In addition, records were assumed to be Examples before any was
  // read, and may turn out to have feature lists.
  kCollectedWithLists,
};

class Program : public std::enable_shared_from_this<Program> {
 public:
  // Returns kBadSpec for the reasons that Plan::ForColumns lists.
  static Result<std::shared_ptr<const Program>> ForColumns(
      std::vector<ColumnField> columns, MessageType message,
      bool sequence_struct, LateKeys late_keys);
  // Without functions no file is read. Such a program describes batches that
  // were decoded elsewhere; it must not decode.
  static Result<std::shared_ptr<const Program>> ForSpec(
      const FeatureSpec& spec, bool has_functions = true);
  static std::shared_ptr<const Program> ForRaw();
  // All keys of `spec` must be columns. Every column is decoded, so a wrong
  // kind in any of them is an error.
  static Result<std::shared_ptr<const Program>> ForSchema(
      const std::vector<ColumnField>& columns, const FeatureSpec& spec);

  // Returns the program of a plan; it lives as long as any copy of the plan.
  static const Program& Of(const Plan& plan) {
    return PlanAccess::ProgramOf(plan);
  }
  static Plan MakePlan(std::shared_ptr<const Program> program) {
    return PlanAccess::MakePlan(std::move(program));
  }
  // Returns a plan of the same columns, for a plan that was inferred from a
  // sample: values that the sample did not show are collected as late. Returns
  // a plan of tensors or of raw records unchanged.
  static Result<Plan> OfSample(const Plan& plan);

  MessageType message() const { return message_; }
  bool has_sequence_struct() const { return sequence_struct_; }
  const std::vector<ColumnField>& columns() const { return columns_; }
  const std::vector<TensorField>& tensors() const { return tensors_; }
  // Null if the message is not a list of Examples.
  const ListParts* lists() const { return lists_ ? &*lists_ : nullptr; }
  bool collect_late() const { return late_keys_ != LateKeys::kIgnored; }
  // Whether a key that is not in the plan is treated as a column without a
  // kind, because keys without a kind are not reported.
  bool late_is_in_columns() const {
    return late_keys_ == LateKeys::kCollectedValues;
  }
  MessageType walked_message() const {
    return late_keys_ == LateKeys::kCollectedWithLists ? MessageType::kSequence
                                                       : message_;
  }
  // Whether records are read as Examples, but walked as SequenceExamples, so
  // that feature lists are noticed.
  bool guesses_examples() const { return walked_message() != message_; }
  // Whether null rows differ from empty ones.
  bool keeps_nulls() const { return tensors_.empty(); }

  std::span<const Slot> slots() const { return slots_; }
  Kind kind(uint32_t slot) const { return slots_[slot].kind; }
  // One per slot, then one that no entry matches.
  std::span<const EntryTemplate> entry_templates() const { return templates_; }
  // Outputs whose functions may put their results in place of the values of
  // their slots, which no other output reads.
  std::span<const Output* const> mapped_in_place() const { return mapped_; }
  // Whether tensors have views of the records, or columns are their source.
  bool keeps_views() const { return keeps_views_; }
  // Slots with defaults come first.
  std::span<const DenseSlot> dense_slots() const { return dense_slots_; }
  std::span<const DenseSlot> slots_with_defaults() const {
    return dense_slots().first(num_with_defaults_);
  }
  // In the order of tensors().
  std::span<const Output> outputs() const { return outputs_; }
  // The outputs that have a slot: members in place of their groups.
  std::span<const Output* const> cells() const { return cells_; }
  // Returns the feature of an output of cells().
  const NamedFeature& FeatureOf(const Output& output) const {
    const NamedFeature& feature = tensors_[output.field].feature;
    return output.is_member() ? feature.config.members[output.member.index]
                              : feature;
  }

  // Find and FindList return the slot of the key of a feature and of a feature
  // list, or kNoSlot. The key must have kKeySlack readable bytes after it.
  uint32_t Find(const uint8_t* key, size_t size) const {
    return features_.Find(key, size);
  }
  // Guesses what Find returns.
  const KeyProbe& probe() const { return features_.probe(); }
  uint32_t FindList(const uint8_t* key, size_t size) const {
    return feature_lists_.Find(key, size);
  }

  std::vector<VocabularyFile> VocabularyFiles() const;
  std::string ToString() const;

 private:
  friend class SpecCompiler;

  std::string DescribeFields() const;
  std::string DescribeLists() const;
  Status CheckColumns() const;
  uint32_t AddSlot(std::string key, Kind kind, bool in_sequence);
  void BuildTables();

  MessageType message_ = MessageType::kExample;
  bool sequence_struct_ = false;
  LateKeys late_keys_ = LateKeys::kIgnored;
  std::vector<ColumnField> columns_;
  std::vector<TensorField> tensors_;
  std::vector<Slot> slots_;
  std::vector<EntryTemplate> templates_;
  std::vector<DenseSlot> dense_slots_;
  size_t num_with_defaults_ = 0;
  std::vector<Output> outputs_;
  std::vector<const Output*> cells_;
  std::vector<const Output*> mapped_;
  bool keeps_views_ = true;
  // Defaults of kind bytes, in the form of columns: views of tensors_.
  std::vector<std::vector<std::string_view>> default_bytes_;
  KeyTable features_;
  KeyTable feature_lists_;
  std::optional<ListParts> lists_;
};

// Returns the error of readers and datasets that are given both a plan and the
// names of columns.
Status FeaturesBesidePlan();

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_PROGRAM_H_
