// Batch: the columns or tensors of some consecutive records.
//
// A batch is a handle: copies are cheap and share one storage, which returns to
// the reader's pool when the last copy is gone. Columns, tensors and their
// arrays are views that live as long as any copy of the batch. Values of kind
// bytes are not copied: they point into the input, which the batch pins. A
// batch never changes, and any number of threads may read it.

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

#include "headrace/export.h"
#include "headrace/types.h"

namespace headrace {

// A list column: row r holds values [offsets[r], offsets[r + 1]). A null row
// (the feature is absent or unset) and an empty row both hold no values;
// `validity` distinguishes them. A column of kind kNull has rows and nothing
// else.
//
// For a feature list, or a feature of the Examples of a list, row r holds steps
// [offsets[r], offsets[r + 1]), and step s holds values [step_offsets[s],
// step_offsets[s + 1]); an unset step is null. If the column is of kind kNull,
// all its steps are null.
struct Column {
  std::string_view name;
  Kind kind = Kind::kNull;
  bool in_sequence = false;  // true for a feature list
  size_t num_rows = 0;
  size_t null_count = 0;
  // One bit per row, least significant first; 1 is valid, and bits after the
  // last row are 0. Null if no row is null, and for a kNull column that is not
  // a feature list.
  const uint8_t* validity = nullptr;
  // num_rows + 1 offsets; the first is 0 and none decreases. Null for a kNull
  // column that is not a feature list.
  const int32_t* offsets = nullptr;
  // Only for feature lists: the same as null_count, validity and offsets, per
  // step. Both pointers are null for kNull.
  size_t step_null_count = 0;
  const uint8_t* step_validity = nullptr;
  const int32_t* step_offsets = nullptr;
  // One array of num_values() values of the column's kind.
  const void* values = nullptr;

  size_t num_steps() const {
    return in_sequence && offsets ? static_cast<size_t>(offsets[num_rows]) : 0;
  }
  size_t num_values() const {
    if (kind == Kind::kNull || !offsets) return 0;
    return static_cast<size_t>(in_sequence ? step_offsets[num_steps()]
                                           : offsets[num_rows]);
  }
  // Returns whether a step is null; `step` is below num_steps().
  bool IsNullStep(size_t step) const {
    assert(step < num_steps());
    if (kind == Kind::kNull) return true;
    return step_validity && !(step_validity[step / 8] >> (step % 8) & 1);
  }
  // Returns whether a row is null; `row` is below num_rows.
  bool IsNull(size_t row) const {
    assert(row < num_rows);
    if (kind == Kind::kNull && !in_sequence) return true;
    return validity && !(validity[row / 8] >> (row % 8) & 1);
  }
  // Return all values if the column has the kind of the function, otherwise
  // none. Check `kind` first: it may have been found from the data.
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

enum class TensorKind : uint8_t { kDense, kSparse, kRagged, kJagged };

// One level of a ragged tensor: `size` row splits. The first is 0, none
// decreases, and the last is the number of rows of the next level, or of items.
struct RowSplits {
  const void* data = nullptr;  // int32_t or int64_t
  size_t size = 0;
  bool is_int64 = false;

  // Returns row split i, which is below `size`.
  int64_t operator[](size_t i) const {
    assert(i < size);
    return is_int64 ? static_cast<const int64_t*>(data)[i]
                    : static_cast<const int32_t*>(data)[i];
  }
};

// Returns whether values of this type are T in memory: int64_t, float, double,
// std::string_view, bool, a narrower or unsigned integer, uint16_t for 16-bit
// floats.
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
    case DType::kBool:
      return std::is_same_v<T, bool>;
  }
  return false;
}

// The tensor made of a feature of the spec; docs/semantics.md has the rules.
struct Tensor {
  std::string_view name;
  TensorKind kind = TensorKind::kDense;
  DType dtype = DType::kInt64;
  // True for a feature list, and for a feature of the Examples of a list.
  bool in_sequence = false;
  // kDense: the tensor's shape, rows first. kSparse: the shape of the dense
  // tensor that it represents. kRagged: the shape of one innermost item, e.g.
  // {2, 3} if the last dimensions of a row are known to be 2 and 3, {} for
  // scalars.
  std::span<const int64_t> shape;
  const void* values = nullptr;
  size_t num_values = 0;  // in `values`, each of type dtype, row-major
  // kSparse: num_values coordinates of shape.size() numbers each, value after
  // value.
  std::span<const int64_t> indices;
  std::span<const RowSplits> row_splits;  // kRagged: outermost level first
  // kFixedLenSequence: the number of steps of each row before padding. For
  // features of the Examples of a list, of any kind: the number of Examples in
  // each row's list.
  std::span<const int64_t> lengths;

  // The same values as lists, one per row, neither padded nor cut, as in Arrow.
  // The values of a sparse tensor are in the order of its indices. row_offsets
  // lead from rows to values; for a feature list row_offsets lead from rows to
  // steps, and step_offsets from steps to values. All pointers are null for
  // kFixedLen, and for ragged rows with partitions, a shape or encoded values.
  const int32_t* row_offsets = nullptr;   // num_rows + 1 offsets
  const int32_t* step_offsets = nullptr;  // row_offsets[num_rows] + 1 offsets
  const void* list_values = nullptr;
  size_t num_list_values = 0;

  // kJagged: K keys, the names of the members. `values` has the values of all
  // rows of key 0, then those of key 1, and so on: row r of key k has
  // key_lengths[k * num_rows + r] values, from key_offsets[k * num_rows + r]
  // on. There are K * num_rows lengths, and one offset more; the first is 0.
  // Both are int32, or int64 if the spec says so. key_ends[k] is the end of key
  // k in `values`. `weights` has a float per value; null for a group without
  // weights.
  std::span<const std::string_view> keys;
  RowSplits key_lengths;
  RowSplits key_offsets;
  std::span<const int64_t> key_ends;
  const float* weights = nullptr;

  // Returns all values if they are T in memory, otherwise none, e.g.
  // As<int32_t>().
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

class HEADRACE_EXPORT Batch {
 public:
  // An empty batch, equal to a moved-from one.
  Batch() = default;
  Batch(const Batch& other);
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch other) noexcept;
  ~Batch();

  size_t num_rows() const;
  // Returns the columns in the order of the plan; none for a plan of tensors.
  std::span<const Column> columns() const HEADRACE_LIFETIME_BOUND;
  // Returns the column of that name; null if there is none.
  const Column* Find(std::string_view name,
                     bool in_sequence = false) const HEADRACE_LIFETIME_BOUND;
  // Returns the tensors in the order of the plan; none for a plan of columns.
  std::span<const Tensor> tensors() const HEADRACE_LIFETIME_BOUND;
  // Returns the tensor of that name; null if there is none.
  const Tensor* FindTensor(std::string_view name, bool in_sequence = false)
      const HEADRACE_LIFETIME_BOUND;
  // Returns the origin of each row.
  std::span<const RowOrigin> origins() const HEADRACE_LIFETIME_BOUND;

 private:
  friend class BatchAccess;
  explicit Batch(void* storage) : storage_(storage) {}

  void* storage_ = nullptr;  // untyped for the same reason as in Plan
};

}  // namespace headrace

#endif  // HEADRACE_BATCH_H_
