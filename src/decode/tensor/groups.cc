// Builds the tensors of matrix and jagged groups.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "src/base/cast.h"
#include "src/base/checked_math.h"
#include "src/base/convert.h"
#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/cell.h"
#include "src/decode/tensor/group_rules.h"
#include "src/decode/tensor/tensor_proto.h"

namespace headrace::tensor {
namespace {

// Members with more values per row are cast straight into their rows.
constexpr size_t kMostScattered = 16;

constexpr size_t kRowsOfMatrix = 256;

// The values of a slot, row by row; those of all steps of a feature list.
class Cells {
 public:
  // `as` is the type of mapped values.
  Cells(const column::Builder& builder, const Column& column, DType as)
      : builder_(builder),
        column_(column),
        values_(static_cast<const uint8_t*>(column.values)),
        value_size_(builder.mapped > 0 ? DTypeSize(as)
                                       : column::ValueSize(builder.kind)) {}

  bool is_mapped() const { return builder_.mapped > 0; }
  bool is_dense() const { return builder_.form == plan::SlotForm::kDense; }
  Cell operator[](size_t row) const {
    if (is_dense()) return {row * builder_.elements, builder_.elements};
    const Cell cell = RowCell(column_, row);
    if (!column_.in_sequence) return cell;
    const auto begin = static_cast<size_t>(column_.step_offsets[cell.begin]);
    const auto end =
        static_cast<size_t>(column_.step_offsets[cell.begin + cell.size]);
    return {begin, end - begin};
  }
  const uint8_t* At(size_t value) const {
    return values_ == nullptr ? nullptr : values_ + value * value_size_;
  }
  const std::string_view& BytesAt(size_t value) const {
    return static_cast<const std::string_view*>(column_.values)[value];
  }

  // Returns whether the record of the row has the feature, with a kind. The
  // slot must not be dense.
  bool IsPresent(size_t row) const {
    if (builder_.own.valid == nullptr) return false;  // no row of the batch
    return builder_.form == plan::SlotForm::kRegular ||
           builder_.own.valid[row] == 1;
  }

 private:
  const column::Builder& builder_;
  const Column& column_;
  const uint8_t* const values_;
  const size_t value_size_;
};

// Writes items of `size` bytes to places that are `stride` bytes apart.
template <size_t kSize>
void ScatterItems(const uint8_t* items, size_t count, size_t stride,
                  uint8_t* out) {
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(out + i * stride, items + i * kSize, kSize);
  }
}
void Scatter(const uint8_t* items, size_t size, size_t count, size_t stride,
             uint8_t* out) {
  switch (size) {
    case 1:
      return ScatterItems<1>(items, count, stride, out);
    case 2:
      return ScatterItems<2>(items, count, stride, out);
    case 4:
      return ScatterItems<4>(items, count, stride, out);
    case 8:
      return ScatterItems<8>(items, count, stride, out);
    default:
      for (size_t i = 0; i < count; ++i) {
        std::memcpy(out + i * stride, items + i * size, size);
      }
  }
}

// Writes int32 or int64.
class IntWriter {
 public:
  IntWriter(void* data, bool wide) : data_(data), wide_(wide) {}
  void Set(size_t i, size_t value) {
    if (wide_) {
      static_cast<int64_t*>(data_)[i] = static_cast<int64_t>(value);
    } else {
      static_cast<int32_t*>(data_)[i] = static_cast<int32_t>(value);
    }
  }
  RowSplits ints(size_t size) const { return {data_, size, wide_}; }

 private:
  void* const data_;
  const bool wide_;
};

// Writes the lengths of all rows of a member that keeps all its values, and
// where they end; the first row begins at `begin`. Returns the end of the last.
template <class Int>
size_t CutWholeRows(const Column& column, const plan::Output& member,
                    bool is_dense, size_t rows, size_t begin, Int* lengths,
                    Int* ends) {
  if (is_dense) {
    const auto size = static_cast<Int>(member.elements);
    for (size_t row = 0; row < rows; ++row) {
      lengths[row] = size;
      ends[row] = static_cast<Int>(begin + (row + 1) * member.elements);
    }
    return begin + rows * member.elements;
  }
  const int32_t* const offsets = column.offsets;
  const auto base = static_cast<int64_t>(begin) - offsets[0];
  for (size_t row = 0; row < rows; ++row) {
    lengths[row] = static_cast<Int>(offsets[row + 1] - offsets[row]);
    ends[row] = static_cast<Int>(base + offsets[row + 1]);
  }
  return static_cast<size_t>(base + offsets[rows]);
}

// Returns the values of a row before they are cut; a default counts.
size_t SizeOf(const plan::Output& member, const Cell& cell) {
  return member.layout == Layout::kFixedLen ? member.elements : cell.size;
}

}  // namespace

// Writes the columns of a member whose slot is dense, of the rows [begin, end):
// its values are cast a block at a time, then put into their rows. `out` is the
// place of the first row.
void Assembler::WriteDenseColumns(const plan::Output& member, size_t begin,
                                  size_t end, size_t stride, uint8_t* out) {
  const Cells cells(BuilderOf(member.slot), ColumnOf(member.slot), member.to);
  const bool converts = member.converts() && !cells.is_mapped();
  const size_t row_size = member.elements * DTypeSize(member.to);
  if (member.elements > kMostScattered) {
    for (size_t row = begin; row < end; ++row, out += stride) {
      const uint8_t* const values = cells.At(cells[row].begin);
      if (converts) {
        ConvertValues(member, values, member.elements, out);
      } else {
        std::memcpy(out, values, row_size);
      }
    }
    return;
  }
  alignas(64) uint8_t block[kBlockOfValues * sizeof(int64_t)];
  const size_t rows_of_block = kBlockOfValues / member.elements;
  for (size_t row = begin; row < end; row += rows_of_block) {
    const size_t rows = std::min(rows_of_block, end - row);
    const uint8_t* values = cells.At(cells[row].begin);
    if (converts) {
      ConvertValues(member, values, rows * member.elements, block);
      values = block;
    }
    Scatter(values, row_size, rows, stride, out + (row - begin) * stride);
  }
}

// Writes the columns of any member of a matrix, row by row.
void Assembler::WriteColumns(const plan::Output& member, size_t stride,
                             uint8_t* out) {
  const Cells cells(BuilderOf(member.slot), ColumnOf(member.slot), member.to);
  const size_t size = DTypeSize(member.to);
  const size_t row_size = member.member.width * size;
  uint8_t one[sizeof(int64_t)];
  constexpr int64_t kOne = 1;
  Cast(DType::kInt64, member.to, &kOne, 1, one);
  TensorProto proto;
  for (size_t row = 0; row < rows_; ++row, out += stride) {
    const Cell cell = cells[row];
    if (member.reinterpret) {
      const std::string_view bytes = cells.BytesAt(cell.begin);
      if (member.encoding == Encoding::kTensorProto) {
        // Its row was judged. If the bytes have changed since, so may the
        // elements.
        proto.Read(bytes, member.to, AskedShape(member));
        proto.Write(member.elements, out);
      } else if (row_size > 0) {
        std::memcpy(out, bytes.data(), row_size);
      }
      if (member.to == DType::kBool) NormalizeBools(out, row_size);
    } else {
      const bool is_default =
          member.layout == Layout::kFixedLen && cell.size == 0;
      const auto* const values =
          is_default ? static_cast<const uint8_t*>(member.default_values)
                     : cells.At(cell.begin);
      const size_t kept = KeptOf(member, SizeOf(member, cell)).kept;
      ConvertValues(member, values, kept, out);
      std::memset(out + kept * size, 0, row_size - kept * size);
    }
    if (!member.member.present) continue;
    if (cells.IsPresent(row)) {
      std::memcpy(out + row_size, one, size);
    } else {
      std::memset(out + row_size, 0, size);
    }
  }
}

bool Assembler::BuildMatrix(const plan::Output& output, Tensor* tensor) {
  const size_t width[] = {output.elements};
  tensor->num_values = rows_ * output.elements;
  if (IsSlotItself(program_, output)) {
    tensor->values = InPlace(output, ColumnOf(output.members[0].slot).values,
                             tensor->num_values);
    return SetShape(width, {}, tensor);
  }
  uint8_t* const values = AllocateOutValues(output.to, tensor->num_values);
  if (values == nullptr) return false;
  const size_t size = DTypeSize(output.to);
  const size_t stride = output.elements * size;
  const auto is_dense = [this](const plan::Output& member) {
    return BuilderOf(member.slot).form == plan::SlotForm::kDense;
  };
  for (const plan::Output& member : output.members) {
    if (member.member.width + member.member.present == 0 || is_dense(member)) {
      continue;
    }
    WriteColumns(member, stride, values + member.member.column * size);
  }
  // All columns of a few rows, so that these stay in the first cache.
  for (size_t row = 0; row < rows_; row += kRowsOfMatrix) {
    const size_t end = std::min(row + kRowsOfMatrix, rows_);
    for (const plan::Output& member : output.members) {
      if (member.member.width == 0 || !is_dense(member)) continue;
      WriteDenseColumns(member, row, end, stride,
                        values + row * stride + member.member.column * size);
    }
  }
  tensor->values = values;
  return SetShape(width, {}, tensor);
}

// Returns an upper bound: a row may have fewer values than the group keeps.
size_t Assembler::PlacesOfJagged(const plan::Output& output) const {
  const size_t int_size = output.int64_lengths ? 8 : 4;
  size_t lengths;
  if (!CheckedMul(output.members.size(), rows_, &lengths)) return kTooLarge;
  size_t values = 0;
  for (const plan::Output& member : output.members) {
    const bool is_fixed = member.layout == Layout::kFixedLen;
    const size_t most = is_fixed ? std::min(member.elements, member.member.most)
                                 : member.member.most;
    size_t count;
    if (!CheckedMul(rows_, most, &count)) count = kTooLarge;
    if (!is_fixed) count = std::min(count, BuilderOf(member.slot).count);
    values = AddSizes(values, count);
  }
  size_t size =
      AddSizes(PlaceSize(lengths, int_size), PlaceSize(lengths + 1, int_size));
  size = AddSizes(size, PlaceSize(values, DTypeSize(output.to)));
  if (!output.has_weights) return size;
  return AddSizes(size, PlaceSize(values, sizeof(float)));
}

// Casts what the group keeps of a member's values, `count` of them in all.
void Assembler::WriteKey(const plan::Output& member, size_t count,
                         uint8_t* out) {
  const column::Builder& builder = BuilderOf(member.slot);
  const Cells cells(builder, ColumnOf(member.slot), member.to);
  if (cells.is_mapped()) {
    std::memcpy(out, cells.At(0), count * DTypeSize(member.to));
    return;
  }
  // If the slot has as many values, nothing is cut. Defaults that only the
  // member adds might make up for values that are.
  const bool adds_defaults = member.default_values != nullptr &&
                             builder.form != plan::SlotForm::kDense;
  if (builder.count == count && !adds_defaults) {
    return ConvertValues(member, cells.At(0), count, out);
  }
  for (size_t row = 0; row < rows_; ++row) {
    const Cell cell = cells[row];
    const size_t size = SizeOf(member, cell);
    const auto* const values =
        size > cell.size ? static_cast<const uint8_t*>(member.default_values)
                         : cells.At(cell.begin);
    const Kept kept = KeptOf(member, size);
    ConvertValues(
        member,
        kept.kept == 0 ? nullptr : values + kept.begin * DTypeSize(member.from),
        kept.kept, out);
    out += kept.kept * DTypeSize(member.to);
  }
}

void Assembler::WriteWeights(const plan::Output& member, size_t count,
                             float* out) {
  const uint32_t slot = member.member.weight_slot;
  if (slot == plan::kNoSlot) {
    std::fill_n(out, count, 1.0f);
    return;
  }
  const Cells cells(BuilderOf(slot), ColumnOf(slot), DType::kFloat);
  for (size_t row = 0; row < rows_; ++row) {
    const Cell cell = cells[row];
    const Kept kept = KeptOf(member, cell.size);
    if (kept.kept == 0) continue;
    std::memcpy(out, cells.At(cell.begin + kept.begin),
                kept.kept * sizeof(float));
    out += kept.kept;
  }
}

// Writes the lengths of all rows, key by key.
bool Assembler::CutKeys(const plan::Output& output, Tensor* tensor) {
  const size_t keys = output.members.size();
  const bool wide = output.int64_lengths;
  const size_t int_size = wide ? sizeof(int64_t) : sizeof(int32_t);
  size_t lengths, bytes;
  if (!CheckedMul(keys, rows_, &lengths) ||
      !CheckedMul(lengths + 1, int_size, &bytes)) {
    return false;
  }
  void* const length_memory = AllocateOut(lengths * int_size);
  void* const offset_memory = AllocateOut(bytes);
  auto* const ends = Allocate<int64_t>(keys);
  if (length_memory == nullptr || offset_memory == nullptr || ends == nullptr) {
    return false;
  }
  IntWriter length_of(length_memory, wide);
  IntWriter offset_of(offset_memory, wide);
  size_t total = 0;
  size_t i = 0;
  offset_of.Set(0, 0);
  for (const plan::Output& member : output.members) {
    const Cells cells(BuilderOf(member.slot), ColumnOf(member.slot), member.to);
    const bool is_whole =
        cells.is_dense() ||
        (member.layout == Layout::kRagged && !member.in_sequence);
    if (is_whole && member.member.most == plan::Membership().most) {
      const auto cut = [&](auto* length_data, auto* offset_data) {
        total =
            CutWholeRows(ColumnOf(member.slot), member, cells.is_dense(), rows_,
                         total, length_data + i, offset_data + i + 1);
      };
      if (wide) {
        cut(static_cast<int64_t*>(length_memory),
            static_cast<int64_t*>(offset_memory));
      } else {
        cut(static_cast<int32_t*>(length_memory),
            static_cast<int32_t*>(offset_memory));
      }
      i += rows_;
      ends[member.member.index] = static_cast<int64_t>(total);
      continue;
    }
    for (size_t row = 0; row < rows_; ++row) {
      const size_t kept = KeptOf(member, SizeOf(member, cells[row])).kept;
      total += kept;
      length_of.Set(i, kept);
      offset_of.Set(++i, total);
    }
    ends[member.member.index] = static_cast<int64_t>(total);
  }
  tensor->key_lengths = length_of.ints(lengths);
  tensor->key_offsets = offset_of.ints(lengths + 1);
  tensor->key_ends = {ends, keys};
  tensor->num_values = total;
  return true;
}

bool Assembler::BuildJagged(const plan::Output& output, Tensor* tensor) {
  tensor->kind = TensorKind::kJagged;
  tensor->keys = output.keys;
  if (!CutKeys(output, tensor)) return false;
  uint8_t* const values = AllocateOutValues(output.to, tensor->num_values);
  auto* const weights = output.has_weights
                            ? reinterpret_cast<float*>(AllocateOutValues(
                                  DType::kFloat, tensor->num_values))
                            : nullptr;
  if (values == nullptr || (output.has_weights && weights == nullptr)) {
    return false;
  }
  size_t begin = 0;
  for (const plan::Output& member : output.members) {
    const auto end = static_cast<size_t>(tensor->key_ends[member.member.index]);
    WriteKey(member, end - begin, values + begin * DTypeSize(output.to));
    if (weights) WriteWeights(member, end - begin, weights + begin);
    begin = end;
  }
  tensor->values = values;
  tensor->weights = weights;
  return true;
}

}  // namespace headrace::tensor
