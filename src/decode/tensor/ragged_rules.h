// Checks rules R, T11 and B of docs/semantics.md: how the values of ragged rows
// are cut, and which arrays encoded values hold. row_rules.h says what a View
// is.

#ifndef HEADRACE_SRC_DECODE_TENSOR_RAGGED_RULES_H_
#define HEADRACE_SRC_DECODE_TENSOR_RAGGED_RULES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "src/base/checked_math.h"
#include "src/decode/column/column_set.h"
#include "src/decode/tensor/fault.h"
#include "src/decode/tensor/partition.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

inline constexpr size_t kAnySize = std::numeric_limits<size_t>::max();

template <class View>
bool IsThere(const View& view, const plan::Output& output) {
  using column::CellState;
  const CellState state = view.Find(output.slot);
  return state == CellState::kTyped ||
         (state == CellState::kUnset && output.unset_is_empty);
}

// Checks a value that should have `wanted` bytes.
inline Fault CheckUnpacked(const Unpacked& unpacked, size_t wanted,
                           size_t value) {
  Fault fault{.wanted = wanted, .found = unpacked.size};
  fault.value = value;
  switch (unpacked.end) {
    case Unpacked::End::kWhole:
      if (wanted != kAnySize && unpacked.size != wanted) {
        fault.rule = Rule::kBytes;
      }
      break;
    case Unpacked::End::kDamaged:
      fault.rule = Rule::kZlib;
      break;
    case Unpacked::End::kLonger:
      fault.rule = Rule::kMoreBytes;
      break;
    case Unpacked::End::kNoTensor:
      fault.rule = Rule::kTensor;
      break;
    case Unpacked::End::kOtherType:
      fault.rule = Rule::kTensorType;
      break;
    case Unpacked::End::kNoRoom:
      fault.rule = Rule::kNoRoom;
      break;
    case Unpacked::End::kNoMemory:
      fault.rule = Rule::kNoMemory;
      break;
  }
  return fault;
}

// Returns the length that follows from the number of values; 0 if no length
// does.
inline size_t DerivedLength(const plan::RaggedShape& shape, size_t values) {
  return shape.derived == plan::RaggedShape::kNone ? 0 : values / shape.unit;
}

// Returns the length of a dimension that no partition cuts.
inline size_t LengthOf(const plan::RaggedShape& shape, size_t dimension,
                       size_t derived) {
  const int64_t length = shape.dimensions[dimension];
  return length < 0 ? derived : static_cast<size_t>(length);
}

inline Fault CheckCount(const plan::Output& output, size_t values) {
  const plan::RaggedShape& shape = output.ragged;
  Fault fault{.wanted = shape.unit, .found = values};
  const bool is_exact = shape.has_exact_count() || shape.unit == 0;
  if (is_exact ? values == shape.unit : values % shape.unit == 0) return {};
  // Without partitions only the count can be wrong.
  const bool is_cut = shape.has_partitions;
  fault.rule = is_exact ? (is_cut ? Rule::kUniformCount : Rule::kCount)
                        : (is_cut ? Rule::kUniformLength : Rule::kMultiple);
  return fault;
}

// Counts the units that the innermost partition cuts: values, or the rows that
// uniform lengths make of them.
inline size_t CountUnits(const plan::Output& output, size_t values,
                         std::span<const int64_t> innermost) {
  const plan::RaggedShape& shape = output.ragged;
  if (shape.derived != plan::RaggedShape::kNone) return shape.num_cut_rows;
  if (shape.unit != 0) return shape.unit == 1 ? values : values / shape.unit;
  return UnitsOf(output.cuts.back(), innermost);
}

// Checks the lengths of a partition's rows, and the number of outermost rows,
// if the spec sets them.
inline Fault CheckLengths(const plan::Output& output, size_t k,
                          std::span<const int64_t> partition, size_t inner,
                          size_t rows) {
  const plan::Cut& cut = output.cuts[k];
  const int64_t length = output.ragged.dimensions[k + 1];
  Fault fault{.wanted = static_cast<uint64_t>(length), .slot = cut.slot};
  fault.cut = &cut;
  if (length > 0 && rows > inner) {
    // Row ids may declare billions of rows, some of which must then be empty.
    fault.rule = Rule::kRowLength;
  } else if (length >= 0 && cut.type != PartitionType::kUniformRowLength) {
    int64_t begin = 0;
    ForEachLimit(cut, partition, inner, rows, [&](int64_t end) {
      if (end - begin != length && fault.rule == Rule::kNone) {
        fault.rule = Rule::kRowLength;
        fault.found = static_cast<uint64_t>(end - begin);
      }
      begin = end;
    });
  }
  const int64_t count = output.ragged.dimensions[0];
  if (k == 0 && count >= 0 && rows != static_cast<size_t>(count) &&
      fault.rule == Rule::kNone) {
    fault.rule = Rule::kRowCount;
    fault.wanted = static_cast<uint64_t>(count);
    fault.found = rows;
  }
  return fault;
}

// Cuts one cell of `values` values, from the innermost partition outwards.
// Calls on_rows(level, rows) with the number of rows of each level; for the
// last level, this is the number of items. Leaves out the levels of arrays.
// partition_of(cut) returns the numbers of a partition.
template <class PartitionOf, class OnRows>
Fault CutCell(const plan::Output& output, size_t values,
              PartitionOf&& partition_of, OnRows&& on_rows) {
  const plan::RaggedShape& shape = output.ragged;
  if (const Fault fault = CheckCount(output, values);
      fault.rule != Rule::kNone) {
    return fault;
  }
  const auto numbers_of = [&](const plan::Cut& cut) {
    std::span<const int64_t> numbers;
    if (cut.slot != plan::kNoSlot) numbers = partition_of(cut);
    return numbers;
  };
  const size_t cuts = output.cuts.size();
  size_t level = 0;
  size_t rows = 1;
  if (cuts > 0) {
    size_t inner = CountUnits(output, values, numbers_of(output.cuts.back()));
    rows = inner;
    level = cuts + 1;
    if (cuts < shape.num_levels) on_rows(cuts, inner);
    for (size_t k = cuts; k-- > 0;) {
      const plan::Cut& cut = output.cuts[k];
      const std::span<const int64_t> partition = numbers_of(cut);
      size_t cut_rows;
      if (!CountRows(cut, partition, inner, &cut_rows)) {
        return {.rule = Rule::kPartition,
                .wanted = inner,
                .found = partition.size(),
                .slot = cut.slot,
                .cut = &cut};
      }
      const Fault fault = CheckLengths(output, k, partition, inner, cut_rows);
      if (fault.rule != Rule::kNone) return fault;
      inner = cut_rows;
      if (k < shape.num_levels) on_rows(k, inner);
    }
  }
  const size_t derived = DerivedLength(shape, values);
  for (; level < std::min(shape.num_levels, shape.array_begin); ++level) {
    rows *= LengthOf(shape, level, derived);
    on_rows(level, rows);
  }
  return {};
}

// The dimensions of one array of encoded values.
class ArrayShape {
 public:
  // `numbers` are the array's part of the feature of shapes, if there is one,
  // or the dimensions of its TensorProto; otherwise `derived` is the dimension
  // that follows from the array's size.
  ArrayShape(const plan::RaggedShape& shape, std::span<const int64_t> numbers,
             size_t derived)
      : known_(std::span(shape.dimensions).subspan(shape.array_begin)),
        numbers_(numbers),
        derived_(derived) {}

  size_t operator[](size_t i) const {
    if (known_[i] >= 0) return static_cast<size_t>(known_[i]);
    if (numbers_.empty()) return derived_;
    // More rows than a batch can have are counted as one more than it can have.
    return static_cast<size_t>(std::min<int64_t>(numbers_[i], kMaxRows + 1));
  }
  // Returns the product of the first `count` dimensions, or the largest size_t.
  size_t Product(size_t count) const {
    size_t product = 1;
    for (size_t i = 0; i < count; ++i) {
      if (!CheckedMul(product, (*this)[i], &product)) {
        product = std::numeric_limits<size_t>::max();
      }
    }
    return product;
  }

 private:
  std::span<const int64_t> known_;
  std::span<const int64_t> numbers_;
  size_t derived_;
};

// Returns the size in bytes of an array, or of one row of its unknown
// dimension; kAnySize - 1 if it does not fit a size_t.
inline size_t ArrayUnit(const plan::Output& output,
                        std::span<const int64_t> numbers) {
  const plan::RaggedShape& shape = output.ragged;
  const size_t rank = shape.dimensions.size() - shape.array_begin;
  const ArrayShape array(shape, numbers, /*derived=*/1);
  size_t bytes = DTypeSize(output.to);
  for (size_t i = 0; i < rank; ++i) {
    if (array[i] == 0) return 0;
  }
  if (!CheckedMul(bytes, array.Product(rank), &bytes)) return kAnySize - 1;
  return bytes;
}

// Returns the part of a feature of shapes that belongs to one value; the shapes
// of the arrays are concatenated.
inline std::span<const int64_t> ShapeNumbers(const plan::Output& output,
                                             std::span<const int64_t> all,
                                             size_t value) {
  const plan::RaggedShape& shape = output.ragged;
  const size_t rank = shape.dimensions.size() - shape.array_begin;
  return output.item_shape_slot == plan::kNoSlot
             ? std::span<const int64_t>()
             : all.subspan(value * rank, rank);
}

inline Fault CheckShapeNumbers(const plan::Output& output,
                               std::span<const int64_t> numbers, size_t value) {
  const auto known =
      std::span(output.ragged.dimensions).subspan(output.ragged.array_begin);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const bool fits = known[i] < 0 ? numbers[i] >= 0 : numbers[i] == known[i];
    if (fits) continue;
    return {.rule = Rule::kItemDimension,
            .value = value,
            .wanted = static_cast<uint64_t>(known[i]),
            .found = value * numbers.size() + i,
            .slot = output.item_shape_slot};
  }
  return {};
}

// Checks the TensorProtos of all `values` values. Calls on_rows as CutCell
// does, for one array after another. A tensor of another type counts before one
// of another shape, as rule E2 says.
template <class View, class OnRows>
Fault CheckTensors(const View& view, const plan::Output& output, size_t values,
                   OnRows&& on_rows) {
  const plan::RaggedShape& shape = output.ragged;
  Fault first;
  for (size_t value = 0; value < values; ++value) {
    const Unpacked unpacked = view.Unpack(output, value, kAnySize);
    const Fault fault = CheckUnpacked(unpacked, kAnySize, value);
    if (fault.rule == Rule::kTensor) {
      if (first.rule == Rule::kNone) first = fault;
      continue;
    }
    if (fault.rule != Rule::kNone) return fault;
    const ArrayShape array(shape, unpacked.dimensions, /*derived=*/0);
    for (size_t i = shape.array_begin; i < shape.num_levels; ++i) {
      on_rows(i, array.Product(i + 1 - shape.array_begin));
    }
  }
  return first;
}

// Checks the arrays of all `values` values. Calls on_rows as CutCell does, for
// one array after another.
template <class View, class OnRows>
Fault CheckArrays(const View& view, const plan::Output& output, size_t values,
                  OnRows&& on_rows) {
  const plan::RaggedShape& shape = output.ragged;
  const size_t rank = shape.dimensions.size() - shape.array_begin;
  const bool has_numbers = output.item_shape_slot != plan::kNoSlot;
  std::span<const int64_t> all;
  if (has_numbers) {
    all = view.ValuesOf(output.item_shape_slot, 0).int64s();
    if (all.size() != values * rank) {
      return {.rule = Rule::kItemShapes,
              .wanted = values * rank,
              .found = all.size(),
              .slot = output.item_shape_slot};
    }
  }
  const bool is_derived = !has_numbers && shape.has_unknown_arrays;
  for (size_t value = 0; value < values; ++value) {
    const auto numbers = ShapeNumbers(output, all, value);
    Fault fault = CheckShapeNumbers(output, numbers, value);
    if (fault.rule != Rule::kNone) return fault;
    const size_t unit = ArrayUnit(output, numbers);
    const size_t wanted = is_derived ? kAnySize : unit;
    const Unpacked unpacked = view.Unpack(output, value, wanted);
    fault = CheckUnpacked(unpacked, wanted, value);
    if (fault.rule == Rule::kNone && is_derived && unpacked.size % unit != 0) {
      fault.rule = Rule::kBytesMultiple;
      fault.wanted = unit;
    }
    if (fault.rule != Rule::kNone) return fault;
    const ArrayShape array(shape, numbers,
                           is_derived ? unpacked.size / unit : 0);
    for (size_t i = shape.array_begin; i < shape.num_levels; ++i) {
      on_rows(i, array.Product(i + 1 - shape.array_begin));
    }
  }
  return {};
}

// If a feature has several faults, reports a wrong count first, as rule E2
// says.
template <class View, class OnRows>
Fault CheckRagged(const View& view, const plan::Output& output,
                  OnRows&& on_rows) {
  // Only other features of a group use the length of a plain row.
  if (output.ragged.is_plain() && output.group == plan::kNoGroup) return {};
  if (output.ragged.has_arrays) {
    const size_t values = view.ValuesOf(output.slot, 0).size;
    const Fault fault = output.encoding == Encoding::kTensorProto
                            ? CheckTensors(view, output, values, on_rows)
                            : CheckArrays(view, output, values, on_rows);
    if (fault.rule != Rule::kNone) return fault;
  }
  if (output.ragged.array_begin == 0 && !IsThere(view, output)) {
    return {.rule = Rule::kPresence};
  }
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

// Checks that a row has the same number of outermost rows in every feature of a
// group.
inline Fault CheckGroup(size_t first, size_t length) {
  if (length == first) return {};
  return {.rule = Rule::kGroup, .wanted = first, .found = length};
}

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_RAGGED_RULES_H_
