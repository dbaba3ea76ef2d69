// The loops over the records of a block: raw records, messages, and lists of
// Examples. Compiled for each SIMD target; DecodeBlock picks one per block.

#include "src/decode/example/decode_block.h"

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/decode/example/decode_block.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Included explicitly, because foreach_target.h would include it only later.
#include "hwy/highway.h"
#include "src/base/memory/prefetch.h"
#include "src/base/record_header.h"
#include "src/decode/example/list_decoder-inl.h"
#include "src/decode/example/list_rows.h"
#include "src/decode/example/row_decoder-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {

// Appends a row whose one value is the payload of a raw record.
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

// True if the failed record is passed over. Any error may be due to damage, so
// the checksum is compared first.
HWY_NOINLINE bool PassOver(const record::RecordSpan& span, size_t index,
                           ErrorCode code, const BlockOptions& options) {
  if (options.bad_rows == nullptr || !IsRowError(code) ||
      options.bad_rows->size() >= options.most_bad_rows ||
      (options.verify_payload && !IsIntact(span))) {
    return false;
  }
  options.bad_rows->push_back({index, code});
  return true;
}

BlockEnd DecodeLists(const plan::Program& program,
                     std::span<const record::RecordSpan> records,
                     const BlockOptions& options, column::ColumnSet* columns,
                     infer::LateFeatures* late) {
  StartOrders(program, options);
  ListDecoder decoder(program, options, columns, late);
  size_t end = std::min(records.size(), options.most_rows);
  for (size_t i = 0; i < end; ++i) {
    ErrorCode code = records[i].row_error;
    if (HWY_LIKELY(code == ErrorCode::kOk)) code = decoder.Decode(records[i]);
    if (HWY_UNLIKELY(code != ErrorCode::kOk)) {
      if (!PassOver(records[i], i, code, options)) return {i, code};
      end += end < records.size();
    }
  }
  return {end, ErrorCode::kOk};
}

BlockEnd DecodeRecords(const plan::Program& program,
                       std::span<const record::RecordSpan> records,
                       const BlockOptions& options, column::ColumnSet* columns,
                       infer::LateFeatures* late) {
  if (program.message() == MessageType::kRaw) {
    records = records.first(std::min(records.size(), options.most_rows));
    return AppendPayloads(records, options.verify_payload, columns);
  }
  if (program.lists() != nullptr) {
    return DecodeLists(program, records, options, columns, late);
  }
  options.order->Start(program);
  EntryReader entries(program, !options.verify_unselected, columns,
                      options.order);
  // Only rows count towards most_rows, so a record that is passed over moves
  // the end.
  size_t end = std::min(records.size(), options.most_rows);
  for (size_t i = 0; i < end; ++i) {
    if (options.scattered && i + 1 < records.size()) {
      Prefetch(records[i + 1].payload, records[i + 1].size);
    }
    ErrorCode code = records[i].row_error;
    if (HWY_LIKELY(code == ErrorCode::kOk)) {
      code = DecodeRow(program, records[i], options, Nesting(), columns, late,
                       &entries);
    }
    if (HWY_UNLIKELY(code != ErrorCode::kOk)) {
      if (!PassOver(records[i], i, code, options)) return {i, code};
      end += end < records.size();
    }
  }
  return {end, ErrorCode::kOk};
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
  assert((options.lists != nullptr) == (program.lists() != nullptr));
  const BlockEnd end = HWY_DYNAMIC_DISPATCH(DecodeRecords)(
      program, records, options, columns, late);
  columns->Settle();
  if (options.lists != nullptr) options.lists->columns.Settle();
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
