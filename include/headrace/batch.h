// Batch: the columns of some consecutive records.
//
// A batch is a handle: copies are cheap and share one storage, which goes back
// to the reader's pool when the last copy is gone. A batch is immutable and may
// be read from any number of threads. Its columns are views: they live as long
// as any copy of the batch. Values of kind bytes point into the pinned input;
// they were not copied.

#ifndef HEADRACE_BATCH_H_
#define HEADRACE_BATCH_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "headrace/types.h"

namespace headrace {

namespace reader {
class BatchStorage;
}

// A list column: row r holds values [offsets[r], offsets[r + 1]). A null row
// (feature absent or unset) and an empty one both hold none; validity tells
// them apart. A column of kind kNull has rows, and nothing else.
//
// Of a feature list, row r holds steps [offsets[r], offsets[r + 1]), and step s
// holds values [step_offsets[s], step_offsets[s + 1]); a step is null where it
// is unset. Of kind kNull it has steps, all null, and no values.
struct Column {
  std::string_view name;
  Kind kind = Kind::kNull;
  bool in_sequence = false;  // a feature list
  size_t num_rows = 0;
  size_t null_count = 0;
  // One bit a row, least significant first, 1 for valid; bits after the last
  // row are 0. Null pointer when no row is null, and for kNull outside
  // feature lists.
  const uint8_t* validity = nullptr;
  // num_rows + 1 offsets, the first 0, never decreasing. Null for kNull outside
  // feature lists.
  const int32_t* offsets = nullptr;
  // Feature lists: as validity and offsets, for offsets[num_rows] steps.
  // Without kind both are null, and every step is.
  size_t step_null_count = 0;
  const uint8_t* step_validity = nullptr;
  const int32_t* step_offsets = nullptr;
  // num_values() values of the column's kind, in one array.
  const void* values = nullptr;

  size_t num_steps() const {
    return in_sequence && offsets ? static_cast<size_t>(offsets[num_rows]) : 0;
  }
  size_t num_values() const {
    if (kind == Kind::kNull || !offsets) return 0;
    return static_cast<size_t>(in_sequence ? step_offsets[num_steps()]
                                           : offsets[num_rows]);
  }
  // Of one of num_steps() steps.
  bool IsNullStep(size_t step) const {
    assert(step < num_steps());
    if (kind == Kind::kNull) return true;
    return step_validity && !(step_validity[step / 8] >> (step % 8) & 1);
  }
  // Of one of num_rows rows.
  bool IsNull(size_t row) const {
    assert(row < num_rows);
    if (kind == Kind::kNull && !in_sequence) return true;
    return validity && !(validity[row / 8] >> (row % 8) & 1);
  }
  // All values of a column of that kind; of one of another kind none. Which
  // kind a column has may be the data's choice, so `kind` is worth a look.
  std::span<const int64_t> int64s() const {
    return ValuesOf<int64_t>(Kind::kInt64);
  }
  std::span<const float> floats() const {
    return ValuesOf<float>(Kind::kFloat);
  }
  std::span<const std::string_view> bytes() const {
    return ValuesOf<std::string_view>(Kind::kBytes);
  }

 private:
  template <class T>
  std::span<const T> ValuesOf(Kind of) const {
    if (kind != of) return {};
    return {static_cast<const T*>(values), num_values()};
  }
};

enum class TensorKind : uint8_t { kDense, kSparse, kRagged };

// One level of a ragged tensor: size row splits, the first 0, never decreasing;
// the last is the number of splits of the next level less 1, or of values.
struct RowSplits {
  const void* data = nullptr;  // int32_t or int64_t
  size_t size = 0;
  bool is_int64 = false;

  // One of the `size` splits.
  int64_t operator[](size_t i) const {
    assert(i < size);
    return is_int64 ? static_cast<const int64_t*>(data)[i]
                    : static_cast<const int32_t*>(data)[i];
  }
};

// Whether values of this type are T in memory: int64_t, float, double,
// std::string_view, a narrower or unsigned integer; of the two halves uint16_t.
template <class T>
constexpr bool IsStoredAs(DType dtype) {
  switch (dtype) {
    case DType::kBytes:
      return std::is_same_v<T, std::string_view>;
    case DType::kFloat:
      return std::is_same_v<T, float>;
    case DType::kInt64:
      return std::is_same_v<T, int64_t>;
    case DType::kInt32:
      return std::is_same_v<T, int32_t>;
    case DType::kInt16:
      return std::is_same_v<T, int16_t>;
    case DType::kInt8:
      return std::is_same_v<T, int8_t>;
    case DType::kUint64:
      return std::is_same_v<T, uint64_t>;
    case DType::kUint32:
      return std::is_same_v<T, uint32_t>;
    case DType::kUint16:
    case DType::kFloat16:
    case DType::kBfloat16:
      return std::is_same_v<T, uint16_t>;
    case DType::kUint8:
      return std::is_same_v<T, uint8_t>;
    case DType::kFloat64:
      return std::is_same_v<T, double>;
  }
  return false;
}

// What a feature of the spec became; docs/semantics.md has the rules.
struct Tensor {
  std::string_view name;
  TensorKind kind = TensorKind::kDense;
  DType dtype = DType::kInt64;
  bool in_sequence = false;  // of the feature lists
  // kDense: the tensor's shape, rows first. kSparse: the shape of the dense
  // tensor that it stands for. kRagged: the shape of one innermost item, e.g.
  // {2, 3} where the last partitions are uniform lengths 2 and 3; empty where
  // items are scalars.
  std::span<const int64_t> shape;
  // num_values values of type dtype, row-major.
  const void* values = nullptr;
  size_t num_values = 0;
  // kSparse: num_values times shape.size() coordinates, a value after another.
  std::span<const int64_t> indices;
  // kRagged: outermost first.
  std::span<const RowSplits> row_splits;
  // Feature lists as kDense: steps of each row before padding.
  std::span<const int64_t> lengths;

  // The same values as lists, one per row, never padded or cut; this is what
  // Arrow takes. A sparse tensor's are in the order of its indices. row_offsets
  // lead from rows to values, of a feature list from rows to steps, whose
  // values step_offsets give. All are null for kFixedLen, and for ragged rows
  // with partitions.
  const int32_t* row_offsets = nullptr;   // num_rows + 1
  const int32_t* step_offsets = nullptr;  // row_offsets[num_rows] + 1
  const void* list_values = nullptr;
  size_t num_list_values = 0;

  // The values, where they are T in memory; otherwise none. As<int32_t>().
  template <class T>
  std::span<const T> As() const {
    if (!IsStoredAs<T>(dtype)) return {};
    return {static_cast<const T*>(values), num_values};
  }
  std::span<const int64_t> int64s() const { return As<int64_t>(); }
  std::span<const float> floats() const { return As<float>(); }
  std::span<const std::string_view> bytes() const {
    return As<std::string_view>();
  }
};

// Where a row came from.
struct RowOrigin {
  uint64_t record = 0;     // number within the file, from 0
  uint64_t offset = 0;     // of the record, in the file's uncompressed stream
  uint32_t file = 0;       // index into Reader::files(); 0 for a Decoder
  bool recovered = false;  // found by rescanning after damage
};

class Batch {
 public:
  // No rows, no columns, no tensors; so is a batch that was moved from.
  Batch() = default;
  Batch(const Batch& other);
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch other) noexcept;
  ~Batch();

  size_t num_rows() const;
  // In plan order.
  std::span<const Column> columns() const;
  // Null where there is no such column.
  const Column* Find(std::string_view name, bool in_sequence = false) const;
  // Of a plan of tensors, which has no columns. In plan order.
  std::span<const Tensor> tensors() const;
  const Tensor* FindTensor(std::string_view name,
                           bool in_sequence = false) const;
  // One a row.
  std::span<const RowOrigin> origins() const;

 private:
  friend class reader::BatchStorage;
  explicit Batch(reader::BatchStorage* storage) : storage_(storage) {}

  reader::BatchStorage* storage_ = nullptr;
};

}  // namespace headrace

#endif  // HEADRACE_BATCH_H_
