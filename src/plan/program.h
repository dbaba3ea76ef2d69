// Program: a compiled plan, as the decoder reads it.
//
// Immutable after it was compiled; shared by threads. A key on the wire that
// the plan asks for is a slot; in a plan of columns the index of a slot is also
// that of its column. Outputs say which tensors are made of the slots.

#ifndef HEADRACE_SRC_PLAN_PROGRAM_H_
#define HEADRACE_SRC_PLAN_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/entry_template.h"
#include "src/plan/key_table.h"

namespace headrace::plan {

// What the decoder keeps of a slot besides its values.
enum class SlotForm : uint8_t {
  // Nothing yet, of a list that has had one value in every row so far. A column
  // under construction may have this form in place of kList; a plan does not.
  kRegular,
  kList,   // where the values of each row end, and whether it has any
  kSteps,  // the same of a feature list, whose rows are steps, and of its steps
  kDense,  // nothing: every row has the same number of values
};

struct Slot {
  std::string key;
  Kind kind = Kind::kNull;
  bool in_sequence = false;
  SlotForm form = SlotForm::kList;
  size_t elements = 0;  // kDense: values of every row
};

// What becomes of rows that leave a dense slot out.
struct DenseSlot {
  uint32_t slot = 0;
  // Set but for rows without the feature, which get a copy; null when it is
  // required.
  const void* default_values = nullptr;
  // A feature that is there without a kind counts as one of no values.
  bool unset_is_empty = false;
};

// One partition of a ragged tensor.
struct Cut {
  PartitionType type = PartitionType::kRowLengths;
  uint32_t slot = kNoSlot;     // of the partition's values
  int64_t uniform_length = 0;  // > 0 for kUniformRowLength
};

// How one tensor is made.
struct Output {
  uint32_t field = 0;  // index into tensors()
  Layout layout = Layout::kVarLen;
  bool in_sequence = false;
  uint32_t slot = kNoSlot;  // of the values
  DType from = DType::kInt64;
  DType to = DType::kInt64;
  std::span<const int64_t> shape = {};  // of the field: shape or size
  // Values of a row (of a step, of one padding unit) of a dense tensor.
  size_t elements = 1;
  // The default (fixed_len) or the padding: `elements` or 1 values; null where
  // there is none.
  const void* default_values = nullptr;
  bool allow_missing = true;
  bool unset_is_empty = false;  // as DenseSlot
  // bytes read as numbers: one value of elements * DTypeSize(to) bytes.
  bool reinterpret = false;
  size_t pad_to = 0;  // 0: not padded
  bool truncate = false;
  std::vector<uint32_t> index_slots = {};
  bool already_sorted = false;
  bool check_indices = false;
  bool int64_splits = false;
  // Outermost first; then the lengths of the run of uniform ones at the end.
  std::vector<Cut> cuts = {};
  std::vector<int64_t> uniform = {};
};

// What becomes of keys that are not in the plan.
enum class LateKeys : uint8_t {
  kIgnored,
  kCollected,        // reported to the caller of the decoder
  kCollectedValues,  // those that have a kind
  // The same, and records that were taken for Examples unseen may turn out to
  // have feature lists.
  kCollectedWithLists,
};

class Program : public std::enable_shared_from_this<Program> {
 public:
  // kBadSpec as Plan::ForColumns says.
  static Result<std::shared_ptr<const Program>> ForColumns(
      std::vector<ColumnField> columns, MessageType message,
      bool sequence_struct, LateKeys late_keys);
  static Result<std::shared_ptr<const Program>> ForSpec(
      const FeatureSpec& spec);
  // As Plan::ForRaw.
  static std::shared_ptr<const Program> ForRaw();
  // Tensors of a schema: those of `spec`, all of whose keys are columns. Every
  // column is decoded, so that a wrong kind in any of them is an error.
  static Result<std::shared_ptr<const Program>> ForSchema(
      const std::vector<ColumnField>& columns, const FeatureSpec& spec);

  // The program of a plan, which lives as long as any copy of the plan.
  static const Program& Of(const Plan& plan) { return *plan.program_; }
  static Plan MakePlan(std::shared_ptr<const Program> program) {
    return Plan(std::move(program));
  }

  MessageType message() const { return message_; }
  bool has_sequence_struct() const { return sequence_struct_; }
  const std::vector<ColumnField>& columns() const { return columns_; }
  const std::vector<TensorField>& tensors() const { return tensors_; }
  bool collect_late() const { return late_keys_ != LateKeys::kIgnored; }
  // Where keys without a kind are nothing to report, a key that is not in the
  // plan is like a column without one.
  bool late_is_in_columns() const {
    return late_keys_ == LateKeys::kCollectedValues;
  }
  // What records are walked as.
  MessageType walked_message() const {
    return late_keys_ == LateKeys::kCollectedWithLists ? MessageType::kSequence
                                                       : message_;
  }
  // Null rows and empty ones are told apart.
  bool keeps_nulls() const { return outputs_.empty(); }

  std::span<const Slot> slots() const { return slots_; }
  Kind kind(uint32_t slot) const { return slots_[slot].kind; }
  // One a slot, for those that are no feature lists, and one more, which no
  // entry matches.
  std::span<const EntryTemplate> entry_templates() const { return templates_; }
  std::span<const DenseSlot> dense_slots() const { return dense_slots_; }
  std::span<const Output> outputs() const { return outputs_; }

  // The slot of a key of a feature or of a feature list, or kNoSlot. There are
  // kKeySlack readable bytes after the key.
  uint32_t Find(const uint8_t* key, size_t size) const {
    return features_.Find(key, size);
  }
  // For look-ups as Find does them, by the hash alone.
  const KeyProbe& probe() const { return features_.probe(); }
  uint32_t FindList(const uint8_t* key, size_t size) const {
    return feature_lists_.Find(key, size);
  }

  std::string ToString() const;

 private:
  friend class SpecCompiler;

  Status CheckColumns() const;
  // Returns its number.
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
  std::vector<Output> outputs_;
  // Defaults of kind bytes, as columns hold them; they point into tensors_.
  std::vector<std::vector<std::string_view>> default_bytes_;
  KeyTable features_;
  KeyTable feature_lists_;
};

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_PROGRAM_H_
