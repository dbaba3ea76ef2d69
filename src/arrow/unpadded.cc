#include "src/arrow/unpadded.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "headrace/types.h"

namespace headrace::arrow {
namespace {

// Row splits of the places become those of the Examples.
bool TakeOutSplits(std::span<const int32_t> ends, ExportMemory* memory,
                   Tensor* tensor) {
  std::span<RowSplits> levels;
  std::span<int32_t> splits;
  const size_t examples = static_cast<size_t>(ends.back());
  if (!memory->AllocateArray(tensor->row_splits.size(), &levels) ||
      !memory->AllocateArray(examples + 1, &splits)) {
    return false;
  }
  std::copy(tensor->row_splits.begin(), tensor->row_splits.end(),
            levels.begin());
  const RowSplits& lists = tensor->row_splits[0];
  const RowSplits& places = tensor->row_splits[1];
  int32_t* out = splits.data();
  *out++ = 0;
  for (size_t row = 0; row + 1 < ends.size(); ++row) {
    const auto first = static_cast<size_t>(lists[row]);
    const auto size = static_cast<size_t>(ends[row + 1] - ends[row]);
    for (size_t i = 0; i < size; ++i) {
      *out++ = static_cast<int32_t>(places[first + i + 1]);
    }
  }
  levels[0] = {ends.data(), ends.size(), false};
  levels[1] = {splits.data(), splits.size(), false};
  tensor->row_splits = levels;
  return true;
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

}  // namespace

bool TakeOutPadding(bool takes_values, ExportMemory* memory, Tensor* tensor) {
  std::span<int32_t> ends;
  if (!memory->AllocateArray(tensor->lengths.size() + 1, &ends)) return false;
  ends[0] = 0;
  for (size_t i = 0; i < tensor->lengths.size(); ++i) {
    ends[i + 1] = ends[i] + static_cast<int32_t>(tensor->lengths[i]);
  }
  tensor->row_offsets = ends.data();
  if (tensor->kind == TensorKind::kRagged) {
    return TakeOutSplits(ends, memory, tensor);
  }
  return !takes_values || TakeOutValues(ends, memory, tensor);
}

}  // namespace headrace::arrow
