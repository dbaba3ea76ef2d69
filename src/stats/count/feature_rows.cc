#include "src/stats/count/feature_rows.h"

#include <algorithm>
#include <cstring>

namespace headrace::stats {
namespace {

static_assert(kUnsetMark == column::kUnsetMark);

bool HasTyped(const Lists& lists) {
  if (lists.size == 0) return false;
  return lists.marks == nullptr ||
         std::memchr(lists.marks, kTypedMark, lists.size) != nullptr;
}

// Removes the kind of a column without typed lists, since it is only a guess.
void DropGuess(FeatureRows* rows) {
  if (!HasTyped(rows->in_sequence ? rows->steps : rows->rows)) {
    rows->kind = Kind::kNull;
  }
}

// Fills `marks` with a mark for each bit and returns them; returns null if
// `bits` is null, which means that all are set.
const uint8_t* Unpack(const uint8_t* bits, size_t size,
                      std::vector<uint8_t>* marks) {
  if (bits == nullptr) return nullptr;
  marks->resize(size);
  for (size_t i = 0; i < size; ++i) {
    (*marks)[i] = (bits[i / 8] >> (i % 8) & 1) != 0 ? kTypedMark : kNullMark;
  }
  return marks->data();
}

}  // namespace

FeatureRows RowsOf(const column::Builder& builder) {
  FeatureRows rows = {.kind = builder.kind,
                      .in_sequence = builder.form == plan::SlotForm::kSteps,
                      .rows = {.size = builder.next_row},
                      .values = builder.values,
                      .num_values = builder.count};
  if (builder.form == plan::SlotForm::kRegular || builder.next_row == 0) {
    return rows;
  }
  rows.rows.offsets = builder.rows.offsets;
  rows.rows.marks = builder.rows.valid;
  if (rows.in_sequence) {
    rows.steps = {.offsets = builder.step_offsets,
                  .marks = builder.step_valid,
                  .size = builder.steps};
  }
  DropGuess(&rows);
  return rows;
}

FeatureRows ColumnRows::Of(const Column& column) {
  FeatureRows rows = {
      .kind = column.kind,
      .in_sequence = column.in_sequence,
      .rows = {.offsets = column.offsets,
               .marks = Unpack(column.validity, column.num_rows, &marks_),
               .size = column.num_rows},
      .values = column.values,
      .num_values = column.num_values()};
  if (column.offsets == nullptr) {
    // A column without a kind has no offsets; all its rows are null.
    no_offsets_.assign(column.num_rows + 1, 0);
    marks_.assign(column.num_rows, kNullMark);
    rows.rows.offsets = no_offsets_.data();
    rows.rows.marks = marks_.data();
  }
  if (column.in_sequence) {
    rows.steps = {
        .offsets = column.step_offsets,
        .marks = Unpack(column.step_validity, column.num_steps(), &step_marks_),
        .size = column.num_steps()};
    if (column.step_offsets == nullptr) {
      // A feature list without a kind has no offsets of steps; all its steps
      // are null.
      no_offsets_.assign(column.num_steps() + 1, 0);
      step_marks_.assign(column.num_steps(), kNullMark);
      rows.steps.offsets = no_offsets_.data();
      rows.steps.marks = step_marks_.data();
    }
  }
  DropGuess(&rows);
  return rows;
}

}  // namespace headrace::stats
