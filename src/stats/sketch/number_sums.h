// NumberSums has the exact figures of numbers: how many there are of each sort,
// the least and the greatest, the sum and the sum of squares. They depend
// neither on the order of values nor on the SIMD target.

#ifndef HEADRACE_SRC_STATS_SKETCH_NUMBER_SUMS_H_
#define HEADRACE_SRC_STATS_SKETCH_NUMBER_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "src/stats/sketch/fixed_point.h"

namespace headrace::stats {

// The lowest bit of a float's sum is 2^-149, that of its squares 2^-298. There
// is room for 2^64 values.
template <class T>
struct NumberSums {
  static constexpr bool kIsFloat = std::is_same_v<T, float>;
  static constexpr size_t kSumWords = kIsFloat ? 6 : 3;
  static constexpr size_t kSquareWords = kIsFloat ? 10 : 4;

  uint64_t count = 0;
  uint64_t zeros = 0;
  uint64_t nan = 0;
  uint64_t positive_infinities = 0;
  uint64_t negative_infinities = 0;
  // Of the finite values; max < min while there are none.
  T min = std::numeric_limits<T>::max();
  T max = std::numeric_limits<T>::lowest();
  FixedPoint<kSumWords> sum = {};
  FixedPoint<kSquareWords> squares = {};

  uint64_t finite() const {
    return count - nan - positive_infinities - negative_infinities;
  }
  // Returns the double nearest to the mean of the finite values; 0 if there are
  // none.
  double mean() const;
  double std_dev() const;  // of the population; off by at most three units
  void Merge(const NumberSums& other);
  void Append(std::string* out) const;
  // Returns false for bytes that are not such figures, or contradict
  // themselves.
  bool Parse(std::string_view* bytes);
  bool operator==(const NumberSums&) const = default;
};

// Returns the mean of the finite numbers of both, none of them rounded; 0 if
// there are none.
double MeanOf(const NumberSums<int64_t>& int64s,
              const NumberSums<float>& floats);

// AddNumbers adds values with vectors. AddNumber adds one at a time, and is the
// oracle of tests.
void AddNumbers(std::span<const int64_t> values, NumberSums<int64_t>* sums);
void AddNumbers(std::span<const float> values, NumberSums<float>* sums);
void AddNumber(int64_t value, NumberSums<int64_t>* sums);
void AddNumber(float value, NumberSums<float>* sums);

// Sets sizes[r], for each row r, to the bytes of its values, [offsets[r],
// offsets[r + 1]), as packed varints.
void CountVarintBytes(const int64_t* values, const int32_t* offsets,
                      std::span<uint32_t> sizes);

extern template struct NumberSums<int64_t>;
extern template struct NumberSums<float>;

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_NUMBER_SUMS_H_
