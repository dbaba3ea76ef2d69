#include "src/exchange/arrow/unpadded.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "headrace/types.h"
#include "src/base/text/quote.h"

namespace headrace::arrow {
namespace {

// A feature of known length has rows even where there is no Example.
Status HasRowsWithoutExamples(const Tensor& tensor) {
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "feature " + Quote(std::string(tensor.name)) +
                 " has a known length, so the padding of short lists has "
                 "rows, which Arrow's lists of Examples cannot hold; "
                 "give all lists one length",
      .feature = std::string(tensor.name)});
}

// Turns the row splits of places into those of Examples.
Status TakeOutSplits(std::span<const int32_t> ends, ExportMemory* memory,
                     Tensor* tensor) {
  std::span<RowSplits> levels;
  std::span<int32_t> splits;
  const auto examples = static_cast<size_t>(ends.back());
  if (!memory->AllocateArray(tensor->row_splits.size(), &levels) ||
      !memory->AllocateArray(examples + 1, &splits)) {
    return Status::OutOfMemory();
  }
  std::copy(tensor->row_splits.begin(), tensor->row_splits.end(),
            levels.begin());
  levels[0] = {ends.data(), ends.size(), false};
  if (levels.size() > 1) {
    const RowSplits& lists = tensor->row_splits[0];
    const RowSplits& places = tensor->row_splits[1];
    int32_t* out = splits.data();
    *out++ = 0;
    for (size_t row = 0; row + 1 < ends.size(); ++row) {
      const auto first = static_cast<size_t>(lists[row]);
      const auto end = static_cast<size_t>(lists[row + 1]);
      const size_t filled =
          first + static_cast<size_t>(ends[row + 1] - ends[row]);
      if (places[filled] != places[end]) return HasRowsWithoutExamples(*tensor);
      for (size_t i = first; i < filled; ++i) {
        *out++ = static_cast<int32_t>(places[i + 1]);
      }
    }
    levels[1] = {splits.data(), splits.size(), false};
  }
  tensor->row_splits = levels;
  return Status();
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

Status TakeOutPadding(bool takes_values, ExportMemory* memory, Tensor* tensor) {
  std::span<int32_t> ends;
  if (!memory->AllocateArray(tensor->lengths.size() + 1, &ends)) {
    return Status::OutOfMemory();
  }
  ends[0] = 0;
  for (size_t i = 0; i < tensor->lengths.size(); ++i) {
    ends[i + 1] = ends[i] + static_cast<int32_t>(tensor->lengths[i]);
  }
  tensor->row_offsets = ends.data();
  if (tensor->kind == TensorKind::kRagged) {
    return TakeOutSplits(ends, memory, tensor);
  }
  if (!takes_values || TakeOutValues(ends, memory, tensor)) return Status();
  return Status::OutOfMemory();
}

}  // namespace headrace::arrow
