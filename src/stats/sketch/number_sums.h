// NumberSums has the exact figures of numbers: how many there are of each sort,
// the least and the greatest, the sum and the sum of squares. The figures
// depend neither on the order of values nor on the SIMD target, since
// FixedPoint adds numbers without rounding.

#ifndef HEADRACE_SRC_STATS_SKETCH_NUMBER_SUMS_H_
#define HEADRACE_SRC_STATS_SKETCH_NUMBER_SUMS_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/numeric/int128.h"

namespace headrace::stats {

using Int128 = absl::int128;
using Uint128 = absl::uint128;

// A signed integer of 64 * kWords bits, in two's complement, the lowest word
// first. It adds numbers without rounding, so a sum does not depend on the
// order of its terms, nor on how threads divided them. The caller knows which
// power of two the lowest bit stands for, and that no sum overflows.
template <size_t kWords>
struct FixedPoint {
  std::array<uint64_t, kWords> words = {};

  // Adds value * 2^shift; shift is below 64 * (kWords - 1).
  void Add(Int128 value, size_t shift = 0) {
    const size_t first = shift / 64;
    const int bits = static_cast<int>(shift % 64);
    const auto low = static_cast<Uint128>(value) << bits;
    // Two shifts yield `value >> (128 - bits)`: one shift cannot, if `bits` is
    // 0.
    const auto high =
        static_cast<uint64_t>(static_cast<Int128>(value >> 64) >> (64 - bits));
    const auto sign = static_cast<uint64_t>(value < 0 ? ~uint64_t{0} : 0);
    const std::array<uint64_t, 3> parts = {static_cast<uint64_t>(low),
                                           static_cast<uint64_t>(low >> 64),
                                           bits == 0 ? sign : high};
    unsigned char carry = 0;
    for (size_t i = first; i < kWords; ++i) {
      const uint64_t part = i - first < 3 ? parts[i - first] : sign;
      // The remaining parts repeat the sign. If such a part and the carry add
      // up to 0, no further word changes.
      if (i - first >= 3 && part == (carry ? ~uint64_t{0} : 0)) break;
      carry = AddWord(part, carry, &words[i]);
    }
  }
  void Add(const FixedPoint& other) {
    unsigned char carry = 0;
    for (size_t i = 0; i < kWords; ++i) {
      carry = AddWord(other.words[i], carry, &words[i]);
    }
  }
  FixedPoint Negated() const {
    FixedPoint result;
    for (size_t i = 0; i < kWords; ++i) result.words[i] = ~words[i];
    result.Add(Int128{1});
    return result;
  }
  bool is_negative() const { return words[kWords - 1] >> 63 != 0; }

  // Returns the double that is nearest to this integer * 2^exponent.
  double ToDouble(int exponent) const {
    if (is_negative()) return -Negated().ToDouble(exponent);
    size_t top = kWords;
    while (top > 0 && words[top - 1] == 0) --top;
    if (top == 0) return 0;
    const auto zeros = static_cast<size_t>(__builtin_clzll(words[top - 1]));
    uint64_t bits = words[top - 1] << zeros;
    bool is_inexact = false;
    if (top > 1) {
      if (zeros > 0) bits |= words[top - 2] >> (64 - zeros);
      is_inexact = zeros < 64 && words[top - 2] << zeros != 0;
      for (size_t i = 0; i + 2 < top; ++i) is_inexact |= words[i] != 0;
    }
    // The lowest of the 64 bits is far below the last place of a double.
    // Setting it only decides which way to round.
    bits |= is_inexact;
    return std::ldexp(
        static_cast<double>(bits),
        exponent + static_cast<int>(64 * (top - 1)) - static_cast<int>(zeros));
  }

  bool operator==(const FixedPoint&) const = default;

 private:
  static unsigned char AddWord(uint64_t value, unsigned char carry,
                               uint64_t* word) {
    const unsigned char first = __builtin_add_overflow(*word, value, word);
    return first | __builtin_add_overflow(*word, uint64_t{carry}, word);
  }
};

// Returns the product of two numbers that are not negative.
template <size_t kA, size_t kB>
FixedPoint<kA + kB> Product(const FixedPoint<kA>& a, const FixedPoint<kB>& b) {
  FixedPoint<kA + kB> result;
  for (size_t i = 0; i < kA; ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < kB; ++j) {
      const Uint128 part =
          Uint128{a.words[i]} * b.words[j] + result.words[i + j] + carry;
      result.words[i + j] = static_cast<uint64_t>(part);
      carry = static_cast<uint64_t>(part >> 64);
    }
    result.words[i + kB] = carry;
  }
  return result;
}

// Returns the double that is nearest to value / divisor * 2^exponent; 0 for a
// divisor of 0.
template <size_t kWords>
double Quotient(const FixedPoint<kWords>& value, uint64_t divisor,
                int exponent) {
  if (divisor == 0) return 0;
  if (value.is_negative()) return -Quotient(value.Negated(), divisor, exponent);
  // With 128 more bits, a quotient other than 0 has at least 65 bits, so its
  // lowest bit can stand for a remainder.
  FixedPoint<kWords + 2> quotient;
  Uint128 rest = 0;
  for (size_t i = kWords + 2; i-- > 0;) {
    rest = rest << 64 | (i < 2 ? 0 : value.words[i - 2]);
    quotient.words[i] = absl::Uint128Low64(rest / divisor);
    rest %= divisor;
  }
  if (rest != 0) quotient.words[0] |= 1;
  return quotient.ToDouble(exponent - 128);
}

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
  double std_dev() const;  // of the population; within three ulps
  void Merge(const NumberSums& other);
  void Append(std::string* out) const;
  // Returns false if the bytes are not such figures, or contradict themselves.
  bool Parse(std::string_view* bytes);
  bool operator==(const NumberSums&) const = default;
};

// Returns the mean of the finite numbers of both together, none of them
// rounded; 0 if there are none.
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
