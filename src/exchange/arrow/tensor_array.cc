#include "src/exchange/arrow/tensor_array.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "src/exchange/arrow/layout.h"
#include "src/exchange/arrow/type.h"
#include "src/exchange/arrow/unpadded.h"
#include "src/plan/compile/ragged_shape.h"

namespace headrace::arrow {
namespace {

// Whether row splits, not offsets, determine the lengths of the lists.
bool IsCutBySplits(const FeatureConfig& config) {
  return config.layout == Layout::kRagged &&
         !plan::RaggedShapeOf(config).is_plain();
}

// Whether the array takes `values`, not `list_values`: every row has the same
// number of values, or the tensor has them in another order.
bool TakesTensorValues(const FeatureConfig& config) {
  return config.layout == Layout::kFixedLen ||
         config.layout == Layout::kSparse || config.pad_to.has_value() ||
         IsCutBySplits(config);
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

// Sets offsets that count items of `elements` values; the tensor's count
// values.
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
  // Offsets of a feature list count steps; those of the Examples of a list
  // count Examples, and then values.
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

}  // namespace

Status BuildTensor(const ArrayContext& context, const TensorField& field,
                   const Tensor& given, Array* out) {
  const FeatureConfig& config = field.feature.config;
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
