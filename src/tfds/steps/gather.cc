#include "src/tfds/steps/gather.h"

#include <cstring>
#include <utility>

#include "src/base/checked_math.h"

namespace headrace::steps {
namespace {

size_t CountItems(std::span<const Run> runs) {
  size_t count = 0;
  for (const Run& run : runs) count += run.count;
  return count;
}

// Writes one level of splits of the runs to `out`, and appends the runs on the
// level inside it to `inside`. Returns false if there is no memory, or if a
// split does not fit its type.
template <class Split>
bool GatherSplits(std::span<const Items> batches, size_t level,
                  std::span<const Run> runs, reader::BatchStorage* storage,
                  RowSplits* out, std::vector<Run>* inside) {
  size_t bytes;
  if (!CheckedMul(CountItems(runs) + 1, sizeof(Split), &bytes)) return false;
  auto* const splits = reinterpret_cast<Split*>(storage->AllocateInput(bytes));
  if (splits == nullptr) return false;
  size_t size = 0;
  Split last = splits[size++] = 0;
  for (const Run& run : runs) {
    const RowSplits& source = batches[run.batch].splits[level];
    const int64_t begin = source[run.begin];
    const int64_t count = source[run.begin + run.count] - begin;
    int64_t end;
    if (__builtin_add_overflow(int64_t{last}, count, &end) ||
        !std::in_range<Split>(end)) {
      return false;
    }
    const auto* const from = static_cast<const Split*>(source.data);
    const auto shift = static_cast<Split>(last - begin);
    for (size_t i = 1; i <= run.count; ++i) {
      splits[size++] = from[run.begin + i] + shift;
    }
    last = static_cast<Split>(end);
    if (count > 0) {
      inside->push_back(
          {run.batch, static_cast<size_t>(begin), static_cast<size_t>(count)});
    }
  }
  *out = {splits, size, sizeof(Split) == sizeof(int64_t)};
  return true;
}

const uint8_t* ValuesOf(const Items& items, const Run& run, size_t item_size) {
  return static_cast<const uint8_t*>(items.values) + run.begin * item_size;
}

}  // namespace

bool Gather(std::span<const Items> batches, std::span<const Run> given,
            DType dtype, reader::BatchStorage* storage,
            std::span<RowSplits> levels, Tensor* tensor) {
  std::vector<Run> runs(given.begin(), given.end());
  for (size_t level = 0; level < levels.size(); ++level) {
    std::vector<Run> inside;
    const bool wide = batches[0].splits[level].is_int64;
    const bool ok = wide ? GatherSplits<int64_t>(batches, level, runs, storage,
                                                 &levels[level], &inside)
                         : GatherSplits<int32_t>(batches, level, runs, storage,
                                                 &levels[level], &inside);
    if (!ok) return false;
    runs = std::move(inside);
  }
  const size_t item_values = batches[0].item_values;
  const size_t item_size = item_values * DTypeSize(dtype);
  tensor->num_values = CountItems(runs) * item_values;
  if (runs.size() == 1) {
    tensor->values = ValuesOf(batches[runs[0].batch], runs[0], item_size);
    return true;
  }
  size_t bytes;
  if (!CheckedMul(CountItems(runs), item_size, &bytes)) return false;
  uint8_t* out = storage->AllocateInput(bytes);
  if (out == nullptr) return false;
  tensor->values = out;
  for (const Run& run : runs) {
    const size_t size = run.count * item_size;
    if (size > 0) {
      std::memcpy(out, ValuesOf(batches[run.batch], run, item_size), size);
    }
    out += size;
  }
  return true;
}

}  // namespace headrace::steps
