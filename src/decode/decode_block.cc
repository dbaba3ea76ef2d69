#include "src/decode/decode_block.h"

#include <cassert>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/decode/decode_block.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// This is not left to Highway: foreach_target.h would include it later.
#include "hwy/highway.h"
#include "src/base/prefetch.h"
#include "src/base/record_header.h"
#include "src/decode/row_sink-inl.h"
#include "src/decode/walk-inl.h"
#include "src/record/crc32c-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {

HWY_INLINE bool IsIntact(const record::RecordSpan& span) {
  return record::HWY_NAMESPACE::PayloadIsRight(span.payload, span.size);
}

ErrorCode NoRoom(const column::ColumnSet& columns) {
  return columns.out_of_memory() ? ErrorCode::kOutOfMemory : ErrorCode::kLimit;
}

ErrorCode FillDefault(const plan::DenseSlot& dense,
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

// `*all_filled` tells whether every dense slot has its values afterwards.
ErrorCode FillDefaults(const plan::Program& program, column::ColumnSet* columns,
                       bool* all_filled) {
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

// Says whether the open row, whose record has no fault of its own, may stay.
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

ErrorCode DecodeRow(const plan::Program& program,
                    const record::RecordSpan& span, const BlockOptions& options,
                    column::ColumnSet* columns, infer::LateFeatures* late,
                    EntryReader* entries) {
  if (!columns->BeginRow()) return NoRoom(*columns);
  entries->StartRecord();
  RowSink sink(program, options.verify_unselected, columns, late, entries);
  Walker<RowSink> walker(sink);
  const wire::Span message{span.payload, span.size};
  const bool walked = program.walked_message() == MessageType::kSequence
                          ? walker.WalkSequence(message)
                          : walker.WalkExample(message);
  ErrorCode code = ErrorCode::kOk;
  if (HWY_UNLIKELY(!walked)) {
    code = sink.no_room() ? NoRoom(*columns) : ErrorCode::kMalformed;
  } else if (HWY_UNLIKELY(columns->num_wrong() > 0 ||
                          sink.has_wrong_late_list())) {
    code = ErrorCode::kWrongKind;
  } else if (options.verify_payload && HWY_UNLIKELY(!IsIntact(span))) {
    code = ErrorCode::kPayloadCrc;
  } else if (options.strict_columns && late && late->RowIsLate()) {
    code = ErrorCode::kWrongKind;
  } else if (MustJudge(program, options.check, *columns)) {
    code = JudgeRow(program, options.check, columns);
  }
  if (HWY_LIKELY(code == ErrorCode::kOk)) {
    columns->CommitRow();
    if (late) late->CommitRow();
  } else {
    columns->RollBackRow();
    if (late) late->RollBackRow();
  }
  return code;
}

// A raw record's payload is the one value of its row.
ErrorCode AppendPayload(const record::RecordSpan& span, bool verify_payload,
                        column::ColumnSet* columns) {
  if (!columns->BeginRow()) return NoRoom(*columns);
  ErrorCode code = ErrorCode::kOk;
  column::Builder* const cell = columns->EnterCell(0);
  if (cell == nullptr || !columns->Reserve(cell, 1)) {
    code = NoRoom(*columns);
  } else if (verify_payload && !IsIntact(span)) {
    code = ErrorCode::kPayloadCrc;
  }
  if (code != ErrorCode::kOk) {
    columns->RollBackRow();
    return code;
  }
  reinterpret_cast<std::string_view*>(cell->values)[cell->count++] = {
      reinterpret_cast<const char*>(span.payload), span.size};
  columns->LeaveCell(cell, column::CellState::kTyped);
  columns->CommitRow();
  return ErrorCode::kOk;
}

BlockEnd AppendPayloads(std::span<const record::RecordSpan> records,
                        bool verify_payload, column::ColumnSet* columns) {
  for (size_t i = 0; i < records.size(); ++i) {
    const ErrorCode code = AppendPayload(records[i], verify_payload, columns);
    if (HWY_UNLIKELY(code != ErrorCode::kOk)) return {i, code};
  }
  return {records.size(), ErrorCode::kOk};
}

BlockEnd DecodeRecords(const plan::Program& program,
                       std::span<const record::RecordSpan> records,
                       const BlockOptions& options, column::ColumnSet* columns,
                       infer::LateFeatures* late) {
  if (program.message() == MessageType::kRaw) {
    return AppendPayloads(records, options.verify_payload, columns);
  }
  options.order->Start(program);
  EntryReader entries(program, !options.verify_unselected, columns,
                      options.order);
  for (size_t i = 0; i < records.size(); ++i) {
    if (options.scattered && i + 1 < records.size()) {
      Prefetch(records[i + 1].payload, records[i + 1].size);
    }
    const ErrorCode code =
        DecodeRow(program, records[i], options, columns, late, &entries);
    if (HWY_UNLIKELY(code != ErrorCode::kOk)) return {i, code};
  }
  return {records.size(), ErrorCode::kOk};
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::decode {
namespace {

HWY_EXPORT(DecodeRecords);

}  // namespace

BlockEnd DecodeBlock(const plan::Program& program,
                     std::span<const record::RecordSpan> records,
                     const BlockOptions& options, column::ColumnSet* columns,
                     infer::LateFeatures* late) {
  assert(options.check != nullptr || program.dense_slots().empty());
  const BlockEnd end = HWY_DYNAMIC_DISPATCH(DecodeRecords)(
      program, records, options, columns, late);
  columns->Settle();
  return end;
}

std::vector<std::string> DecodeTargets() {
  std::vector<std::string> names;
  const auto targets = static_cast<uint64_t>(HWY_TARGETS);
  for (int bit = 0; bit < 63; ++bit) {
    if (targets >> bit & 1) {
      names.emplace_back(hwy::TargetName(
          static_cast<decltype(HWY_TARGET)>(uint64_t{1} << bit)));
    }
  }
  return names;
}

std::string DecodeTarget() {
  const auto usable =
      static_cast<uint64_t>(hwy::SupportedTargets() & HWY_TARGETS);
  return hwy::TargetName(
      static_cast<decltype(HWY_TARGET)>(usable & (~usable + 1)));
}

}  // namespace headrace::decode
#endif  // HWY_ONCE
