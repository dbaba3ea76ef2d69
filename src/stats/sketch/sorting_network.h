// Batcher's odd-even merge sort of 32 rows, as pairs of rows to compare.

#ifndef HEADRACE_SRC_STATS_SKETCH_SORTING_NETWORK_H_
#define HEADRACE_SRC_STATS_SKETCH_SORTING_NETWORK_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace headrace::stats {

inline constexpr size_t kRows = 32;
inline constexpr size_t kRowPairs = 191;

struct RowPair {
  uint8_t low;
  uint8_t high;
};

inline constexpr std::array<RowPair, kRowPairs> kSortingNetwork = [] {
  std::array<RowPair, kRowPairs> pairs = {};
  size_t size = 0;
  for (size_t p = 1; p < kRows; p *= 2) {
    for (size_t k = p; k > 0; k /= 2) {
      for (size_t i = 0; i + k < kRows; ++i) {
        const bool is_low = i >= k % p && (i - k % p) / k % 2 == 0;
        if (!is_low || i / (2 * p) != (i + k) / (2 * p)) continue;
        pairs[size++] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i + k)};
      }
    }
  }
  return pairs;
}();

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_SORTING_NETWORK_H_
