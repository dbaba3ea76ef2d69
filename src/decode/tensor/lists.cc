// Builds the tensors of lists. They have a place for each Example that a list
// has or could have, but columns have a row per Example; short lists are filled
// up here.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "src/decode/tensor/assemble.h"
#include "src/decode/tensor/assembler.h"
#include "src/decode/tensor/list_checker.h"

namespace headrace::tensor {
namespace {

size_t LongestList(std::span<const int32_t> ends) {
  return Longest(ends.data(), ends.size() - 1);
}

class ListSpreader {
 public:
  ListSpreader(const plan::Program& program, const SealedLists& lists,
               size_t places)
      : program_(program), lists_(lists), places_(places) {}

  // Makes columns with a row per place. Returns false if there is no memory, as
  // do the functions below.
  bool Spread() {
    const std::span<const Column> columns = lists_.columns->columns();
    lists_.places->assign(columns.begin(), columns.end());
    if (IsFull()) return true;
    for (Column& column : *lists_.places) column.num_rows = num_cells();
    for (const plan::DenseSlot& dense : program_.dense_slots()) {
      if (!SpreadValues(dense)) return false;
    }
    return SpreadAllOffsets();
  }

 private:
  size_t num_lists() const { return lists_.ends.size() - 1; }
  size_t num_cells() const { return num_lists() * places_; }
  bool IsFull() const {
    return lists_.columns->num_rows() == num_cells() &&
           LongestList(lists_.ends) <= places_;
  }
  size_t SizeOf(size_t list) const {
    return static_cast<size_t>(lists_.ends[list + 1] - lists_.ends[list]);
  }

  // Spreads the values of dense slots; places without an Example get the
  // default.
  bool SpreadValues(const plan::DenseSlot& dense) {
    const plan::Slot& slot = program_.slots()[dense.slot];
    const size_t row = slot.elements * column::ValueSize(slot.kind);
    if (row == 0) return true;
    auto* out = static_cast<uint8_t*>(
        lists_.columns->Allocate(num_cells() * row + column::kWriteSlack));
    if (out == nullptr) return false;
    Column& column = (*lists_.places)[dense.slot];
    const auto* from = static_cast<const uint8_t*>(column.values);
    column.values = out;
    for (size_t list = 0; list < num_lists(); ++list) {
      const size_t size = SizeOf(list);
      if (size > 0) std::memcpy(out, from, size * row);
      out += size * row;
      from += size * row;
      for (size_t place = size; place < places_; ++place, out += row) {
        std::memcpy(out, dense.default_values, row);
      }
    }
    return true;
  }

  // Spreads offsets, which many columns share; places without an Example get no
  // values.
  bool SpreadAllOffsets() {
    const int32_t* shared = nullptr;
    const int32_t* shared_spread = nullptr;
    for (Column& column : *lists_.places) {
      if (column.offsets == nullptr) continue;
      if (column.offsets != shared) {
        shared = column.offsets;
        shared_spread = SpreadOffsets(shared);
        if (shared_spread == nullptr) return false;
      }
      column.offsets = shared_spread;
    }
    return true;
  }

  const int32_t* SpreadOffsets(const int32_t* offsets) {
    auto* const spread = static_cast<int32_t*>(
        lists_.columns->Allocate((num_cells() + 1) * sizeof(int32_t)));
    if (spread == nullptr) return nullptr;
    int32_t* out = spread;
    *out++ = 0;
    for (size_t list = 0; list < num_lists(); ++list) {
      const int32_t* const ends = offsets + lists_.ends[list] + 1;
      const size_t size = SizeOf(list);
      out = std::copy_n(ends, size, out);
      out = std::fill_n(out, places_ - size, out[-1]);
    }
    return spread;
  }

  const plan::Program& program_;
  const SealedLists& lists_;
  const size_t places_;
};

// Counts the places that each list fills; returns null if there is no memory.
const int64_t* CountFilled(const SealedLists& lists) {
  auto* const filled = static_cast<int64_t*>(
      lists.columns->Allocate(lists.sizes.size() * sizeof(int64_t)));
  if (filled == nullptr) return nullptr;
  for (size_t row = 0; row < lists.sizes.size(); ++row) {
    filled[row] = lists.ends[row + 1] - lists.ends[row];
  }
  return filled;
}

bool AddSizes(const SealedLists& lists, Tensor* tensor) {
  const size_t rows = lists.sizes.size();
  auto* const shape =
      static_cast<int64_t*>(lists.columns->Allocate(sizeof(int64_t)));
  if (shape == nullptr) return false;
  *shape = static_cast<int64_t>(rows);
  tensor->dtype = DType::kInt32;
  tensor->shape = {shape, 1};
  tensor->values = lists.sizes.data();
  tensor->num_values = rows;
  return true;
}

bool AddMask(const SealedLists& lists, size_t places, Tensor* tensor) {
  const size_t rows = lists.sizes.size();
  auto* const shape =
      static_cast<int64_t*>(lists.columns->Allocate(2 * sizeof(int64_t)));
  const size_t examples = lists.columns->num_rows();
  auto* const mask =
      static_cast<uint8_t*>(lists.columns->Allocate(rows * places + examples));
  if (shape == nullptr || mask == nullptr) return false;
  shape[0] = static_cast<int64_t>(rows);
  shape[1] = static_cast<int64_t>(places);
  for (size_t row = 0; row < rows; ++row) {
    const auto size =
        std::min<size_t>(static_cast<size_t>(lists.sizes[row]), places);
    std::memset(mask + row * places, 1, size);
    std::memset(mask + row * places + size, 0, places - size);
  }
  // The mask of unpadded lists is all true.
  uint8_t* const list_values = mask + rows * places;
  std::memset(list_values, 1, examples);
  tensor->dtype = DType::kBool;
  tensor->shape = {shape, 2};
  tensor->values = mask;
  tensor->num_values = rows * places;
  tensor->row_offsets = lists.ends.data();
  tensor->list_values = list_values;
  tensor->num_list_values = examples;
  return true;
}

}  // namespace

bool AssembleLists(const plan::Program& program, const SealedLists& lists,
                   std::vector<Tensor>* tensors) {
  const plan::ListParts& parts = *program.lists();
  const size_t places = ListPlaces(parts.list_size, LongestList(lists.ends));
  if (!ListSpreader(*parts.examples, lists, places).Spread()) return false;
  const ListGrid grid{lists.ends, places, *lists.places};
  Assembler assembler(*parts.examples, lists.columns, grid);
  const int64_t* const filled = CountFilled(lists);
  if (filled == nullptr) return false;
  for (const plan::Output& output : parts.examples->outputs()) {
    Tensor& tensor = tensors->emplace_back();
    if (!assembler.Build(output, &tensor)) return false;
    tensor.in_sequence = true;
    tensor.lengths = {filled, lists.sizes.size()};
  }
  const size_t extra = tensors->size();
  assert(extra + parts.has_sizes + parts.has_mask == program.tensors().size());
  tensors->resize(program.tensors().size());
  for (size_t i = extra; i < tensors->size(); ++i) {
    (*tensors)[i].name = program.tensors()[i].feature.name;
  }
  return (!parts.has_sizes || AddSizes(lists, &(*tensors)[extra])) &&
         (!parts.has_mask || AddMask(lists, places, &tensors->back()));
}

}  // namespace headrace::tensor
