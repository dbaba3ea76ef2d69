// Rules T1 to T3, P and R of docs/semantics.md say what a row must give to a
// tensor, each row on its own, so that none can take or leave values of
// another. They are templates over a view of the row, written once: the row
// checker looks at the open row of the columns, the explainer at the parsed
// message, and the assembler cuts accepted rows with the same partitions.
//
// A View has
//
//   CellState Find(slot)           kAbsent, kUnset, or kTyped
//   size_t Steps(slot)             of a feature list; 0 where it is absent
//   Values ValuesOf(slot, step)    of a step of a feature list, or with step 0
//                                  of a feature; none where it is absent
//   size_t FindOtherStep(slot, n)  the first step that has not n values, or
//                                  Steps(slot)
//   size_t BytesIn(slot)           of the only value of a feature of bytes

#ifndef HEADRACE_SRC_TENSOR_ROW_RULES_H_
#define HEADRACE_SRC_TENSOR_ROW_RULES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "headrace/status.h"
#include "src/base/convert.h"
#include "src/column/column_set.h"
#include "src/plan/program.h"
#include "src/tensor/partition.h"

namespace headrace::tensor {

// Numbers are as the wire has them. For values of bytes only the size counts.
struct Values {
  const void* data = nullptr;
  size_t size = 0;

  std::span<const int64_t> int64s() const {
    return {static_cast<const int64_t*>(data), size};
  }
};

// A Rule that a row broke tells how to read the fields of its Fault.
enum class Rule : uint8_t {
  kNone,
  kPresence,       // a required feature, or feature list, is absent
  kCount,          // `wanted` values; `found` of them
  kBytes,          // one value of `wanted` bytes; it has `found`
  kMultiple,       // a multiple of `wanted` values; `found`
  kAtMost,         // at most `wanted` values; `found`
  kIndexCount,     // `slot` has as many indices as there are values
  kIndexRange,     // `slot` has indices in [0, wanted); index number `found`
  kSteps,          // partition `slot` has as many steps as the values
  kUniformLength,  // a multiple of `wanted` values; `found`
  kPartition,      // `cut` fits `wanted` values; it has `found` entries
  kRange,          // value number `found` fits the tensor's type
};

struct Fault {
  Rule rule = Rule::kNone;
  size_t step = 0;
  uint64_t wanted = 0;
  uint64_t found = 0;
  uint32_t slot = plan::kNoSlot;
  const plan::Cut* cut = nullptr;

  ErrorCode code() const {
    switch (rule) {
      case Rule::kNone:
        break;
      case Rule::kPresence:
        return ErrorCode::kMissingFeature;
      case Rule::kCount:
      case Rule::kBytes:
      case Rule::kMultiple:
      case Rule::kAtMost:
        return ErrorCode::kWrongCount;
      case Rule::kIndexCount:
      case Rule::kIndexRange:
        return ErrorCode::kBadSparseIndex;
      case Rule::kSteps:
      case Rule::kUniformLength:
      case Rule::kPartition:
        return ErrorCode::kBadPartition;
      case Rule::kRange:
        return ErrorCode::kWrongKind;
    }
    return ErrorCode::kOk;
  }
};

template <class View>
Fault CheckFixedLen(const View& view, const plan::Output& output) {
  using column::CellState;
  const CellState state = view.Find(output.slot);
  const bool is_there = state == CellState::kTyped ||
                        (state == CellState::kUnset && output.unset_is_empty);
  if (!is_there) {
    if (output.default_values != nullptr) return {};
    return {.rule = Rule::kPresence};
  }
  const size_t wanted = output.reinterpret ? 1 : output.elements;
  const size_t found = view.ValuesOf(output.slot, 0).size;
  if (found != wanted) {
    return {.rule = Rule::kCount, .wanted = wanted, .found = found};
  }
  if (!output.reinterpret) return {};
  const size_t bytes = output.elements * DTypeSize(output.to);
  const size_t found_bytes = view.BytesIn(output.slot);
  if (found_bytes == bytes) return {};
  return {.rule = Rule::kBytes, .wanted = bytes, .found = found_bytes};
}

template <class View>
Fault CheckSequence(const View& view, const plan::Output& output) {
  if (!output.in_sequence) {
    const size_t found = view.ValuesOf(output.slot, 0).size;
    if (found % output.elements == 0) return {};
    return {.rule = Rule::kMultiple, .wanted = output.elements, .found = found};
  }
  if (!output.allow_missing &&
      view.Find(output.slot) == column::CellState::kAbsent) {
    return {.rule = Rule::kPresence};
  }
  const size_t step = view.FindOtherStep(output.slot, output.elements);
  if (step == view.Steps(output.slot)) return {};
  return {.rule = Rule::kCount,
          .step = step,
          .wanted = output.elements,
          .found = view.ValuesOf(output.slot, step).size};
}

template <class View>
Fault CheckVarLen(const View& view, const plan::Output& output) {
  if (output.pad_to == 0 || output.truncate) return {};
  const size_t found = view.ValuesOf(output.slot, 0).size;
  if (found <= output.pad_to) return {};
  return {.rule = Rule::kAtMost, .wanted = output.pad_to, .found = found};
}

template <class View>
Fault CheckSparse(const View& view, const plan::Output& output) {
  const size_t size = view.ValuesOf(output.slot, 0).size;
  for (size_t i = 0; i < output.index_slots.size(); ++i) {
    const uint32_t slot = output.index_slots[i];
    const auto indices = view.ValuesOf(slot, 0).int64s();
    if (indices.size() != size) {
      return {.rule = Rule::kIndexCount,
              .wanted = size,
              .found = indices.size(),
              .slot = slot};
    }
    if (!output.check_indices) continue;
    const int64_t bound = output.shape[i];  // negative: none
    for (size_t k = 0; k < size; ++k) {
      if (indices[k] >= 0 && (bound < 0 || indices[k] < bound)) continue;
      return {.rule = Rule::kIndexRange,
              .wanted = static_cast<uint64_t>(bound),
              .found = k,
              .slot = slot};
    }
  }
  return {};
}

// Cuts one cell of `values` values by the output's partitions, from the
// innermost outwards. on_rows(k, rows) gets how many rows partition k makes; k
// = cuts.size() stands for the innermost one's units, which are values or rows
// of uniform length. partition_of(cut) gives the numbers of a partition.
template <class PartitionOf, class OnRows>
Fault CutCell(const plan::Output& output, size_t values,
              PartitionOf&& partition_of, OnRows&& on_rows) {
  size_t inner = values;
  for (size_t k = output.uniform.size(); k-- > 0;) {
    const auto length = static_cast<uint64_t>(output.uniform[k]);
    if (inner % length != 0) {
      return {.rule = Rule::kUniformLength, .wanted = length, .found = inner};
    }
    inner = static_cast<size_t>(inner / length);
  }
  on_rows(output.cuts.size(), inner);
  for (size_t k = output.cuts.size(); k-- > 0;) {
    const plan::Cut& cut = output.cuts[k];
    std::span<const int64_t> partition;
    if (cut.slot != plan::kNoSlot) partition = partition_of(cut);
    size_t rows;
    if (!CountRows(cut, partition, inner, &rows)) {
      return {.rule = Rule::kPartition,
              .wanted = inner,
              .found = partition.size(),
              .slot = cut.slot,
              .cut = &cut};
    }
    inner = rows;
    on_rows(k, inner);
  }
  return {};
}

template <class View, class OnRows>
Fault CheckRagged(const View& view, const plan::Output& output,
                  OnRows&& on_rows) {
  if (output.cuts.empty() && output.uniform.empty()) return {};
  const size_t steps = output.in_sequence ? view.Steps(output.slot) : 1;
  for (const plan::Cut& cut : output.cuts) {
    if (!output.in_sequence || cut.slot == plan::kNoSlot) continue;
    const size_t found = view.Steps(cut.slot);
    if (found == steps) continue;
    return {.rule = Rule::kSteps,
            .wanted = steps,
            .found = found,
            .slot = cut.slot};
  }
  for (size_t step = 0; step < steps; ++step) {
    Fault fault = CutCell(
        output, view.ValuesOf(output.slot, step).size,
        [&](const plan::Cut& cut) {
          return view.ValuesOf(cut.slot, step).int64s();
        },
        on_rows);
    if (fault.rule != Rule::kNone) {
      fault.step = step;
      return fault;
    }
  }
  return {};
}

// Checks the number of values and their partitions; on_rows is as in CutCell.
template <class View, class OnRows>
Fault CheckLayout(const View& view, const plan::Output& output,
                  OnRows&& on_rows) {
  switch (output.layout) {
    case Layout::kFixedLen:
      return CheckFixedLen(view, output);
    case Layout::kFixedLenSequence:
      return CheckSequence(view, output);
    case Layout::kVarLen:
      return CheckVarLen(view, output);
    case Layout::kSparse:
      return CheckSparse(view, output);
    case Layout::kRagged:
      break;
  }
  return CheckRagged(view, output, on_rows);
}

// The type of the tensor must hold every value.
template <class View>
Fault CheckRange(const View& view, const plan::Output& output) {
  if (output.from == output.to || output.from == DType::kBytes) return {};
  const size_t steps = output.in_sequence ? view.Steps(output.slot) : 1;
  for (size_t step = 0; step < steps; ++step) {
    const Values values = view.ValuesOf(output.slot, step);
    const size_t unfit =
        FindUnfit(output.from, output.to, values.data, values.size);
    if (unfit == values.size) continue;
    return {.rule = Rule::kRange, .step = step, .found = unfit};
  }
  return {};
}

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_ROW_RULES_H_
