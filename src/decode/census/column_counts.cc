#include "src/decode/census/column_counts.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "headrace/message.h"
#include "src/plan/infer/example_text.h"

namespace headrace::census {
namespace {

using column::Builder;

// Counts of lists: those of rows, or those of steps.
struct ListCounts {
  uint32_t typed = 0;
  uint32_t unset = 0;
  uint32_t empty = 0;
  uint32_t shortest = std::numeric_limits<uint32_t>::max();
  uint32_t longest = 0;
};

// Lists without a kind are marked with `unset`, and have no values. The loop
// has no branch, so that compilers vectorize it.
ListCounts CountLists(const int32_t* offsets, const uint8_t* valid, size_t size,
                      uint8_t unset) {
  ListCounts counts;
  for (size_t i = 0; i < size; ++i) {
    const auto length = static_cast<uint32_t>(offsets[i + 1] - offsets[i]);
    const uint32_t is_typed = valid[i] == 1;
    counts.typed += is_typed;
    counts.unset += valid[i] == unset;
    counts.empty += is_typed & static_cast<uint32_t>(length == 0);
    counts.shortest = std::min(counts.shortest, length | (is_typed - 1));
    counts.longest = std::max(counts.longest, length);
  }
  return counts;
}

void AddLists(const ListCounts& lists, uint64_t values, FeatureCount* count) {
  count->present += lists.typed + uint64_t{lists.unset};
  count->unset += lists.unset;
  if (lists.typed == 0) return;
  count->empty += lists.empty;
  count->values += values;
  count->min_length = std::min<uint64_t>(count->min_length, lists.shortest);
  count->max_length = std::max<uint64_t>(count->max_length, lists.longest);
}

void AddSteps(const Builder& builder, FeatureCount* count) {
  const ListCounts rows = CountLists(builder.rows.offsets, builder.rows.valid,
                                     builder.next_row, column::kUnsetMark);
  if (rows.typed == 0) return;
  count->lists += rows.typed;
  count->min_steps = std::min<uint64_t>(count->min_steps, rows.shortest);
  count->max_steps = std::max<uint64_t>(count->max_steps, rows.longest);
  if (builder.steps == 0) return;
  AddLists(CountLists(builder.step_offsets, builder.step_valid, builder.steps,
                      /*unset=*/0),
           builder.count, count);
}

std::string ExampleOf(const Builder& builder) {
  Feature feature;
  feature.kind = builder.kind;
  switch (builder.kind) {
    case Kind::kBytes:
      // The bytes of a mapped file may change, so this makes a copy.
      feature.bytes.emplace_back(
          *reinterpret_cast<const std::string_view*>(builder.values));
      break;
    case Kind::kFloat:
      feature.floats.push_back(*reinterpret_cast<const float*>(builder.values));
      break;
    default:
      feature.int64s.push_back(
          *reinterpret_cast<const int64_t*>(builder.values));
  }
  return infer::ExampleText(feature);
}

}  // namespace

bool HasTyped(const Builder& builder) {
  if (builder.next_row == 0) return false;
  return builder.form == plan::SlotForm::kRegular ||
         std::memchr(builder.rows.valid, 1, builder.next_row) != nullptr;
}

void AddColumn(const Builder& builder, FeatureCount* count) {
  if (builder.next_row == 0) return;
  if (builder.form == plan::SlotForm::kRegular) {
    AddLists({.typed = builder.next_row, .shortest = 1, .longest = 1},
             builder.count, count);
  } else if (builder.form == plan::SlotForm::kSteps) {
    AddSteps(builder, count);
  } else {
    AddLists(CountLists(builder.rows.offsets, builder.rows.valid,
                        builder.next_row, column::kUnsetMark),
             builder.count, count);
  }
  if (count->example.empty() && builder.count > 0) {
    count->example = ExampleOf(builder);
  }
}

}  // namespace headrace::census
