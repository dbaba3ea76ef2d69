// SortValues sorts numbers by their bytes, which for some hundred of them is
// several times as fast as std::sort.

#ifndef HEADRACE_SRC_STATS_SORT_H_
#define HEADRACE_SRC_STATS_SORT_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace headrace::stats {

// Keys are in the order of their values.
inline uint32_t SortKey(uint32_t value) { return value; }
inline uint64_t SortKey(int64_t value) {
  return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63;
}
inline uint32_t SortKey(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return bits ^ (bits >> 31 != 0 ? ~uint32_t{0} : uint32_t{1} << 31);
}

// The values are not NaN.
template <class T>
void SortValues(std::span<T> values) {
  constexpr size_t kMost = 2048;
  if (values.size() < 64 || values.size() > kMost) {
    std::sort(values.begin(), values.end());
    return;
  }
  std::array<T, kMost> other;
  T* from = values.data();
  T* to = other.data();
  // Bytes in which all keys agree need no pass.
  auto differing = SortKey(values[0]);
  differing = 0;
  for (const T value : values) differing |= SortKey(value) ^ SortKey(values[0]);
  for (size_t shift = 0; shift < 8 * sizeof(T); shift += 8) {
    if ((differing >> shift & 0xFF) == 0) continue;
    std::array<uint16_t, 256> ends = {};
    for (size_t i = 0; i < values.size(); ++i) {
      ++ends[SortKey(from[i]) >> shift & 0xFF];
    }
    uint16_t sum = 0;
    for (uint16_t& end : ends) sum += std::exchange(end, sum);
    for (size_t i = 0; i < values.size(); ++i) {
      to[ends[SortKey(from[i]) >> shift & 0xFF]++] = from[i];
    }
    std::swap(from, to);
  }
  if (from != values.data()) {
    std::copy(from, from + values.size(), values.data());
  }
}

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SORT_H_
