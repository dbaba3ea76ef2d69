// Adds numbers in blocks. The sums of a block are integers in the lanes of
// vectors, so they are exact. If they might not fit, the block is added value
// by value.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/stats/sketch/number_kernels.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Included explicitly, because foreach_target.h would include them only later.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "src/stats/sketch/number_sums.h"
#include "wire/append.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::stats {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kBlock = 256;

// Returns the sum of the lanes, each of which is the sum of at most kBlock
// values below 2^55.
template <class V>
HWY_INLINE int64_t SumOf(V lanes) {
  const hn::DFromV<V> d;
  return hn::GetLane(hn::SumOfLanes(d, lanes));
}

// Adds values that are finite, with magnitudes of at most `most`. Returns
// false, and adds nothing, if the sums cannot be exact.
HWY_INLINE bool AddExactly(const float* HWY_RESTRICT values, size_t size,
                           float most, NumberSums<float>* sums) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const hn::RebindToSigned<decltype(dd)> di;
  // With this factor, the greatest magnitude is below 2^51, and the lowest bit
  // of any float is still at least that of NumberSums.
  const int shift = std::min(149, 50 - std::ilogb(std::max(most, 1e-44F)));
  const auto factor = hn::Set(dd, std::ldexp(1.0, shift));
  const auto down = hn::Set(dd, 0x1p-52);
  const auto up = hn::Set(dd, 0x1p52);
  auto sum = hn::Zero(di);
  auto high_squares = hn::Zero(di);
  auto low_squares = hn::Zero(di);
  auto differs = hn::Zero(dd);
  for (size_t i = 0; i < size; i += hn::Lanes(dd)) {
    const auto x =
        hn::Mul(hn::PromoteTo(dd, hn::LoadU(df, values + i)), factor);
    const auto n = hn::ConvertTo(di, x);
    differs =
        hn::Or(differs, hn::VecFromMask(dd, hn::Ne(hn::ConvertTo(dd, n), x)));
    sum = hn::Add(sum, n);
    // A square has 48 bits and is below 2^102: it is split at 2^52.
    const auto square = hn::Mul(x, x);
    const auto high = hn::ConvertTo(di, hn::Mul(square, down));
    const auto rest = hn::Sub(square, hn::Mul(hn::ConvertTo(dd, high), up));
    high_squares = hn::Add(high_squares, high);
    low_squares = hn::Add(low_squares, hn::ConvertTo(di, rest));
  }
  if (!hn::AllTrue(di, hn::Eq(hn::BitCast(di, differs), hn::Zero(di)))) {
    return false;
  }
  const auto to_sum = static_cast<size_t>(149 - shift);
  sums->sum.Add(SumOf(sum), to_sum);
  sums->squares.Add(SumOf(low_squares), 2 * to_sum);
  sums->squares.Add(SumOf(high_squares), 2 * to_sum + 52);
  return true;
}

// `size` must be a multiple of the lanes of float.
HWY_INLINE bool AddBlock(const float* HWY_RESTRICT values, size_t size,
                         NumberSums<float>* sums) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto zero = hn::Zero(d);
  auto min = hn::Set(d, std::numeric_limits<float>::max());
  auto max = hn::Set(d, std::numeric_limits<float>::lowest());
  auto magnitudes = hn::Zero(di);
  auto zeros = hn::Zero(di);  // counted negatively
  for (size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, values + i);
    min = hn::Min(min, v);
    max = hn::Max(max, v);
    magnitudes = hn::Max(magnitudes, hn::BitCast(di, hn::Abs(v)));
    zeros =
        hn::Add(zeros, hn::BitCast(di, hn::VecFromMask(d, hn::Eq(v, zero))));
  }
  // As integers, the bits of magnitudes have the order of the magnitudes;
  // infinities and NaN have the greatest.
  const int32_t bits = hn::GetLane(hn::MaxOfLanes(di, magnitudes));
  if (bits >= 0x7F800000) return false;
  if (!AddExactly(values, size, std::bit_cast<float>(bits), sums)) return false;
  sums->count += size;
  sums->zeros -=
      static_cast<uint64_t>(int64_t{hn::GetLane(hn::SumOfLanes(di, zeros))});
  sums->min = std::min(sums->min, hn::GetLane(hn::MinOfLanes(d, min)) + 0.0F);
  sums->max = std::max(sums->max, hn::GetLane(hn::MaxOfLanes(d, max)) + 0.0F);
  return true;
}

template <class D, class V>
HWY_INLINE V CountWhere(D d, V counts, hn::Mask<D> mask) {
  return hn::Sub(counts, hn::VecFromMask(d, mask));
}

// A value has one more byte from 2^7 on, another from 2^14 on, and so on; ten
// bytes if it is negative. Compilers vectorize these loops.
inline uint64_t VarintBytes(const int64_t* HWY_RESTRICT values, size_t size) {
  if (size == 1) return wire::VarintSize(static_cast<uint64_t>(values[0]));
  uint64_t all = 0;
  for (size_t i = 0; i < size; ++i) all |= static_cast<uint64_t>(values[i]);
  uint64_t bytes = size;
  for (int shift = 7; shift < 63 && all >> shift != 0; shift += 7) {
    const int64_t least = int64_t{1} << shift;
    uint64_t longer = 0;
    for (size_t i = 0; i < size; ++i) longer += values[i] >= least;
    bytes += longer;
  }
  if (all >> 63 == 0) return bytes;
  uint64_t negative = 0;
  for (size_t i = 0; i < size; ++i) negative += values[i] < 0;
  return bytes + 9 * negative;
}

void VarintBytesOfRows(const int64_t* values, const int32_t* offsets,
                       size_t num_rows, uint32_t* sizes) {
  for (size_t row = 0; row < num_rows; ++row) {
    const auto begin = static_cast<size_t>(offsets[row]);
    const auto end = static_cast<size_t>(offsets[row + 1]);
    sizes[row] =
        static_cast<uint32_t>(VarintBytes(values + begin, end - begin));
  }
}

inline void AddLargeSquares(const int64_t* values, size_t size,
                            NumberSums<int64_t>* sums) {
  Uint128 low = 0;
  Uint128 high = 0;
  for (size_t i = 0; i < size; ++i) {
    const auto bits = static_cast<uint64_t>(values[i]);
    const uint64_t magnitude = values[i] < 0 ? 0 - bits : bits;
    const Uint128 square = Uint128(magnitude) * magnitude;
    low += absl::Uint128Low64(square);
    high += absl::Uint128High64(square);
  }
  sums->squares.Add(static_cast<Int128>(low));
  sums->squares.Add(static_cast<Int128>(high), 64);
}

// Adds the squares of values that fit 32 bits, so that the squares are below
// 2^63.
HWY_INLINE void AddSmallSquares(const int64_t* HWY_RESTRICT values, size_t size,
                                NumberSums<int64_t>* sums) {
#if HWY_TARGET == HWY_SCALAR
  AddLargeSquares(values, size, sums);
#else
  const hn::ScalableTag<int64_t> d;
  const hn::Repartition<int32_t, decltype(d)> d32;
  const auto low_bits = hn::Set(d, 0xFFFFFFFF);
  auto low = hn::Zero(d);
  auto high = hn::Zero(d);
  for (size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto v = hn::BitCast(d32, hn::LoadU(d, values + i));
    const auto square = hn::MulEven(v, v);
    low = hn::Add(low, hn::And(square, low_bits));
    high = hn::Add(high, hn::ShiftRight<32>(square));
  }
  sums->squares.Add(SumOf(low));
  sums->squares.Add(SumOf(high), 32);
#endif
}

// `size` must be a multiple of the lanes of int64.
HWY_INLINE bool AddBlock(const int64_t* HWY_RESTRICT values, size_t size,
                         NumberSums<int64_t>* sums) {
  const hn::ScalableTag<int64_t> d;
  const auto low_bits = hn::Set(d, 0xFFFFFFFF);
  const auto zero = hn::Zero(d);
  auto min = hn::Set(d, std::numeric_limits<int64_t>::max());
  auto max = hn::Set(d, std::numeric_limits<int64_t>::min());
  auto zeros = zero;
  auto low = zero;
  auto high = zero;
  for (size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, values + i);
    min = hn::Min(min, v);
    max = hn::Max(max, v);
    zeros = CountWhere(d, zeros, hn::Eq(v, zero));
    low = hn::Add(low, hn::And(v, low_bits));
    high = hn::Add(high, hn::ShiftRight<32>(v));
  }
  const int64_t least = hn::GetLane(hn::MinOfLanes(d, min));
  const int64_t greatest = hn::GetLane(hn::MaxOfLanes(d, max));
  sums->count += size;
  sums->zeros += static_cast<uint64_t>(SumOf(zeros));
  sums->min = std::min(sums->min, least);
  sums->max = std::max(sums->max, greatest);
  sums->sum.Add(SumOf(low));
  sums->sum.Add(SumOf(high), 32);
  if (least >= std::numeric_limits<int32_t>::min() &&
      greatest <= std::numeric_limits<int32_t>::max()) {
    AddSmallSquares(values, size, sums);
  } else {
    AddLargeSquares(values, size, sums);
  }
  return true;
}

template <class T>
HWY_INLINE void AddAll(const T* values, size_t size, NumberSums<T>* sums) {
  const size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  size_t next = 0;
  while (size - next >= lanes) {
    const size_t block = std::min(size - next, kBlock) / lanes * lanes;
    if (!AddBlock(values + next, block, sums)) {
      for (size_t i = next; i < next + block; ++i) AddNumber(values[i], sums);
    }
    next += block;
  }
  for (; next < size; ++next) AddNumber(values[next], sums);
}

void AddFloats(const float* values, size_t size, NumberSums<float>* sums) {
  AddAll(values, size, sums);
}
void AddInt64s(const int64_t* values, size_t size, NumberSums<int64_t>* sums) {
  AddAll(values, size, sums);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::stats
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::stats {
namespace {

HWY_EXPORT(AddFloats);
HWY_EXPORT(AddInt64s);
HWY_EXPORT(VarintBytesOfRows);

}  // namespace

void AddNumbers(std::span<const float> values, NumberSums<float>* sums) {
  HWY_DYNAMIC_DISPATCH(AddFloats)(values.data(), values.size(), sums);
}
void AddNumbers(std::span<const int64_t> values, NumberSums<int64_t>* sums) {
  HWY_DYNAMIC_DISPATCH(AddInt64s)(values.data(), values.size(), sums);
}

void CountVarintBytes(const int64_t* values, const int32_t* offsets,
                      std::span<uint32_t> sizes) {
  HWY_DYNAMIC_DISPATCH(VarintBytesOfRows)
  (values, offsets, sizes.size(), sizes.data());
}

}  // namespace headrace::stats
#endif  // HWY_ONCE
