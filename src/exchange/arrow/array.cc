#include "src/exchange/arrow/array.h"

#include <array>
#include <cassert>

#include "src/exchange/arrow/layout.h"
#include "src/exchange/arrow/nested_array.h"
#include "src/exchange/arrow/tensor_array.h"

namespace headrace::arrow {
namespace {

Status BuildColumn(const ArrayContext& context, const Column& column,
                   Array* out) {
  const std::array<Lists, 2> lists = {{{.length = column.num_rows,
                                        .offsets = column.offsets,
                                        .null_count = column.null_count,
                                        .validity = column.validity},
                                       {.length = column.num_steps(),
                                        .offsets = column.step_offsets,
                                        .null_count = column.step_null_count,
                                        .validity = column.step_validity}}};
  const std::span<const Lists> around = std::span(lists).first(
      ListDepth(column.kind, column.in_sequence, context.batch.is_raw));
  return BuildNested(context,
                     {column.name, around,
                      ValueType(column.kind, context.bytes_as), column.values},
                     out);
}

// Builds the children of the root or, if `in_sequence`, of the feature lists.
Status BuildChildren(const ArrayContext& context, bool in_sequence,
                     Array* parent) {
  const ColumnBatch& batch = context.batch;
  size_t child = 0;
  for (const Column& column : batch.columns) {
    if (column.in_sequence != in_sequence) continue;
    Status status = BuildColumn(context, column, &parent->children[child++]);
    if (!status.ok()) return status;
  }
  for (size_t i = 0; i < batch.tensors.size(); ++i) {
    if (batch.fields[i].in_sequence != in_sequence) continue;
    Status status = BuildTensor(context, batch.fields[i], batch.tensors[i],
                                &parent->children[child++]);
    if (!status.ok()) return status;
  }
  return Status();
}

// Returns the list around an array; for a struct, the list around its first
// child.
Array& ListAround(Array* array) {
  return array->type == TypeId::kStruct ? ListAround(&array->children[0])
                                        : *array;
}

void TakeOffList(int64_t num_items, Array* array) {
  if (array->type != TypeId::kStruct) {
    *array = Array(array->children[0]);
    return;
  }
  array->length = num_items;
  for (Array& child : array->children) TakeOffList(num_items, &child);
}

// Turns a struct of lists into a list of structs: all children have the same
// list around them, which is moved around the struct.
Status MakeListOfStructs(ExportMemory* memory, Array* array) {
  Array list = ListAround(array);
  const Array& any = list.children[0];
  TakeOffList(any.length, array);
  if (!memory->AllocateArray(1, &list.children)) return Status::OutOfMemory();
  list.children[0] = *array;
  *array = list;
  return Status();
}

size_t CountFeatureLists(const ColumnBatch& batch) {
  size_t count = 0;
  for (const Column& column : batch.columns) count += column.in_sequence;
  for (const TensorField& field : batch.fields) count += field.in_sequence;
  return count;
}

}  // namespace

const void* NoBytes() {
  alignas(64) static constexpr uint8_t kZeros[64] = {};
  return kZeros;
}

Status StartStruct(size_t length, size_t num_children, ExportMemory* memory,
                   Array* out) {
  *out = {.type = TypeId::kStruct, .length = static_cast<int64_t>(length)};
  if (!memory->AllocateArray(1, &out->buffers) ||
      !memory->AllocateArray(num_children, &out->children)) {
    return Status::OutOfMemory();
  }
  return Status();
}

Status BuildArray(const ColumnBatch& batch, BytesAs bytes_as, Purpose purpose,
                  ExportMemory* memory, Array* root) {
  assert(batch.fields.size() == batch.tensors.size());
  const ArrayContext context{batch, bytes_as, purpose, memory};
  const size_t in_struct = CountFeatureLists(batch);
  assert(in_struct == 0 || batch.has_sequence_struct);
  const size_t at_root =
      batch.columns.size() + batch.tensors.size() - in_struct;
  const size_t num_structs = batch.has_sequence_struct ? 1 : 0;
  Status status =
      StartStruct(batch.num_rows, at_root + num_structs, memory, root);
  if (status.ok()) {
    status = BuildChildren(context, /*in_sequence=*/false, root);
  }
  if (!status.ok() || !batch.has_sequence_struct) return status;
  Array* const lists = &root->children[at_root];
  status = StartStruct(batch.num_rows, in_struct, memory, lists);
  if (!status.ok()) return status;
  status = BuildChildren(context, /*in_sequence=*/true, lists);
  if (!status.ok() || !batch.is_list) return status;
  return MakeListOfStructs(memory, lists);
}

Status BuildField(const ColumnBatch& batch, size_t index, BytesAs bytes_as,
                  Purpose purpose, ExportMemory* memory, Array* out) {
  assert(batch.fields.size() == batch.tensors.size());
  Status status =
      CheckIndex(index, batch.columns.size() + batch.tensors.size());
  if (!status.ok()) return status;
  const ArrayContext context{batch, bytes_as, purpose, memory};
  if (index < batch.columns.size()) {
    return BuildColumn(context, batch.columns[index], out);
  }
  return BuildTensor(context, batch.fields[index], batch.tensors[index], out);
}

}  // namespace headrace::arrow
