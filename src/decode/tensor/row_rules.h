// Checks rules T1 to T3, P, R and B of docs/semantics.md: what a row must have
// for a tensor. Each row is checked by itself, so that no row can use the
// values of another row or leave some of its own to it. The checks are
// templates over a View of the row: the row checker looks at the open row of
// the columns, the explainer at the parsed message, and the assembler cuts
// accepted rows by the same partitions.
//
// A View has
//
//   CellState Find(slot)           kAbsent, kUnset, or kTyped
//   size_t Steps(slot)             of a feature list; 0 if it is absent
//   Values ValuesOf(slot, step)    of a step of a feature list, or with step 0
//                                  of a feature; none if it is absent
//   size_t FindOtherStep(slot, n)  the first step whose number of values is not
//                                  n, or Steps(slot)
//   Unpacked Unpack(output, i, n)  the bytes of value i of the output; there
//                                  should be n, or any number for kAnySize;
//                                  its dimensions are valid until the next call

#ifndef HEADRACE_SRC_DECODE_TENSOR_ROW_RULES_H_
#define HEADRACE_SRC_DECODE_TENSOR_ROW_RULES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "headrace/status.h"
#include "src/base/convert.h"
#include "src/decode/column/column_set.h"
#include "src/decode/tensor/fault.h"
#include "src/decode/tensor/group_rules.h"
#include "src/decode/tensor/ragged_rules.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

template <class View>
Fault CheckFixedLen(const View& view, const plan::Output& output) {
  if (!IsThere(view, output)) {
    if (output.default_values != nullptr) return {};
    return {.rule = Rule::kPresence};
  }
  const size_t wanted = output.reinterpret ? 1 : output.elements;
  const size_t found = view.ValuesOf(output.slot, 0).size;
  if (found != wanted) {
    return {.rule = Rule::kCount, .wanted = wanted, .found = found};
  }
  if (!output.reinterpret) return {};
  return CheckUnpacked(
      view.Unpack(output, 0, output.elements * DTypeSize(output.to)),
      output.elements * DTypeSize(output.to), 0);
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

// Checks the number of values and their partitions. Calls on_rows as CutCell
// does.
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
    case Layout::kMatrix:
    case Layout::kJagged:  // not covered: their members are checked
    case Layout::kRagged:
      break;
  }
  return CheckRagged(view, output, on_rows);
}

// Checks that the tensor's type can hold every value.
template <class View>
Fault CheckRange(const View& view, const plan::Output& output) {
  if (!MayBeUnfit(output)) return {};
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

#endif  // HEADRACE_SRC_DECODE_TENSOR_ROW_RULES_H_
