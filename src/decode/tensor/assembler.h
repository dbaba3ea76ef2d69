// Assembler makes the tensors of one batch from its columns. assemble.cc has
// what all kinds of tensors share; dense.cc, sparse.cc, ragged.cc and groups.cc
// have one kind each.

#ifndef HEADRACE_SRC_DECODE_TENSOR_ASSEMBLER_H_
#define HEADRACE_SRC_DECODE_TENSOR_ASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "headrace/batch.h"
#include "src/base/checked_math.h"
#include "src/decode/column/column_set.h"
#include "src/decode/tensor/ragged_rules.h"
#include "src/decode/tensor/slab/slabs.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// For messages that are lists of Examples: a row of an Assembler is a place (a
// position in a list), filled or empty. A row of the columns is an Example,
// which fills one place.
struct ListGrid {
  // List r has the rows [ends[r], ends[r + 1]) of the columns.
  std::span<const int32_t> ends;
  size_t places = 0;  // of each list
  // Columns with a row per place.
  std::span<const Column> columns;

  size_t num_lists() const { return ends.size() - 1; }
};

class Assembler {
 public:
  // Without `slabs` all arrays are in the columns' memory.
  Assembler(const plan::Program& program, column::ColumnSet* columns,
            Slabs* slabs)
      : program_(program),
        columns_(columns),
        rows_(columns->num_rows()),
        slabs_(slabs) {}
  // For lists: the first dimension of tensors is the lists, the second their
  // places.
  Assembler(const plan::Program& program, column::ColumnSet* columns,
            const ListGrid& grid)
      : program_(program),
        columns_(columns),
        rows_(grid.num_lists() * grid.places),
        grid_(&grid) {}

  // Returns false if there is no memory. So do the Build functions and the
  // other functions below that allocate.
  bool Build(const plan::Output& output, Tensor* tensor);

  // Whether PlacesOf knows how much of the second slab a tensor takes before
  // the tensor is built. Build then writes it there, otherwise into the
  // columns' memory.
  bool KnowsPlaces(const plan::Output& output) const;
  size_t PlacesOf(const plan::Output& output) const;

 private:
  const Column& ColumnOf(uint32_t slot) const {
    return grid_ ? grid_->columns[slot] : columns_->columns()[slot];
  }
  const column::Builder& BuilderOf(uint32_t slot) const {
    return columns_->builder(slot);
  }

  template <class T>
  T* Allocate(size_t count) {
    size_t size;
    if (!CheckedMul(count, sizeof(T), &size)) return nullptr;
    return static_cast<T*>(columns_->Allocate(size));
  }
  // Allocates `slack` bytes after the values.
  uint8_t* AllocateValues(DType dtype, size_t count, size_t slack = 0) {
    size_t size;
    if (!CheckedMul(count, DTypeSize(dtype), &size) ||
        !CheckedAdd(size, slack, &size)) {
      return nullptr;
    }
    return static_cast<uint8_t*>(columns_->Allocate(size));
  }
  // AllocateOut and AllocateOutValues allocate arrays of the finished tensor:
  // in a slab, if there is one for them.
  void* AllocateOut(size_t size);
  uint8_t* AllocateOutValues(DType dtype, size_t count, size_t slack = 0);
  // Sets the dimensions: those of the rows, then `next`, then `rest`.
  bool SetShape(std::span<const size_t> next, std::span<const int64_t> rest,
                Tensor* tensor);
  const int32_t* ListOffsets();
  bool Narrow(const plan::Output& output, const void** values, size_t count,
              bool is_finished);
  void SetLists(const plan::Output& output, const void* values, size_t count,
                Tensor* tensor);

  const void* InPlace(const plan::Output& output, const void* values,
                      size_t count);
  bool BuildFixedLen(const plan::Output& output, Tensor* tensor);
  bool Reinterpret(const plan::Output& output, Tensor* tensor);
  bool ReadTensors(const plan::Output& output, Tensor* tensor);
  bool ReadDimensions(const plan::Output& output,
                      std::span<const std::string_view> values);
  std::span<const int64_t> DimensionsOf(size_t value, size_t rank) const {
    if (dimensions_ == nullptr) return {};
    return {dimensions_ + value * rank, rank};
  }
  bool SetLengths(const plan::Output& output, size_t per_step, Tensor* tensor);
  bool BuildSequence(const plan::Output& output, const void* values,
                     Tensor* tensor);
  bool BuildListSequence(const plan::Output& output, const void* values,
                         Tensor* tensor);
  const void* Pad(const plan::Output& output, const int32_t* offsets,
                  size_t per_offset, size_t width, const void* values);
  bool BuildVarLen(const plan::Output& output, Tensor* tensor);
  int64_t* AllocateIndices(size_t count);
  bool PlaceInLists(const Column& column, int64_t* indices, Tensor* tensor);
  bool BuildSparse(const plan::Output& output, Tensor* tensor);
  bool IsSorted(const plan::Output& output, const int32_t* offsets) const;
  bool Precedes(const plan::Output& output, uint32_t a, uint32_t b) const;
  int64_t* WriteIndices(const plan::Output& output, size_t row, size_t i,
                        int64_t* out) const;
  bool SortSparse(const plan::Output& output, const Column& column,
                  int64_t* indices, const void** values);
  bool BuildRagged(const plan::Output& output, Tensor* tensor);
  bool BuildMatrix(const plan::Output& output, Tensor* tensor);
  void WriteDenseColumns(const plan::Output& member, size_t begin, size_t end,
                         size_t stride, uint8_t* out);
  void WriteColumns(const plan::Output& member, size_t stride, uint8_t* out);
  size_t PlacesOfJagged(const plan::Output& output) const;
  bool BuildJagged(const plan::Output& output, Tensor* tensor);
  bool CutKeys(const plan::Output& output, Tensor* tensor);
  void WriteKey(const plan::Output& member, size_t count, uint8_t* out);
  void WriteWeights(const plan::Output& member, size_t count, float* out);
  bool WidenSplits(const int32_t* offsets, size_t size, bool wide,
                   RowSplits* splits);
  bool CutRows(const plan::Output& output, std::span<RowSplits> levels);
  ArrayShape ArrayOf(const plan::Output& output, size_t row, size_t i) const;
  template <class Writers>
  void AppendCell(const plan::Output& output, size_t row, size_t step,
                  size_t values, const size_t* counts, Writers* writers) const;
  template <class Writers>
  void AppendArrays(const plan::Output& output, size_t row, size_t values,
                    Writers* writers) const;
  template <class OnCell>
  void ForEachCell(const plan::Output& output, OnCell&& on_cell);
  std::span<const int64_t> PartitionOf(const plan::Output& output,
                                       const plan::Cut& cut, size_t row,
                                       size_t step) const;

  const plan::Program& program_;
  column::ColumnSet* const columns_;
  const size_t rows_;
  const ListGrid* grid_ = nullptr;
  Slabs* const slabs_ = nullptr;
  // Where the output that is being built goes: its place in the first slab, or
  // the second slab, or the columns' memory.
  uint8_t* place_ = nullptr;
  bool is_in_rest_ = false;
  // The dimensions of the TensorProtos of one output, value after value; null
  // if the plan knows them.
  const int64_t* dimensions_ = nullptr;
};

// Values that are converted at a time, so that they are in the cache when they
// are used.
inline constexpr size_t kBlockOfValues = 1024;

// Turns values of records into values of the output's tensor: every value and
// every default goes through this function, other padding does not.
void ConvertValues(const plan::Output& output, const void* values, size_t count,
                   void* out);

// Returns the size of the longest row; row r is [offsets[r], offsets[r + 1]).
size_t Longest(const int32_t* offsets, size_t rows);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_ASSEMBLER_H_
