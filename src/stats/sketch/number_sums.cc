#include "src/stats/sketch/number_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

constexpr int kSumExponent = -149;  // of floats
constexpr int kSquareExponent = 2 * kSumExponent;

template <size_t kWords>
FixedPoint<kWords> Magnitude(const FixedPoint<kWords>& value) {
  return value.is_negative() ? value.Negated() : value;
}

void AddSquare(uint64_t magnitude, NumberSums<int64_t>* sums) {
  const Uint128 square = Uint128(magnitude) * magnitude;
  sums->squares.Add(absl::Uint128Low64(square));
  sums->squares.Add(absl::Uint128High64(square), 64);
}

}  // namespace

template <class T>
double NumberSums<T>::mean() const {
  return Quotient(sum, finite(), kIsFloat ? kSumExponent : 0);
}

double MeanOf(const NumberSums<int64_t>& int64s,
              const NumberSums<float>& floats) {
  FixedPoint<NumberSums<float>::kSumWords> sum = floats.sum;
  // The sum of fewer than 2^64 numbers of 64 bits fits 128 bits.
  sum.Add(absl::MakeInt128(static_cast<int64_t>(int64s.sum.words[1]),
                           int64s.sum.words[0]),
          static_cast<size_t>(-kSumExponent));
  return Quotient(sum, int64s.finite() + floats.finite(), kSumExponent);
}

// The variance is (n * squares - sum^2) / n^2; the numerator is exact.
template <class T>
double NumberSums<T>::std_dev() const {
  if (finite() == 0) return 0;
  const FixedPoint<1> n = {{finite()}};
  FixedPoint<2 * kSumWords> difference;
  const FixedPoint<kSquareWords + 1> first = Product(squares, n);
  static_assert(kSquareWords + 1 <= 2 * kSumWords);
  std::copy(first.words.begin(), first.words.end(), difference.words.begin());
  const FixedPoint<kSumWords> magnitude = Magnitude(sum);
  difference.Add(Product(magnitude, magnitude).Negated());
  return std::sqrt(difference.ToDouble(kIsFloat ? kSquareExponent : 0)) /
         static_cast<double>(finite());
}

template <class T>
void NumberSums<T>::Merge(const NumberSums& other) {
  count += other.count;
  zeros += other.zeros;
  nan += other.nan;
  positive_infinities += other.positive_infinities;
  negative_infinities += other.negative_infinities;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  sum.Add(other.sum);
  squares.Add(other.squares);
}

template <class T>
void NumberSums<T>::Append(std::string* out) const {
  AppendFields(out, count, zeros, nan, positive_infinities, negative_infinities,
               min, max, sum.words, squares.words);
}

template <class T>
bool NumberSums<T>::Parse(std::string_view* bytes) {
  if (!TakeFields(bytes, &count, &zeros, &nan, &positive_infinities,
                  &negative_infinities, &min, &max, &sum.words,
                  &squares.words)) {
    return false;
  }
  uint64_t rest = count;
  for (const uint64_t part : {nan, positive_infinities, negative_infinities}) {
    if (part > rest) return false;
    rest -= part;
  }
  return zeros <= rest && (rest == 0 || min <= max);
}

void AddNumber(int64_t value, NumberSums<int64_t>* sums) {
  ++sums->count;
  sums->zeros += value == 0;
  sums->min = std::min(sums->min, value);
  sums->max = std::max(sums->max, value);
  sums->sum.Add(value);
  const auto bits = static_cast<uint64_t>(value);
  AddSquare(value < 0 ? 0 - bits : bits, sums);
}

void AddNumber(float value, NumberSums<float>* sums) {
  ++sums->count;
  if (std::isnan(value)) {
    ++sums->nan;
    return;
  }
  if (std::isinf(value)) {
    ++(value > 0 ? sums->positive_infinities : sums->negative_infinities);
    return;
  }
  sums->zeros += value == 0;
  // Adding 0 turns -0 into 0.
  sums->min = std::min(sums->min, value) + 0.0F;
  sums->max = std::max(sums->max, value) + 0.0F;
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t exponent = bits >> 23 & 0xFF;
  const uint32_t fraction = bits & 0x7FFFFF;
  const int64_t significand = exponent == 0 ? fraction : fraction | 1 << 23;
  const size_t shift = exponent == 0 ? 0 : exponent - 1;
  sums->sum.Add(bits >> 31 != 0 ? -significand : significand, shift);
  sums->squares.Add(significand * significand, 2 * shift);
}

template struct NumberSums<int64_t>;
template struct NumberSums<float>;

}  // namespace headrace::stats
