#include "src/plan/function/number_functions.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/plan/function/number_functions.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Included explicitly, because foreach_target.h would include it only later.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::function {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Compilers vectorise the plain loops.

// Moves bits, because a move of a float may change a NaN.
void ClipFloatBits(const float* values, size_t count, float lo, float hi,
                   float* out) {
  const auto lo_bits = std::bit_cast<uint32_t>(lo);
  const auto hi_bits = std::bit_cast<uint32_t>(hi);
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, values + i, sizeof(bits));
    const float value = std::bit_cast<float>(bits);
    bits = value < lo ? lo_bits : value > hi ? hi_bits : bits;
    std::memcpy(out + i, &bits, sizeof(bits));
  }
}

void ClipInt64s(const int64_t* values, size_t count, int64_t lo, int64_t hi,
                int64_t* out) {
  for (size_t i = 0; i < count; ++i) {
    out[i] = values[i] < lo ? lo : values[i] > hi ? hi : values[i];
  }
}

void Scale(const float* values, size_t count, float mean, float std,
           float* out) {
  for (size_t i = 0; i < count; ++i) {
    const float difference = values[i] - mean;
    out[i] = difference / std;
  }
}

// ----------------------------------------------------------------- bucketize

// Up to this many boundaries, comparing with all of them is faster than a
// search.
constexpr size_t kFewBoundaries = 64;

// Stores the number of boundaries above each of Lanes(d) values.
template <class D>
HWY_INLINE void CountAbove(D d, const float* values, const float* boundaries,
                           size_t num_boundaries, int32_t* out) {
  const hn::RebindToSigned<D> di;
  const auto value = hn::LoadU(d, values);
  auto above = hn::Zero(di);
  for (size_t k = 0; k < num_boundaries; ++k) {
    const auto is_above = hn::Lt(value, hn::Set(d, boundaries[k]));
    // A true mask is -1.
    above = hn::Sub(above, hn::BitCast(di, hn::VecFromMask(d, is_above)));
  }
  hn::StoreU(above, di, out);
}

void CompareWithAll(const float* values, size_t count, const float* boundaries,
                    size_t num_boundaries, int64_t* out) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN int32_t above[hn::MaxLanes(d)];
  HWY_ALIGN float last[hn::MaxLanes(d)] = {};
  const auto all = static_cast<int64_t>(num_boundaries);
  for (size_t i = 0; i < count; i += lanes) {
    const float* from = values + i;
    const size_t used = HWY_MIN(lanes, count - i);
    if (used < lanes) {
      std::memcpy(last, from, used * sizeof(float));
      from = last;
    }
    CountAbove(d, from, boundaries, num_boundaries, above);
    for (size_t k = 0; k < used; ++k) out[i + k] = all - above[k];
  }
}

// Halves the boundaries without a branch that depends on the value.
int64_t CountNotAbove(float value, const float* boundaries, size_t size) {
  const float* at = boundaries;
  while (size > 1) {
    const size_t half = size / 2;
    at += value < at[half - 1] ? 0 : half;
    size -= half;
  }
  return at - boundaries + (value < *at ? 0 : 1);
}

void Bucketize(const float* values, size_t count, const float* boundaries,
               size_t num_boundaries, int64_t* out) {
  if (num_boundaries <= kFewBoundaries) {
    return CompareWithAll(values, count, boundaries, num_boundaries, out);
  }
  for (size_t i = 0; i < count; ++i) {
    out[i] = CountNotAbove(values[i], boundaries, num_boundaries);
  }
}

// --------------------------------------------------------------------- log1p

// log(m) is f - (f^2 / 2 - s * (f^2 / 2 + R)) for m = 1 + f, s = f / (2 + f)
// and R = z * kSeries(z), z = s^2: the series of log((1 + s) / (1 - s)),
// adjusted to m in [sqrt(1/2), sqrt(2)).
constexpr double kSeries[] = {
    0x1.5555555555593p-1, 0x1.999999997fa04p-2, 0x1.2492494229359p-2,
    0x1.c71c51d8e78afp-3, 0x1.7466496cb03dep-3, 0x1.39a09d078c69fp-3,
    0x1.2f112df3e5244p-3,
};
// The sum is log(2). An exponent times the first is exact.
constexpr double kLog2High = 0x1.62e42feep-1;
constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

// The error is less than the last bit of a float64. All floats were tried:
// their results are the same with and without fused multiplication, and those
// near the middle of two floats are those of the C library's log1p.
template <class D>
HWY_INLINE hn::Vec<D> Log1p(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  // 1 + x is exact, or the rest is too small to count, but for the least x.
  const auto sum = hn::BitCast(du, hn::Add(x, hn::Set(d, 1.0)));
  // 1 + x = 2^k * m. The bits of sqrt(1/2) are subtracted so that m begins
  // there, and 1024 is added to k so that it is positive.
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  constexpr uint64_t kBias = 1024;
  const auto biased = hn::ShiftRight<52>(
      hn::Add(sum, hn::Set(du, (kBias << 52) - kRootOfHalf)));
  const auto m = hn::BitCast(
      d, hn::Sub(sum,
                 hn::Sub(hn::ShiftLeft<52>(biased), hn::Set(du, kBias << 52))));
  // Bits of a number below 2^52 become a float64 with the exponent of 2^52.
  const auto k = hn::Sub(
      hn::BitCast(d, hn::Or(biased, hn::Set(du, uint64_t{0x433} << 52))),
      hn::Set(d, 0x1p52 + static_cast<double>(kBias)));
  const auto is_small = hn::Lt(hn::Abs(x), hn::Set(d, 0x1p-12));
  const auto f = hn::IfThenElse(is_small, x, hn::Sub(m, hn::Set(d, 1.0)));

  const auto s = hn::Div(f, hn::Add(hn::Set(d, 2.0), f));
  const auto z = hn::Mul(s, s);
  auto series = hn::Set(d, kSeries[6]);
  for (size_t i = 6; i > 0; --i) {
    series = hn::MulAdd(series, z, hn::Set(d, kSeries[i - 1]));
  }
  const auto r = hn::Mul(z, series);
  const auto half = hn::Mul(hn::Mul(f, f), hn::Set(d, 0.5));
  const auto low =
      hn::MulAdd(s, hn::Add(half, r), hn::Mul(k, hn::Set(d, kLog2Low)));
  return hn::Sub(hn::Mul(k, hn::Set(d, kLog2High)),
                 hn::Sub(hn::Sub(half, low), f));
}

template <class D>
HWY_INLINE void StoreLog1p(D d, const float* values, float* out) {
  const hn::Rebind<double, D> dd;
  const auto x = hn::LoadU(d, values);
  auto result = hn::DemoteTo(d, Log1p(dd, hn::PromoteTo(dd, x)));
  const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto minus_one = hn::Set(d, -1.0f);
  result = hn::IfThenElse(hn::Eq(x, minus_one), hn::Neg(infinity), result);
  result =
      hn::IfThenElse(hn::Lt(x, minus_one),
                     hn::Set(d, std::bit_cast<float>(0x7fc00000u)), result);
  const auto keeps =
      hn::Or(hn::Eq(x, infinity), hn::Or(hn::Eq(x, hn::Zero(d)), hn::IsNaN(x)));
  hn::StoreU(hn::IfThenElse(keeps, x, result), d, out);
}

void Log1pOfFloats(const float* values, size_t count, float* out) {
  const hn::Half<hn::ScalableTag<float>> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; count - i >= lanes; i += lanes) StoreLog1p(d, values + i, out + i);
  if (i == count) return;
  HWY_ALIGN float last[hn::MaxLanes(d)] = {};
  std::memcpy(last, values + i, (count - i) * sizeof(float));
  StoreLog1p(d, last, last);
  std::memcpy(out + i, last, (count - i) * sizeof(float));
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::function
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::function {
namespace {

HWY_EXPORT(ClipFloatBits);
HWY_EXPORT(ClipInt64s);
HWY_EXPORT(Scale);
HWY_EXPORT(Bucketize);
HWY_EXPORT(Log1pOfFloats);

}  // namespace

void BucketizeFloats(std::span<const float> values,
                     std::span<const float> boundaries, int64_t* out) {
  HWY_DYNAMIC_DISPATCH(Bucketize)
  (values.data(), values.size(), boundaries.data(), boundaries.size(), out);
}

void ClipFloats(std::span<const float> values, float lo, float hi, float* out) {
  HWY_DYNAMIC_DISPATCH(ClipFloatBits)
  (values.data(), values.size(), lo, hi, out);
}

void ClipInts(std::span<const int64_t> values, int64_t lo, int64_t hi,
              int64_t* out) {
  HWY_DYNAMIC_DISPATCH(ClipInt64s)(values.data(), values.size(), lo, hi, out);
}

void Log1pFloats(std::span<const float> values, float* out) {
  HWY_DYNAMIC_DISPATCH(Log1pOfFloats)(values.data(), values.size(), out);
}

void ScaleFloats(std::span<const float> values, float mean, float std,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(Scale)(values.data(), values.size(), mean, std, out);
}

}  // namespace headrace::function
#endif  // HWY_ONCE
