// SortValues sorts numbers by their bytes, which for a few hundred of them is
// several times as fast as std::sort.

#ifndef HEADRACE_SRC_STATS_SKETCH_SORT_H_
#define HEADRACE_SRC_STATS_SKETCH_SORT_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace headrace::stats {

// Returns a key; keys are in the order of their values.
inline uint32_t SortKey(uint32_t value) { return value; }
inline uint64_t SortKey(int64_t value) {
  return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63;
}
inline uint32_t SortKey(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return bits ^ (bits >> 31 != 0 ? ~uint32_t{0} : uint32_t{1} << 31);
}

// The values must not be NaN.
template <class T>
void SortValues(std::span<T> values) {
  constexpr size_t kMax = 2048;
  if (values.size() < 64 || values.size() > kMax) {
    std::sort(values.begin(), values.end());
    return;
  }
  std::array<std::array<uint16_t, 256>, sizeof(T)> counts = {};
  for (const T value : values) {
    const auto key = SortKey(value);
    for (size_t i = 0; i < sizeof(T); ++i) ++counts[i][key >> (8 * i) & 0xFF];
  }
  std::array<T, kMax> other;
  T* from = values.data();
  T* to = other.data();
  for (size_t i = 0; i < sizeof(T); ++i) {
    std::array<uint16_t, 256>& ends = counts[i];
    // A byte in which all keys agree needs no pass.
    if (ends[SortKey(from[0]) >> (8 * i) & 0xFF] == values.size()) continue;
    uint16_t sum = 0;
    for (uint16_t& end : ends) sum += std::exchange(end, sum);
    for (size_t k = 0; k < values.size(); ++k) {
      to[ends[SortKey(from[k]) >> (8 * i) & 0xFF]++] = from[k];
    }
    std::swap(from, to);
  }
  if (from != values.data()) {
    std::copy(from, from + values.size(), values.data());
  }
}

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_SORT_H_
