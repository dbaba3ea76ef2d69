#include "src/exchange/arrow/nested_array.h"

#include <algorithm>
#include <string>

#include "src/base/text/quote.h"
#include "src/exchange/arrow/bytes_array.h"
#include "wire/utf8.h"

namespace headrace::arrow {
namespace {

// Returns a buffer; `data` may be null if there are no bytes.
Buffer Bytes(const void* data, size_t size) {
  return {.data = size > 0 ? data : NoBytes(), .size = size};
}

// Returns the offsets of lists; even without lists there is one offset.
Buffer Offsets(const Lists& lists) {
  if (lists.length == 0) return {.data = NoBytes(), .size = sizeof(int32_t)};
  return {.data = lists.offsets, .size = (lists.length + 1) * sizeof(int32_t)};
}

Status BuildLists(const Lists& lists, ExportMemory* memory, Array* out) {
  const bool variable = lists.size == kVariable;
  *out = {.type = variable ? TypeId::kList : TypeId::kFixedSizeList,
          .length = static_cast<int64_t>(lists.length),
          .null_count = static_cast<int64_t>(lists.null_count)};
  if (!memory->AllocateArray(variable ? 2 : 1, &out->buffers) ||
      !memory->AllocateArray(1, &out->children)) {
    return Status::OutOfMemory();
  }
  if (lists.null_count > 0) {
    out->buffers[0] = {.data = lists.validity, .size = (lists.length + 7) / 8};
  }
  if (variable) out->buffers[1] = Offsets(lists);
  return Status();
}

// The row of a value, and its index among the values of the row.
struct Place {
  size_t row;
  size_t index;
};

Place PlaceOf(std::span<const Lists> lists, size_t value) {
  size_t row = value;
  for (size_t i = lists.size(); i-- > 0;) row = lists[i].Containing(row);
  size_t first = row;
  for (const Lists& level : lists) first = level.Begin(first);
  return {row, value - first};
}

Status NotUtf8(const ColumnBatch& batch, const NestedValues& nested,
               size_t value) {
  const auto [row, index] = PlaceOf(nested.lists, value);
  ErrorInfo info{.code = ErrorCode::kInvalidArgument,
                 .message = "feature " + Quote(nested.feature) + ": value " +
                            std::to_string(index) + " of row " +
                            std::to_string(row) +
                            " of the batch is not UTF-8; ask for binary values",
                 .feature = std::string(nested.feature)};
  if (row < batch.origins.size()) {
    const RowOrigin& origin = batch.origins[row];
    info.record = origin.record;
    info.offset = origin.offset;
    if (origin.file < batch.files.size()) info.file = batch.files[origin.file];
  }
  return Status(std::move(info));
}

Status CheckUtf8(const ColumnBatch& batch, const NestedValues& nested,
                 std::span<const std::string_view> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!wire::IsUtf8(values[i])) {
      return NotUtf8(batch, nested, i);
    }
  }
  return Status();
}

Status BuildBytes(const ArrayContext& context, const NestedValues& nested,
                  size_t count, Array* out) {
  const BytesValues bytes{
      nested.feature,
      {static_cast<const std::string_view*>(nested.values), count}};
  Status status;
  if (out->type == TypeId::kString) {
    status = CheckUtf8(context.batch, nested, bytes.values);
  }
  if (!status.ok()) return status;
  if (out->type != TypeId::kBinaryView) {
    status = BuildOffsetBytes(bytes, context.memory, out);
  } else if (context.purpose == Purpose::kShare) {
    status = BuildSharedViews(bytes, context.batch.pinned, context.memory, out);
  } else {
    status = BuildCompactViews(bytes, context.memory, out);
  }
  if (!status.ok() || context.purpose == Purpose::kWrite) return status;
  return Gather(context.memory, out->buffers);
}

// Packs one bit per value, the least significant first, as in Arrow.
Status BuildBools(const bool* values, ExportMemory* memory, Array* out) {
  const auto count = static_cast<size_t>(out->length);
  std::span<uint8_t> bits;
  if (!memory->AllocateArray(2, &out->buffers) ||
      !memory->AllocateArray((count + 7) / 8, &bits)) {
    return Status::OutOfMemory();
  }
  std::fill(bits.begin(), bits.end(), uint8_t{0});
  for (size_t i = 0; i < count; ++i) {
    bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | values[i] << (i % 8));
  }
  out->buffers[1] = Bytes(bits.data(), bits.size());
  return Status();
}

Status BuildValues(const ArrayContext& context, const NestedValues& nested,
                   size_t count, Array* out) {
  *out = {.type = nested.type, .length = static_cast<int64_t>(count)};
  if (nested.type == TypeId::kNull) {
    out->null_count = out->length;
    return Status();
  }
  if (nested.type == TypeId::kBool) {
    return BuildBools(static_cast<const bool*>(nested.values), context.memory,
                      out);
  }
  const size_t value_size = InfoOf(nested.type).value_size;
  if (value_size == 0) return BuildBytes(context, nested, count, out);
  if (!context.memory->AllocateArray(2, &out->buffers))
    return Status::OutOfMemory();
  out->buffers[1] = Bytes(nested.values, count * value_size);
  return Status();
}

}  // namespace

size_t Lists::Containing(size_t item) const {
  if (size != kVariable) return item / static_cast<size_t>(size);
  // Of lists that begin at the same item, all except the last are empty.
  const int32_t* const end = offsets + length + 1;
  return static_cast<size_t>(
      std::upper_bound(offsets, end, static_cast<int32_t>(item)) - offsets - 1);
}

Status BuildNested(const ArrayContext& context, const NestedValues& nested,
                   Array* out) {
  size_t count = context.batch.num_rows;
  for (const Lists& lists : nested.lists) {
    Status status = BuildLists(lists, context.memory, out);
    if (!status.ok()) return status;
    count = lists.Begin(lists.length);
    out = &out->children[0];
  }
  return BuildValues(context, nested, count, out);
}

}  // namespace headrace::arrow
