#include "src/arrow/array.h"

#include <algorithm>
#include <string>

#include "src/arrow/bytes_array.h"
#include "wire/utf8.h"
#include "wire/wire.h"

namespace headrace::arrow {
namespace {

struct Build {
  const ColumnBatch& batch;
  BytesAs bytes_as;
  Purpose purpose;
  ExportMemory* memory;
};

// `data` may be null when there are no bytes.
Buffer Bytes(const void* data, size_t size) {
  return {.data = size > 0 ? data : NoBytes(), .size = size};
}

Buffer Validity(const Column& column) {
  if (column.null_count == 0) return {};
  return {.data = column.validity, .size = (column.num_rows + 7) / 8};
}

// An array without rows has one offset all the same.
Buffer Offsets(const Column& column) {
  if (column.num_rows == 0) return {.data = NoBytes(), .size = sizeof(int32_t)};
  return {.data = column.offsets,
          .size = (column.num_rows + 1) * sizeof(int32_t)};
}

Status NotUtf8(const ColumnBatch& batch, const Column& column, size_t value) {
  const int32_t* const end = column.offsets + column.num_rows + 1;
  const auto row = static_cast<size_t>(
      std::upper_bound(column.offsets, end, static_cast<int32_t>(value)) -
      column.offsets - 1);
  const size_t index = value - static_cast<size_t>(column.offsets[row]);
  ErrorInfo info{.code = ErrorCode::kInvalidArgument,
                 .message = "value " + std::to_string(index) + " of row " +
                            std::to_string(row) + " of the batch is not UTF-8",
                 .feature = std::string(column.name)};
  if (row < batch.origins.size()) {
    const RowOrigin& origin = batch.origins[row];
    info.record = origin.record;
    info.offset = origin.offset;
    if (origin.file < batch.files.size()) info.file = batch.files[origin.file];
  }
  return Status(std::move(info));
}

Status CheckUtf8(const ColumnBatch& batch, const Column& column) {
  const std::span<const std::string_view> values = column.bytes();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!wire::IsUtf8({reinterpret_cast<const uint8_t*>(values[i].data()),
                       values[i].size()})) {
      return NotUtf8(batch, column, i);
    }
  }
  return Status();
}

Status BuildNumbers(const Column& column, size_t value_size,
                    ExportMemory* memory, Array* out) {
  if (!memory->AllocateArray(2, &out->buffers)) return OutOfMemory();
  out->buffers[1] = Bytes(column.values, column.num_values() * value_size);
  return Status();
}

Status BuildBytes(const Build& build, const Column& column, Array* out) {
  Status status;
  if (out->type == TypeId::kString) status = CheckUtf8(build.batch, column);
  if (!status.ok()) return status;
  if (out->type != TypeId::kBinaryView) {
    status = BuildOffsetBytes(column, build.memory, out);
  } else if (build.purpose == Purpose::kShare) {
    status = BuildViews(column, build.batch.pinned, build.memory, out);
  } else {
    status = BuildViews(column, {}, build.memory, out);
  }
  if (!status.ok() || build.purpose == Purpose::kWrite) return status;
  return Gather(build.memory, out->buffers);
}

Status BuildValues(const Build& build, const Column& column, Array* out) {
  out->type = ValueType(column.kind, build.bytes_as);
  out->length = static_cast<int64_t>(column.num_values());
  switch (column.kind) {
    case Kind::kInt64:
      return BuildNumbers(column, sizeof(int64_t), build.memory, out);
    case Kind::kFloat:
      return BuildNumbers(column, sizeof(float), build.memory, out);
    case Kind::kBytes:
      return BuildBytes(build, column, out);
    case Kind::kNull:
      break;
  }
  return Status();
}

Status BuildColumn(const Build& build, const Column& column, Array* out) {
  out->length = static_cast<int64_t>(column.num_rows);
  if (column.kind == Kind::kNull) {
    out->type = TypeId::kNull;
    out->null_count = out->length;
    return Status();
  }
  out->type = TypeId::kList;
  out->null_count = static_cast<int64_t>(column.null_count);
  if (!build.memory->AllocateArray(2, &out->buffers) ||
      !build.memory->AllocateArray(1, &out->children)) {
    return OutOfMemory();
  }
  out->buffers[0] = Validity(column);
  out->buffers[1] = Offsets(column);
  return BuildValues(build, column, &out->children[0]);
}

}  // namespace

const void* NoBytes() {
  alignas(64) static constexpr uint8_t kZeros[64] = {};
  return kZeros;
}

Status OutOfMemory() {
  return Status(ErrorCode::kOutOfMemory, "no memory for Arrow buffers");
}

Status BuildArray(const ColumnBatch& batch, BytesAs bytes_as, Purpose purpose,
                  ExportMemory* memory, Array* root) {
  const Build build{batch, bytes_as, purpose, memory};
  *root = {.type = TypeId::kStruct,
           .length = static_cast<int64_t>(batch.num_rows)};
  if (!memory->AllocateArray(1, &root->buffers) ||
      !memory->AllocateArray(batch.columns.size(), &root->children)) {
    return OutOfMemory();
  }
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    Status status = BuildColumn(build, batch.columns[i], &root->children[i]);
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace headrace::arrow
