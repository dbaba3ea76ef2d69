// DecodeRow decodes one message into one row, which it commits or rolls back.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ROW_DECODER_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ROW_DECODER_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ROW_DECODER_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ROW_DECODER_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "headrace/message.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/example/row_sink-inl.h"
#include "src/decode/example/walk-inl.h"
#include "src/input/crc32c/crc32c-inl.h"
#include "src/input/record/framer.h"
#include "src/plan/compile/program.h"
#include "src/plan/infer/late_features.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {

HWY_INLINE bool IsIntact(const record::RecordSpan& span) {
  return record::HWY_NAMESPACE::PayloadIsRight(span.payload, span.size);
}

inline ErrorCode NoRoom(const column::ColumnSet& columns) {
  return columns.out_of_memory() ? ErrorCode::kOutOfMemory : ErrorCode::kLimit;
}

inline ErrorCode FillDefault(const plan::DenseSlot& dense,
                             column::ColumnSet* columns) {
  column::Builder* const cell = columns->EnterCell(dense.slot);
  if (cell == nullptr || !columns->Reserve(cell, cell->elements)) {
    return NoRoom(*columns);
  }
  const size_t size = column::ValueSize(cell->kind);
  // Without elements `default_values` and the cell's array may be null.
  if (cell->elements != 0) {
    std::memcpy(cell->values + cell->count * size, dense.default_values,
                cell->elements * size);
  }
  cell->count += cell->elements;
  columns->LeaveCell(cell, column::CellState::kTyped);
  columns->NoteDefault(dense.slot);
  return ErrorCode::kOk;
}

// Fills dense slots that lack a value with their defaults. Sets `*all_filled`
// to whether every dense slot then has its values.
inline ErrorCode FillDefaults(const plan::Program& program,
                              column::ColumnSet* columns, bool* all_filled) {
  using column::CellState;
  size_t unfilled = program.dense_slots().size() - columns->num_filled();
  *all_filled = false;
  for (const plan::DenseSlot& dense : program.slots_with_defaults()) {
    const CellState state = columns->state(columns->builder(dense.slot));
    if (HWY_LIKELY(state == CellState::kTyped)) continue;
    if (state == CellState::kUnset && dense.unset_is_empty) continue;
    const ErrorCode code = FillDefault(dense, columns);
    if (code != ErrorCode::kOk) return code;
    if (--unfilled == 0) break;
  }
  *all_filled = unfilled == 0;
  return ErrorCode::kOk;
}

// Judges whether the open row, whose record has been found valid, may stay.
HWY_NOINLINE ErrorCode JudgeRow(const plan::Program& program, RowCheck* check,
                                column::ColumnSet* columns) {
  bool dense_are_filled = columns->num_filled() == program.dense_slots().size();
  if (!dense_are_filled) {
    const ErrorCode code = FillDefaults(program, columns, &dense_are_filled);
    if (code != ErrorCode::kOk) return code;
    if (dense_are_filled && !check->LooksAtFilled(*columns)) {
      return ErrorCode::kOk;
    }
  }
  return check->Check(columns, dense_are_filled);
}

HWY_INLINE bool MustJudge(const plan::Program& program, const RowCheck* check,
                          const column::ColumnSet& columns) {
  return columns.num_filled() != program.dense_slots().size() ||
         (check != nullptr && check->LooksAtFilled(columns));
}

// Returns why the walk of a message ended early.
inline ErrorCode WalkError(const RowSink& sink,
                           const column::ColumnSet& columns) {
  return sink.no_room() ? NoRoom(columns) : ErrorCode::kMalformed;
}

// Judges the open row of a record whose whole message was walked.
HWY_INLINE ErrorCode JudgeWalked(const plan::Program& program,
                                 const record::RecordSpan& record,
                                 const BlockOptions& options,
                                 column::ColumnSet* columns,
                                 infer::LateFeatures* late,
                                 const RowSink& sink) {
  if (HWY_UNLIKELY(columns->num_wrong() > 0 || sink.has_wrong_late_list())) {
    return ErrorCode::kWrongKind;
  }
  if (options.verify_payload && HWY_UNLIKELY(!IsIntact(record))) {
    return ErrorCode::kPayloadCrc;
  }
  if (options.strict_columns && late && late->RowIsLate()) {
    return ErrorCode::kWrongKind;
  }
  if (MustJudge(program, options.check, *columns)) {
    return JudgeRow(program, options.check, columns);
  }
  return ErrorCode::kOk;
}

// Counts a record that has become a row, but whose feature lists were left out
// because it is read as an Example.
HWY_NOINLINE inline void CountUnreadLists(const plan::Program& program,
                                          const record::RecordSpan& span,
                                          infer::LateFeatures* late) {
  if (program.message() != MessageType::kExample || late == nullptr) return;
  const std::string_view payload(reinterpret_cast<const char*>(span.payload),
                                 span.size);
  if (HasFeatureLists(payload)) late->CountLists();
}

// Begins the row again. The record is not a SequenceExample, so the apparent
// feature lists are an unknown field of an Example.
HWY_NOINLINE inline ErrorCode WalkAsExample(const plan::Program& program,
                                            const record::RecordSpan& span,
                                            const BlockOptions& options,
                                            const Nesting& nesting,
                                            column::ColumnSet* columns,
                                            infer::LateFeatures* late,
                                            EntryReader* entries) {
  columns->RollBackRow();
  if (late) late->RollBackRow();
  if (!columns->BeginRow()) return NoRoom(*columns);
  entries->StartRecord();
  RowSink sink(program, options.verify_unselected, nesting, columns, late,
               entries);
  Walker<RowSink> walker(sink, nesting.depth);
  if (!walker.WalkExample({span.payload, span.size})) {
    return WalkError(sink, *columns);
  }
  return JudgeWalked(program, span, options, columns, late, sink);
}

// Fills the open row from the record.
HWY_INLINE ErrorCode WalkRow(const plan::Program& program,
                             const record::RecordSpan& span,
                             const BlockOptions& options,
                             const Nesting& nesting, column::ColumnSet* columns,
                             infer::LateFeatures* late, EntryReader* entries) {
  entries->StartRecord();
  RowSink sink(program, options.verify_unselected, nesting, columns, late,
               entries);
  Walker<RowSink> walker(sink, nesting.depth);
  const wire::Span message{span.payload, span.size};
  const bool walked = program.walked_message() == MessageType::kSequence
                          ? walker.WalkSequence(message)
                          : walker.WalkExample(message);
  if (HWY_UNLIKELY(!walked)) {
    const bool may_be_example = program.guesses_examples() && !sink.no_room();
    return may_be_example ? WalkAsExample(program, span, options, nesting,
                                          columns, late, entries)
                          : WalkError(sink, *columns);
  }
  const ErrorCode code =
      JudgeWalked(program, span, options, columns, late, sink);
  if (HWY_UNLIKELY(sink.met_lists()) && code == ErrorCode::kOk &&
      nesting.depth == 0) {
    CountUnreadLists(program, span, late);
  }
  return code;
}

HWY_INLINE ErrorCode DecodeRow(const plan::Program& program,
                               const record::RecordSpan& span,
                               const BlockOptions& options,
                               const Nesting& nesting,
                               column::ColumnSet* columns,
                               infer::LateFeatures* late,
                               EntryReader* entries) {
  if (!columns->BeginRow()) return NoRoom(*columns);
  const ErrorCode code =
      WalkRow(program, span, options, nesting, columns, late, entries);
  if (HWY_LIKELY(code == ErrorCode::kOk)) {
    columns->CommitRow();
    if (late) late->CommitRow();
  } else {
    columns->RollBackRow();
    if (late) late->RollBackRow();
  }
  return code;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ROW_DECODER_INL_H_
