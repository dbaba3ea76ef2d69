// Builds dense tensors: those of fixed_len features, and padded ones.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/cell.h"
#include "src/decode/tensor/padding.h"
#include "src/decode/tensor/tensor_proto.h"

namespace headrace::tensor {

// Concatenates the bytes of all values, whatever their sizes, and reinterprets
// them as the output's type.
bool Assembler::Reinterpret(const plan::Output& output, Tensor* tensor) {
  if (output.encoding == Encoding::kTensorProto) {
    return ReadTensors(output, tensor);
  }
  const size_t count = BuilderOf(output.slot).count;
  const std::span values(
      static_cast<const std::string_view*>(ColumnOf(output.slot).values),
      count);
  size_t bytes = 0;
  for (const std::string_view value : values) bytes += value.size();
  auto* const out = static_cast<uint8_t*>(AllocateOut(bytes));
  if (out == nullptr) return false;
  uint8_t* end = out;
  for (const std::string_view value : values) {
    if (!value.empty()) std::memcpy(end, value.data(), value.size());
    end += value.size();
  }
  if (output.to == DType::kBool) NormalizeBools(out, bytes);
  tensor->values = out;
  tensor->num_values = bytes / DTypeSize(output.to);
  return true;
}

// Keeps the dimensions of every value, because the bytes of a value may change
// and rows are cut by them more than once.
bool Assembler::ReadDimensions(const plan::Output& output,
                               std::span<const std::string_view> values) {
  const auto asked = AskedShape(output);
  size_t count;
  if (!CheckedMul(values.size(), asked.size(), &count)) return false;
  auto* const dimensions = Allocate<int64_t>(count);
  if (dimensions == nullptr) return false;
  std::fill_n(dimensions, count, int64_t{0});
  int64_t* next = dimensions;
  TensorProto proto;
  for (const std::string_view value : values) {
    if (proto.Read(value, output.to, asked) == TensorFault::kNone) {
      std::copy(proto.dimensions().begin(), proto.dimensions().end(), next);
    }
    next += asked.size();
  }
  dimensions_ = dimensions;
  return true;
}

// Writes the elements of all TensorProtos straight into the tensor. A value
// that has changed since its row was accepted becomes any elements.
bool Assembler::ReadTensors(const plan::Output& output, Tensor* tensor) {
  const std::span values(
      static_cast<const std::string_view*>(ColumnOf(output.slot).values),
      BuilderOf(output.slot).count);
  const auto asked = AskedShape(output);
  if (output.ragged.has_unknown_arrays && !ReadDimensions(output, values)) {
    return false;
  }
  const auto count_of = [&](size_t value) {
    return output.layout == Layout::kFixedLen
               ? output.elements
               : ArrayShape(output.ragged, DimensionsOf(value, asked.size()),
                            /*derived=*/0)
                     .Product(asked.size());
  };
  size_t total = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!CheckedAdd(total, count_of(i), &total)) return false;
  }
  uint8_t* const out = AllocateOutValues(output.to, total);
  if (out == nullptr) return false;
  tensor->values = out;
  tensor->num_values = total;
  uint8_t* end = out;
  TensorProto proto;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t count = count_of(i);
    proto.Read(values[i], output.to, asked);
    proto.Write(count, end);
    end += count * DTypeSize(output.to);
  }
  if (output.to == DType::kBool) NormalizeBools(out, total);
  return true;
}

// Returns where the values of a slot are that is the tensor itself. It has left
// its place in the slab if a bad row had too many values.
const void* Assembler::InPlace(const plan::Output& output, const void* values,
                               size_t count) {
  if (place_ == nullptr || values == place_ || count == 0) return values;
  std::memcpy(place_, values, count * DTypeSize(output.to));
  return place_;
}

bool Assembler::BuildFixedLen(const plan::Output& output, Tensor* tensor) {
  const size_t count = rows_ * output.elements;
  const Column& column = ColumnOf(output.slot);
  tensor->num_values = count;
  tensor->values = column.values;
  if (output.reinterpret) {
    if (!Reinterpret(output, tensor)) return false;
  } else if (BuilderOf(output.slot).form != plan::SlotForm::kDense) {
    // Other features read the same key, so the column must not have defaults;
    // this code fills them in.
    const size_t size = DTypeSize(output.from) * output.elements;
    uint8_t* const out = output.converts()
                             ? AllocateValues(output.from, count)
                             : AllocateOutValues(output.from, count);
    if (out == nullptr) return false;
    for (size_t row = 0; row < rows_ && size > 0; ++row) {
      const Cell cell = RowCell(column, row);
      std::memcpy(out + row * size,
                  cell.size > 0
                      ? static_cast<const uint8_t*>(column.values) +
                            cell.begin * DTypeSize(output.from)
                      : static_cast<const uint8_t*>(output.default_values),
                  size);
    }
    tensor->values = out;
  } else if (!output.converts() || BuilderOf(output.slot).mapped > 0) {
    tensor->values = InPlace(output, column.values, count);
  }
  return Narrow(output, &tensor->values, count, /*is_finished=*/true) &&
         SetShape({}, output.shape, tensor);
}

// Makes rows of `width` values. Row r has the values [offsets[r] * per_offset,
// offsets[r + 1] * per_offset), then defaults.
const void* Assembler::Pad(const plan::Output& output, const int32_t* offsets,
                           size_t per_offset, size_t width,
                           const void* values) {
  const size_t size = DTypeSize(output.to);
  size_t count;
  if (!CheckedMul(rows_, width, &count)) return nullptr;
  uint8_t* const padded = AllocateOutValues(output.to, count, kPaddingSlack);
  if (padded == nullptr) return nullptr;
  alignas(kFillSize) uint8_t fill[kFillSize] = {};
  if (output.to == DType::kBytes) new (fill) std::string_view();
  if (output.default_values != nullptr) {
    if (output.converts()) {
      ConvertValues(output, output.default_values, 1, fill);
    } else {
      std::memcpy(fill, output.default_values, size);
    }
  }
  for (size_t i = size; i < kFillSize; i += size) {
    std::memcpy(fill + i, fill, size);
  }
  WritePadded({.offsets = offsets,
               .rows = rows_,
               .unit_size = per_offset * size,
               .values = static_cast<const uint8_t*>(values),
               .row_size = width * size,
               .fill = fill},
              /*streams=*/count * size >= kStreamSize, padded);
  return padded;
}

// Sets the lengths of the rows, in steps. `per_step` is the number of values
// per step, or 1 if offsets already count steps.
bool Assembler::SetLengths(const plan::Output& output, size_t per_step,
                           Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  auto* const lengths =
      static_cast<int64_t*>(AllocateOut(rows_ * sizeof(int64_t)));
  if (lengths == nullptr) return false;
  for (size_t row = 0; row < rows_; ++row) {
    const size_t size = RowCell(column, row).size;
    lengths[row] = static_cast<int64_t>(per_step == 1 ? size : size / per_step);
  }
  tensor->lengths = {lengths, rows_};
  return true;
}

bool Assembler::BuildSequence(const plan::Output& output, const void* values,
                              Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const size_t width = Longest(column.offsets, rows_);
  const size_t units[] = {width / output.elements};
  SetLists(output, values, count, tensor);
  if (!SetLengths(output, output.elements, tensor)) return false;
  tensor->num_values = rows_ * width;
  tensor->values = count == rows_ * width
                       ? values
                       : Pad(output, column.offsets, 1, width, values);
  return (tensor->values != nullptr || tensor->num_values == 0) &&
         SetShape(units, output.shape, tensor);
}

// Pads feature lists, every step of which has `elements` values.
bool Assembler::BuildListSequence(const plan::Output& output,
                                  const void* values, Tensor* tensor) {
  const Column& column = ColumnOf(output.slot);
  const size_t count = BuilderOf(output.slot).count;
  const size_t steps[] = {Longest(column.offsets, rows_)};
  const size_t width = steps[0] * output.elements;
  SetLists(output, values, count, tensor);
  if (!SetLengths(output, /*per_step=*/1, tensor)) return false;
  tensor->num_values = rows_ * width;
  tensor->values = count == rows_ * width ? values
                                          : Pad(output, column.offsets,
                                                output.elements, width, values);
  return (tensor->values != nullptr || tensor->num_values == 0) &&
         SetShape(steps, output.shape, tensor);
}

}  // namespace headrace::tensor
