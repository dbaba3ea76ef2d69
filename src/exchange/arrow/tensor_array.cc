#include "src/exchange/arrow/tensor_array.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/text/quote.h"
#include "src/exchange/arrow/export_memory.h"
#include "src/exchange/arrow/layout.h"
#include "src/exchange/arrow/type.h"
#include "src/plan/compile/shape.h"

namespace headrace::arrow {
namespace {

// Whether row splits, not offsets, determine the lengths of the lists.
bool IsCutBySplits(const FeatureConfig& config) {
  return config.layout == Layout::kRagged &&
         !plan::RaggedShapeOf(config).is_plain();
}

// Whether the array uses the tensor's `values`, not its `list_values`: every
// row has the same number of values, or the tensor has them in another order.
bool TakesTensorValues(const FeatureConfig& config) {
  return config.layout == Layout::kFixedLen ||
         config.layout == Layout::kMatrix || config.layout == Layout::kSparse ||
         config.pad_to.has_value() || IsCutBySplits(config);
}

Status FromSplits(const ArrayContext& context, const Tensor& tensor,
                  const RowSplits& splits, Lists* lists) {
  assert(splits.size == lists->length + 1);
  if (!splits.is_int64) {
    lists->offsets = static_cast<const int32_t*>(splits.data);
    return Status();
  }
  if (splits[lists->length] > std::numeric_limits<int32_t>::max()) {
    return Status(ErrorInfo{.code = ErrorCode::kLimit,
                            .message = "more values than the offsets can reach",
                            .feature = std::string(tensor.name)});
  }
  std::span<int32_t> offsets;
  if (!context.memory->AllocateArray(splits.size, &offsets)) {
    return Status::OutOfMemory();
  }
  for (size_t i = 0; i < splits.size; ++i) {
    offsets[i] = static_cast<int32_t>(splits[i]);
  }
  lists->offsets = offsets.data();
  return Status();
}

// Sets offsets that count items of `elements` values; the tensor's own offsets
// count values.
Status FromOffsets(const ArrayContext& context, const int32_t* values,
                   int32_t elements, Lists* lists) {
  lists->offsets = values;
  if (elements == 1) return Status();
  std::span<int32_t> offsets;
  if (!context.memory->AllocateArray(lists->length + 1, &offsets)) {
    return Status::OutOfMemory();
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = values[i] / elements;
  }
  lists->offsets = offsets.data();
  return Status();
}

// `level` counts lists of size kVariable, from the outermost.
Status SetOffsets(const ArrayContext& context, const TensorField& field,
                  const Tensor& tensor, size_t level, Lists* lists) {
  const FeatureConfig& config = field.feature.config;
  if (lists->length == 0) return Status();
  if (IsCutBySplits(config)) {
    return FromSplits(context, tensor, tensor.row_splits[level], lists);
  }
  // Offsets of a feature list count steps. Offsets of the Examples of a list
  // count Examples on the outer level, and values on the inner one.
  const size_t counting_level = field.in_examples ? 1 : 0;
  const bool counts_values = config.layout == Layout::kFixedLenSequence &&
                             (!field.in_sequence || field.in_examples) &&
                             level == counting_level;
  return FromOffsets(context,
                     level > 0 ? tensor.step_offsets : tensor.row_offsets,
                     counts_values ? NumElements(config.shape) : 1, lists);
}

Status MakeLists(const ArrayContext& context, const TensorField& field,
                 const Tensor& tensor, std::vector<Lists>* out) {
  size_t length = context.batch.num_rows;
  size_t level = 0;
  for (const int32_t size : ListSizes(field)) {
    Lists& lists = out->emplace_back(Lists{.length = length, .size = size});
    if (size == kVariable) {
      Status status = SetOffsets(context, field, tensor, level++, &lists);
      if (!status.ok()) return status;
    }
    length = lists.Begin(length);
  }
  const bool whole = TakesTensorValues(field.feature.config);
  assert(length == (whole ? tensor.num_values : tensor.num_list_values));
  static_cast<void>(whole);
  return Status();
}

// Builds the coordinates of all values in one dimension.
Status BuildIndices(const ArrayContext& context, const Tensor& tensor,
                    std::span<const Lists> lists, size_t dimension,
                    Array* out) {
  std::span<int64_t> column;
  if (!context.memory->AllocateArray(tensor.num_values, &column)) {
    return Status::OutOfMemory();
  }
  const size_t rank = tensor.shape.size();
  for (size_t i = 0; i < column.size(); ++i) {
    column[i] = tensor.indices[i * rank + dimension];
  }
  return BuildNested(context,
                     {tensor.name, lists, TypeId::kInt64, column.data()}, out);
}

Status BuildSparse(const ArrayContext& context, const TensorField& field,
                   const Tensor& tensor, const NestedValues& values,
                   Array* out) {
  const size_t num_keys = field.feature.config.index_keys.size();
  // The first coordinates are the row and, in a list, the place in it.
  const size_t first = tensor.shape.size() - num_keys;
  assert(first == (field.in_examples ? 2 : 1));
  Status status =
      StartStruct(context.batch.num_rows, num_keys + 1, context.memory, out);
  for (size_t i = 0; status.ok() && i < num_keys; ++i) {
    status = BuildIndices(context, tensor, values.lists, first + i,
                          &out->children[i]);
  }
  if (!status.ok()) return status;
  return BuildNested(context, values, &out->children[num_keys]);
}

// Puts the weights beside the values of lists.
Status AddWeights(const ArrayContext& context, std::span<const Lists> lists,
                  const NestedValues& weights, Array* out) {
  Array with_weights;
  Status status = BuildNested(context, weights, &with_weights);
  if (!status.ok()) return status;
  const Array values = out->children[0];
  Array* const item = &out->children[0];
  status =
      StartStruct(lists[0].Begin(lists[0].length), 2, context.memory, item);
  if (!status.ok()) return status;
  item->children[0] = values;
  item->children[1] = with_weights.children[0];
  return Status();
}

// Builds the lists of one key, whose rows are cut by offsets over all keys.
Status BuildKey(const ArrayContext& context, const Tensor& tensor, size_t key,
                Array* out) {
  const size_t rows = context.batch.num_rows;
  const RowSplits& splits = tensor.key_offsets;
  const int64_t begin = splits[key * rows];
  std::span<int32_t> offsets;
  if (!context.memory->AllocateArray(rows + 1, &offsets)) {
    return Status::OutOfMemory();
  }
  for (size_t row = 0; row <= rows; ++row) {
    offsets[row] = static_cast<int32_t>(splits[key * rows + row] - begin);
  }
  const Lists lists[] = {{.length = rows, .offsets = offsets.data()}};
  const auto first = static_cast<size_t>(begin);
  Status status = BuildNested(
      context,
      {tensor.name, lists, ValueType(tensor.dtype, context.bytes_as),
       static_cast<const uint8_t*>(tensor.values) +
           first * DTypeSize(tensor.dtype)},
      out);
  if (!status.ok() || tensor.weights == nullptr) return status;
  return AddWeights(
      context, lists,
      {tensor.name, lists, TypeId::kFloat32, tensor.weights + first}, out);
}

Status BuildJagged(const ArrayContext& context, const Tensor& tensor,
                   Array* out) {
  Status status = StartStruct(context.batch.num_rows, tensor.keys.size(),
                              context.memory, out);
  for (size_t key = 0; status.ok() && key < tensor.keys.size(); ++key) {
    status = BuildKey(context, tensor, key, &out->children[key]);
  }
  return status;
}

// Returns the error of a feature of known length, which has rows even where
// there is no Example.
Status HasRowsWithoutExamples(const Tensor& tensor) {
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "feature " + Quote(std::string(tensor.name)) +
                 " has a known length, so the padding of short lists has "
                 "rows, which Arrow's lists of Examples cannot hold; "
                 "give all lists one length",
      .feature = std::string(tensor.name)});
}

// Turns the row splits of places, which may be padding, into row splits of
// Examples.
Status TakeOutSplits(std::span<const int32_t> ends, ExportMemory* memory,
                     Tensor* tensor) {
  std::span<RowSplits> levels;
  std::span<int32_t> splits;
  const auto examples = static_cast<size_t>(ends.back());
  if (!memory->AllocateArray(tensor->row_splits.size(), &levels) ||
      !memory->AllocateArray(examples + 1, &splits)) {
    return Status::OutOfMemory();
  }
  std::copy(tensor->row_splits.begin(), tensor->row_splits.end(),
            levels.begin());
  levels[0] = {ends.data(), ends.size(), false};
  if (levels.size() > 1) {
    const RowSplits& lists = tensor->row_splits[0];
    const RowSplits& places = tensor->row_splits[1];
    int32_t* out = splits.data();
    *out++ = 0;
    for (size_t row = 0; row + 1 < ends.size(); ++row) {
      const auto first = static_cast<size_t>(lists[row]);
      const auto end = static_cast<size_t>(lists[row + 1]);
      const size_t filled =
          first + static_cast<size_t>(ends[row + 1] - ends[row]);
      if (places[filled] != places[end]) return HasRowsWithoutExamples(*tensor);
      for (size_t i = first; i < filled; ++i) {
        *out++ = static_cast<int32_t>(places[i + 1]);
      }
    }
    levels[1] = {splits.data(), splits.size(), false};
  }
  tensor->row_splits = levels;
  return Status();
}

bool TakeOutValues(std::span<const int32_t> ends, ExportMemory* memory,
                   Tensor* tensor) {
  const size_t lists = ends.size() - 1;
  if (lists == 0) return true;
  const auto places = static_cast<size_t>(tensor->shape[1]);
  const auto examples = static_cast<size_t>(ends.back());
  if (examples == lists * places) return true;
  const size_t row = tensor->num_values / (lists * places);
  const size_t size = row * DTypeSize(tensor->dtype);
  std::span<uint8_t> values;
  if (!memory->AllocateArray(examples * size, &values)) return false;
  uint8_t* out = values.data();
  const auto* from = static_cast<const uint8_t*>(tensor->values);
  for (size_t list = 0; list < lists && size > 0; ++list) {
    const auto filled = static_cast<size_t>(ends[list + 1] - ends[list]) * size;
    if (filled > 0) std::memcpy(out, from, filled);
    out += filled;
    from += places * size;
  }
  tensor->values = values.data();
  tensor->num_values = examples * row;
  return true;
}

// Removes the padding of short lists from a tensor of the Examples of lists.
// Its row_offsets, and its first row splits, then lead from lists to Examples;
// with `takes_values` its values are rows of Examples, one after another.
// Returns kInvalidArgument for a ragged tensor that has rows where there is no
// Example, and kOutOfMemory.
Status TakeOutPadding(bool takes_values, ExportMemory* memory, Tensor* tensor) {
  std::span<int32_t> ends;
  if (!memory->AllocateArray(tensor->lengths.size() + 1, &ends)) {
    return Status::OutOfMemory();
  }
  ends[0] = 0;
  for (size_t i = 0; i < tensor->lengths.size(); ++i) {
    ends[i + 1] = ends[i] + static_cast<int32_t>(tensor->lengths[i]);
  }
  tensor->row_offsets = ends.data();
  if (tensor->kind == TensorKind::kRagged) {
    return TakeOutSplits(ends, memory, tensor);
  }
  if (!takes_values || TakeOutValues(ends, memory, tensor)) return Status();
  return Status::OutOfMemory();
}

}  // namespace

Status BuildTensor(const ArrayContext& context, const TensorField& field,
                   const Tensor& given, Array* out) {
  const FeatureConfig& config = field.feature.config;
  if (config.layout == Layout::kJagged) return BuildJagged(context, given, out);
  Tensor tensor = given;
  if (field.in_examples) {
    const bool takes_values = TakesTensorValues(config) &&
                              !IsCutBySplits(config) &&
                              config.layout != Layout::kSparse;
    Status status = TakeOutPadding(takes_values, context.memory, &tensor);
    if (!status.ok()) return status;
  }
  std::vector<Lists> lists;
  Status status = MakeLists(context, field, tensor, &lists);
  if (!status.ok()) return status;
  const NestedValues values{
      tensor.name, lists, ValueType(tensor.dtype, context.bytes_as),
      TakesTensorValues(config) ? tensor.values : tensor.list_values};
  if (config.layout != Layout::kSparse) {
    return BuildNested(context, values, out);
  }
  return BuildSparse(context, field, tensor, values, out);
}

}  // namespace headrace::arrow
