// Judges open rows by row_rules.h, and adds up what the tensors will take, so
// that a batch ends before its tensors exceed the budget.

#include "src/decode/tensor/row_checker.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/cell.h"
#include "src/decode/tensor/row_rules.h"

namespace headrace::tensor {
namespace {

using column::Builder;
using column::CellState;
using column::ColumnSet;
using plan::Output;

// Returns which of two errors of one row is reported, by rule E2 of
// docs/semantics.md.
ErrorCode First(ErrorCode a, ErrorCode b) {
  if (a == ErrorCode::kOk || b == ErrorCode::kOk) {
    return a == ErrorCode::kOk ? b : a;
  }
  return std::min(a, b);
}

// True if only the range of the values can be wrong, and RangeOf has it.
bool HasRange(const Output& output) {
  return output.is_member() && output.member.weight_slot == plan::kNoSlot &&
         !output.in_sequence && MayBeUnfit(output) &&
         RangeOf(output.from, output.to, output.member.exact).has_value();
}

// True if no row can be wrong for the output, but for the range of its values.
bool TakesAnyRow(const Output& output) {
  if ((MayBeUnfit(output) && !HasRange(output)) ||
      output.member.weight_slot != plan::kNoSlot) {
    return false;
  }
  if (output.layout == Layout::kVarLen) {
    return output.pad_to == 0 || output.truncate;
  }
  return output.layout == Layout::kRagged && output.ragged.is_plain() &&
         output.group == plan::kNoGroup;
}

// True if the output is decoded in place; once filled it needs no more checks
// but that of a range.
bool IsDense(const plan::Program& program, const Output& output) {
  return (!MayBeUnfit(output) || HasRange(output)) &&
         output.member.weight_slot == plan::kNoSlot &&
         program.slots()[output.slot].form == plan::SlotForm::kDense;
}

// Returns whether `range` holds the values of a cell that the group keeps.
bool HoldsKept(const Output& output, const CastRange& range,
               const uint8_t* cell, size_t size) {
  constexpr size_t kFew = 4;
  const auto [begin, kept] = KeptOf(output, size);
  if (kept == 0) return true;
  cell += begin * DTypeSize(output.from);
  if (kept > kFew) {
    return FindUncastable(output.from, output.to, output.member.exact, cell,
                          kept) == kept;
  }
  for (size_t i = 0; i < kept; ++i) {
    if (range.is_of_floats
            ? !range.Holds(reinterpret_cast<const float*>(cell)[i])
            : !range.Holds(reinterpret_cast<const int64_t*>(cell)[i])) {
      return false;
    }
  }
  return true;
}

// Returns the bytes that a member takes of the tensor of its group.
double CostOfMember(const Output& output, double rows, double values) {
  const plan::Membership& member = output.member;
  const auto size = static_cast<double>(DTypeSize(output.to));
  if (member.group == Layout::kMatrix) {
    return rows * static_cast<double>(member.width + member.present) * size;
  }
  if (output.layout == Layout::kFixedLen) {
    values = rows * static_cast<double>(output.elements);
  }
  return values * (size + (member.has_weights ? sizeof(float) : 0)) +
         rows * 2 * sizeof(int64_t);
}

// The View (row_rules.h) of the open row. Counts the bytes of unpacked arrays.
class OpenRow {
 public:
  OpenRow(ColumnSet* columns, InflatedRow* inflated, TensorProto* proto,
          uint64_t* array_bytes)
      : columns_(*columns),
        mutable_columns_(columns),
        inflated_(inflated),
        proto_(proto),
        array_bytes_(array_bytes) {}

  CellState Find(uint32_t slot) const {
    return columns_.state(columns_.builder(slot));
  }
  size_t Steps(uint32_t slot) const {
    return OpenSteps(columns_, columns_.builder(slot)).size;
  }
  Values ValuesOf(uint32_t slot, size_t step) const {
    const Builder& builder = columns_.builder(slot);
    const Cell cell = CellOf(builder, step);
    return {builder.values + cell.begin * column::ValueSize(builder.kind),
            cell.size};
  }
  // Most lists have no such step, so a first loop looks at all steps without a
  // branch.
  size_t FindOtherStep(uint32_t slot, size_t size) const {
    const Builder& builder = columns_.builder(slot);
    const Cell steps = OpenSteps(columns_, builder);
    if (steps.size == 0) return 0;
    const int32_t* const offsets = builder.step_offsets + steps.begin;
    const auto size_at = [offsets](size_t step) {
      return static_cast<uint32_t>(offsets[step + 1] - offsets[step]);
    };
    const auto wanted = static_cast<uint32_t>(size);
    uint32_t differs = wanted != size;
    for (size_t i = 0; i < steps.size; ++i) differs |= size_at(i) ^ wanted;
    if (differs == 0) return steps.size;
    size_t step = 0;
    while (step < steps.size && size_at(step) == size) ++step;
    return step;
  }
  Unpacked Unpack(const Output& output, size_t i, size_t wanted) const {
    const Builder& builder = columns_.builder(output.slot);
    auto* const value = reinterpret_cast<std::string_view*>(builder.values) +
                        OpenCell(columns_, builder).begin + i;
    if (output.encoding == Encoding::kTensorProto) {
      return UnpackProto(output, *value);
    }
    Unpacked unpacked{.size = value->size()};
    if (output.encoding == Encoding::kZlib) {
      unpacked = inflated_->Inflate(value, wanted, mutable_columns_);
    }
    *array_bytes_ += unpacked.size;
    return unpacked;
  }

 private:
  // A few bytes may declare any number of elements, and their sum must not
  // overflow.
  Unpacked UnpackProto(const Output& output, std::string_view value) const {
    Unpacked unpacked = UnpackTensor(output, value, proto_);
    if (unpacked.end != Unpacked::End::kWhole) return unpacked;
    // The assembler keeps the dimensions, too.
    const uint64_t shape_bytes = 8 * unpacked.dimensions.size();
    const uint64_t left = columns_.memory_left();
    if (*array_bytes_ + shape_bytes > left ||
        unpacked.size > left - *array_bytes_ - shape_bytes) {
      unpacked.end = Unpacked::End::kNoRoom;
      return unpacked;
    }
    *array_bytes_ += unpacked.size + shape_bytes;
    return unpacked;
  }
  Cell CellOf(const Builder& builder, size_t step) const {
    if (builder.form != plan::SlotForm::kSteps) {
      return OpenCell(columns_, builder);
    }
    return StepCell(builder, OpenSteps(columns_, builder).begin + step);
  }

  const ColumnSet& columns_;
  ColumnSet* const mutable_columns_;
  InflatedRow* const inflated_;
  TensorProto* const proto_;
  uint64_t* const array_bytes_;
};

// More rows than a batch can have are counted as one more than it can have.
uint64_t CountedRows(size_t rows) {
  return std::min<uint64_t>(rows, kMaxRows + 1);
}

}  // namespace

// Returns the number of values of the longest row; the open row counts, too.
uint64_t RowChecker::LongestOf(const ColumnSet& columns,
                               const Checked& checked) {
  const Output& output = *checked.output;
  if (output.layout != Layout::kFixedLenSequence) return 0;
  const Builder& builder = columns.builder(output.slot);
  const size_t open = output.in_sequence
                          ? OpenSteps(columns, builder).size * output.elements
                          : OpenCell(columns, builder).size;
  return std::max<uint64_t>(checked.so_far.longest, open);
}

void RowChecker::Start(const plan::Program& program, bool by_block) {
  counts_copies_ = false;
  dense_.clear();
  checked_.clear();
  counted_.clear();
  jagged_.clear();
  ranges_.clear();
  by_block_.clear();
  for (const Output* const output : program.cells()) {
    const bool is_dense = IsDense(program, *output);
    if (is_dense) dense_.push_back(output);
    const bool is_in_place =
        is_dense &&
        (output->is_member()
             ? IsSlotItself(program, program.outputs()[output->field])
             : output->chain == nullptr);
    if (is_in_place) continue;
    const bool is_counted = is_dense || TakesAnyRow(*output);
    (is_counted ? counted_ : checked_).push_back({.output = output});
    if (is_counted && MayBeUnfit(*output)) {
      const bool is_cut = output->layout == Layout::kVarLen ||
                          output->member.most != plan::Membership().most;
      (by_block && !is_cut ? by_block_ : ranges_)
          .push_back({output, *RangeOf(output->from, output->to,
                                       output->member.exact)});
    }
  }
  for (const Output& output : program.outputs()) {
    if (output.layout == Layout::kJagged && !output.int64_lengths) {
      jagged_.push_back(&output);
    }
  }
  FindGroups();
  inflated_.StartBatch();
  most_counted_growths_ = 0;
  jagged_growths_ = 0;
  LookAfter(checked_.empty() && counted_.empty() ? kNoRow : kEveryRow);
}

// Keeps pointers: checked outputs do not move until the next batch.
void RowChecker::FindGroups() {
  firsts_.clear();
  for (Checked& checked : checked_) {
    const Output& output = *checked.output;
    if (output.group == plan::kNoGroup) continue;
    if (firsts_.size() <= output.group) firsts_.resize(output.group + 1);
    if (output.group == output.field) firsts_[output.group] = &checked;
    checked.first = firsts_[output.group];
  }
}

void RowChecker::BeginBlock(const ColumnSet& columns) {
  Save(&before_block_);
  kept_before_block_ = columns.kept_memory();
  rows_before_block_ = columns.num_rows();
  defaults_before_block_.clear();
  for (const Output* const output : dense_) {
    defaults_before_block_.push_back(
        columns.builder(output->slot).num_defaults);
  }
}

// Makes everything as it was before the block.
void RowChecker::TakeBackBlock(ColumnSet* columns) {
  columns->TakeBackRows(rows_before_block_);
  for (size_t i = 0; i < dense_.size(); ++i) {
    columns->builders()[dense_[i]->slot].num_defaults =
        defaults_before_block_[i];
  }
  Restore(before_block_);
  columns->KeepMemory(kept_before_block_);
}

bool RowChecker::FitsBlock(ColumnSet* columns) {
  for (Range& range : by_block_) {
    const Output& output = *range.output;
    const Builder& builder = columns->builder(output.slot);
    const size_t count = builder.count - range.judged;
    const uint8_t* const values =
        builder.values + range.judged * column::ValueSize(builder.kind);
    if (count > 0 && FindUncastable(output.from, output.to, output.member.exact,
                                    values, count) < count) {
      ranges_.insert(ranges_.end(), by_block_.begin(), by_block_.end());
      by_block_.clear();
      TakeBackBlock(columns);
      LookAfter(kEveryRow);
      return false;
    }
    range.judged = builder.count;
  }
  return true;
}

void RowChecker::Save(std::vector<RowsSoFar>* saved) const {
  saved->clear();
  for (const Checked& checked : checked_) saved->push_back(checked.so_far);
}

void RowChecker::Restore(const std::vector<RowsSoFar>& saved) {
  for (size_t i = 0; i < checked_.size(); ++i) checked_[i].so_far = saved[i];
}

double RowChecker::BytesOfLongestRow() const {
  double bytes = 0;
  for (const Checked& checked : checked_) {
    bytes += static_cast<double>(checked.so_far.longest) *
             static_cast<double>(DTypeSize(checked.output->to));
  }
  return bytes;
}

ErrorCode RowChecker::CheckOutput(ColumnSet* columns, Checked* checked) {
  checked->new_rows = checked->new_bytes = 0;
  const OpenRow row(columns, &inflated_, &proto_, &checked->new_bytes);
  const Fault fault =
      CheckLayout(row, *checked->output, [checked](size_t level, size_t rows) {
        if (level == 0) checked->length = rows;
        checked->new_rows += CountedRows(rows);
      });
  ErrorCode code = ErrorCode::kOk;
  if (checked->output->is_member()) {
    code = CheckMember(row, *checked->output, fault).code();
  } else {
    code = First(fault.code(), CheckRange(row, *checked->output).code());
  }
  checked->is_right = code == ErrorCode::kOk;
  return code;
}

// Looks at the members of which only the range of the values can be wrong. If
// `code` is kOk, all dense cells are filled.
ErrorCode RowChecker::CheckRanges(ColumnSet* columns, ErrorCode code) {
  if (code != ErrorCode::kOk) {
    uint64_t no_bytes = 0;
    const OpenRow row(columns, &inflated_, &proto_, &no_bytes);
    for (const auto* const ranges : {&ranges_, &by_block_}) {
      for (const Range& range : *ranges) {
        const Output& output = *range.output;
        const Fault fault = CheckLayout(row, output, [](size_t, size_t) {});
        code = First(code, CheckMember(row, output, fault).code());
      }
    }
    return code;
  }
  for (const auto& [output, range, judged] : ranges_) {
    const Builder& builder = columns->builder(output->slot);
    const Cell cell =
        builder.form == plan::SlotForm::kDense
            ? Cell{columns->num_rows() * output->elements, output->elements}
            : OpenCell(*columns, builder);
    const uint8_t* const values =
        builder.values + cell.begin * column::ValueSize(builder.kind);
    if (!HoldsKept(*output, range, values, cell.size)) {
      return ErrorCode::kWrongKind;
    }
  }
  return ErrorCode::kOk;
}

// Compares lengths within groups, after all outputs have been checked. An
// output that breaks another rule has no length.
ErrorCode RowChecker::CheckGroups() const {
  for (const Checked& checked : checked_) {
    if (checked.first == nullptr || !checked.is_right ||
        !checked.first->is_right) {
      continue;
    }
    const Fault fault = CheckGroup(checked.first->length, checked.length);
    if (fault.rule != Rule::kNone) return fault.code();
  }
  return ErrorCode::kOk;
}

RowChecker::Extent RowChecker::ExtentOf(const ColumnSet& columns,
                                        const Checked& checked) {
  const Builder& builder = columns.builder(checked.output->slot);
  return {.rows = columns.num_rows() + 1.0,
          .values = static_cast<double>(columns.Count(builder)),
          .steps = static_cast<double>(builder.steps),
          .longest = static_cast<double>(LongestOf(columns, checked))};
}

// Returns an upper bound of ExtentOf for all rows that fit the columns without
// growing them.
RowChecker::Extent RowChecker::RoomOf(const ColumnSet& columns,
                                      const Checked& checked) {
  const Builder& builder = columns.builder(checked.output->slot);
  return {.rows = static_cast<double>(columns.row_capacity()),
          .values = static_cast<double>(builder.capacity),
          .steps = static_cast<double>(builder.step_capacity)};
}

// Returns the bytes that the output's tensor takes in addition to its columns.
// A double is exact enough, and products cannot overflow it.
double RowChecker::CostOf(const Checked& checked, const Extent& extent) const {
  const Output& output = *checked.output;
  const auto [rows, values, steps, longest] = extent;
  if (output.is_member()) {
    return CostOfMember(output, rows, values) +
           static_cast<double>(checked.so_far.bytes + checked.new_bytes);
  }
  const auto size = static_cast<double>(DTypeSize(output.to));
  // Values that the columns do not have in this form are copied.
  const double arrays =
      static_cast<double>(checked.so_far.bytes + checked.new_bytes);
  const double narrowed = (output.converts() ? 2 * values * size : 0) + arrays +
                          (counts_copies_ ? values * size + arrays : 0);
  switch (output.layout) {
    case Layout::kFixedLen:
      return narrowed + rows * static_cast<double>(output.elements) * size;
    case Layout::kFixedLenSequence:
      return narrowed + rows * (longest * size + sizeof(int64_t));
    case Layout::kVarLen:
      return narrowed + (output.pad_to > 0
                             ? rows * static_cast<double>(output.pad_to) * size
                             : values * (output.in_sequence ? 24 : 16));
    case Layout::kSparse: {
      // Sorting needs the coordinates, the values and their places.
      const auto rank = static_cast<double>(output.index_slots.size() + 1);
      return narrowed + values * (8 * rank + size + 4);
    }
    case Layout::kMatrix:
    case Layout::kJagged:  // not covered: their members are counted
    case Layout::kRagged:
      break;
  }
  const auto levels = static_cast<double>(output.ragged.num_levels + 1);
  return narrowed +
         8 * (levels * rows + steps +
              static_cast<double>(checked.so_far.rows + checked.new_rows));
}

// Returns whether a jagged group with int32 lengths has more values than they
// can count. Cut values count, too: a batch may end early for them.
bool RowChecker::HasTooManyValues(const ColumnSet& columns) {
  const auto sum_is_above = [&](const auto& count_of) {
    for (const Output* const group : jagged_) {
      uint64_t sum = 0;
      for (const Output& member : group->members) {
        uint64_t count = count_of(columns.builder(member.slot));
        if (member.layout == Layout::kFixedLen) {
          count = std::max<uint64_t>(
              count, uint64_t{columns.row_capacity()} * member.elements);
        }
        sum += count;
      }
      if (sum > kMaxRows) return true;
    }
    return false;
  };
  if (jagged_growths_ != columns.num_growths()) {
    jagged_growths_ = columns.num_growths();
    jagged_may_overflow_ = sum_is_above(
        [](const Builder& builder) { return uint64_t{builder.capacity}; });
  }
  return jagged_may_overflow_ && sum_is_above([&](const Builder& builder) {
           return uint64_t{columns.Count(builder)};
         });
}

// Returns the bytes that the tensors take with the open row, or a larger number
// that is still a small part of the budget. HUGE_VAL means too many rows.
double RowChecker::BytesOfTensors(const ColumnSet& columns) {
  double bytes = 0;
  if (!jagged_.empty() && HasTooManyValues(columns)) return HUGE_VAL;
  for (const Checked& checked : checked_) {
    if (checked.so_far.rows + checked.new_rows > kMaxRows) return HUGE_VAL;
    bytes += CostOf(checked, ExtentOf(columns, checked));
  }
  if (counted_.empty()) return bytes;
  if (most_counted_growths_ != columns.num_growths()) {
    most_counted_growths_ = columns.num_growths();
    most_counted_ = 0;
    for (const Checked& counted : counted_) {
      most_counted_ += CostOf(counted, RoomOf(columns, counted));
    }
  }
  constexpr double kLittle = 0.125;
  if (bytes + most_counted_ <=
      kLittle * static_cast<double>(columns.memory_left())) {
    // Until the columns grow, this is enough for any rows.
    const bool may_overflow = !jagged_.empty() && jagged_may_overflow_;
    if (checked_.empty() && ranges_.empty() && !may_overflow) {
      LookAfter(columns.num_growths());
    }
    return bytes + most_counted_;
  }
  for (const Checked& counted : counted_) {
    bytes += CostOf(counted, ExtentOf(columns, counted));
  }
  return bytes;
}

// Dense tensors grow with the longest row, and a few bytes of row ids may
// declare billions of rows. So a row is accepted only if the tensors still fit.
ErrorCode RowChecker::Check(ColumnSet* columns, bool dense_are_filled) {
  ErrorCode code = ErrorCode::kOk;
  inflated_.StartRow();
  if (!dense_are_filled) {
    uint64_t no_bytes = 0;
    const OpenRow row(columns, &inflated_, &proto_, &no_bytes);
    for (const Output* output : dense_) {
      if (!output->reinterpret && columns->IsKnownToBeFilled(output->slot)) {
        continue;
      }
      code = First(code, CheckFixedLen(row, *output).code());
    }
  }
  for (Checked& checked : checked_) {
    code = First(code, CheckOutput(columns, &checked));
  }
  if (!firsts_.empty()) code = First(code, CheckGroups());
  // A row of which something else is wrong is judged whole.
  if (!ranges_.empty() || (code != ErrorCode::kOk && !by_block_.empty())) {
    code = First(code, CheckRanges(columns, code));
  }
  if (code != ErrorCode::kOk) return code;
  const double bytes =
      BytesOfTensors(*columns) + static_cast<double>(inflated_.bytes());
  // The rest of an arena chunk that is too small for the next array is lost, so
  // arrays may need twice their bytes. The first row of a batch may try with
  // less.
  const auto left = static_cast<double>(columns->memory_left());
  if (bytes > left || (2 * bytes > left && columns->num_rows() > 0)) {
    return ErrorCode::kLimit;
  }
  if (!inflated_.Keep(columns)) {
    return columns->out_of_memory() ? ErrorCode::kOutOfMemory
                                    : ErrorCode::kLimit;
  }
  columns->KeepMemory(static_cast<uint64_t>(std::min(2 * bytes, left)));
  for (Checked& checked : checked_) {
    checked.so_far.rows += checked.new_rows;
    checked.so_far.bytes += checked.new_bytes;
    checked.so_far.longest = LongestOf(*columns, checked);
  }
  return ErrorCode::kOk;
}

}  // namespace headrace::tensor
