// Checks rules B4, B7 and B8 of docs/semantics.md: what a row must have for a
// member of a matrix or jagged group, in addition to the rules of its layout.
// row_rules.h says what a View is.

#ifndef HEADRACE_SRC_DECODE_TENSOR_GROUP_RULES_H_
#define HEADRACE_SRC_DECODE_TENSOR_GROUP_RULES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/base/cast.h"
#include "src/decode/tensor/fault.h"
#include "src/decode/tensor/ragged_rules.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// Of `size` values of a row, a group keeps [begin, begin + kept).
struct Kept {
  size_t begin = 0;
  size_t kept = 0;
};
inline Kept KeptOf(const plan::Output& output, size_t size) {
  const plan::Membership& member = output.member;
  if (member.group == Layout::kMatrix) return {0, std::min(size, member.width)};
  const size_t kept = std::min(size, member.most);
  return {member.keeps_last ? size - kept : 0, kept};
}

// True if rows may have values that the group's type cannot hold.
inline bool MayBeUnfit(const plan::Output& output) {
  if (!output.converts() || output.chain != nullptr) return false;
  return !output.is_member() ||
         !CastsAll(output.from, output.to, output.member.exact);
}

// Counts the values of a row, or those of all its steps.
template <class View>
size_t CountValues(const View& view, const plan::Output& output,
                   uint32_t slot) {
  if (!output.in_sequence) return view.ValuesOf(slot, 0).size;
  size_t size = 0;
  const size_t steps = view.Steps(slot);
  for (size_t step = 0; step < steps; ++step) {
    size += view.ValuesOf(slot, step).size;
  }
  return size;
}

// The row must have as many weights as values, before it is cut. A row that
// gets a default has that many values.
template <class View>
Fault CheckWeights(const View& view, const plan::Output& output) {
  const uint32_t slot = output.member.weight_slot;
  if (slot == plan::kNoSlot) return {};
  const bool has_default =
      output.layout == Layout::kFixedLen && !IsThere(view, output);
  const size_t wanted =
      has_default ? output.elements : CountValues(view, output, output.slot);
  const size_t found = CountValues(view, output, slot);
  if (found == wanted) return {};
  return {
      .rule = Rule::kWeights, .wanted = wanted, .found = found, .slot = slot};
}

// Checks that the group's type can hold every value that is kept.
template <class View>
Fault CheckKept(const View& view, const plan::Output& output) {
  if (!MayBeUnfit(output)) return {};
  const Kept kept = KeptOf(output, CountValues(view, output, output.slot));
  const size_t end = kept.begin + kept.kept;
  const size_t steps = output.in_sequence ? view.Steps(output.slot) : 1;
  size_t before = 0;  // values of earlier steps
  for (size_t step = 0; step < steps && before < end; ++step) {
    const Values values = view.ValuesOf(output.slot, step);
    const size_t first = std::max(before, kept.begin);
    const size_t last = std::min(before + values.size, end);
    before += values.size;
    if (first >= last) continue;
    const size_t skipped = first + values.size - before;
    const auto* const data = static_cast<const uint8_t*>(values.data) +
                             skipped * DTypeSize(output.from);
    const size_t unfit = FindUncastable(
        output.from, output.to, output.member.exact, data, last - first);
    if (unfit == last - first) continue;
    return {.rule = Rule::kRange, .step = step, .found = skipped + unfit};
  }
  return {};
}

// Returns the first fault of a member, whose layout has the fault `layout` or
// none. Values whose number is wrong are not cast.
template <class View>
Fault CheckMember(const View& view, const plan::Output& output,
                  const Fault& layout) {
  if (layout.rule != Rule::kNone) return layout;
  const Fault fault = CheckWeights(view, output);
  return fault.rule != Rule::kNone ? fault : CheckKept(view, output);
}

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_GROUP_RULES_H_
