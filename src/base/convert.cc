#include "src/base/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace headrace {
namespace {

// Drops the lower `bits` bits; rounds to nearest, ties to even.
uint32_t RoundBits(uint32_t value, int bits) {
  const uint32_t half = (1u << (bits - 1)) - 1;
  return (value + half + (value >> bits & 1)) >> bits;
}

// Without a branch, so that compilers make vectors of it.
uint16_t ToBfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = RoundBits(bits, 16);
  // The quiet bit keeps the value a NaN even if all bits of its payload are
  // dropped.
  const uint32_t quiet = bits >> 16 | 0x40;
  return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? quiet
                                                                : rounded);
}

uint16_t ToFloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  constexpr uint32_t kInfinity = 0x7F800000;
  constexpr uint32_t kSmallestNormal = 0x38800000;  // 2^-14
  if (magnitude > kInfinity) {
    return static_cast<uint16_t>(sign | 0x7E00 | (magnitude >> 13 & 0x1FF));
  }
  constexpr uint32_t kTooLarge = 0x47800000;  // 2^16
  if (magnitude >= kTooLarge) return static_cast<uint16_t>(sign | 0x7C00);
  if (magnitude >= kSmallestNormal) {
    // Exponents are biased by 127 in a float and by 15 in a float16.
    const uint32_t rebiased = magnitude - (uint32_t{127 - 15} << 23);
    return static_cast<uint16_t>(sign | RoundBits(rebiased, 13));
  }
  // A subnormal is a multiple of 2^-24. The product is exact, so only nearbyint
  // rounds.
  const float scaled =
      std::nearbyint(std::bit_cast<float>(magnitude) * 16777216.0f);
  return static_cast<uint16_t>(sign | static_cast<uint16_t>(scaled));
}

// Returns the index of the first value for which is_unfit(value) is not 0. Most
// values fit, so it looks at a block of them without a branch.
template <class T, class IsUnfit>
size_t FindFirst(const T* values, size_t count, const IsUnfit& is_unfit) {
  constexpr size_t kBlock = 64;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t end = std::min(begin + kBlock, count);
    decltype(is_unfit(T())) any = 0;
    for (size_t i = begin; i < end; ++i) any |= is_unfit(values[i]);
    if (any == 0) continue;
    while (is_unfit(values[begin]) == 0) ++begin;
    return begin;
  }
  return count;
}

// A finite float becomes infinite from this magnitude on: half a step above the
// largest number of the narrower type.
int32_t LeastInfinite(DType to) {
  return to == DType::kFloat16 ? 0x477FF000 : 0x7F7F8000;
}

template <class T>
size_t FindUnfitInt(const int64_t* values, size_t count) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int64_t>) {
    return count;
  }
  constexpr int kBits = std::numeric_limits<T>::digits + std::is_signed_v<T>;
  // Adding half the range of a signed type leaves no bit above its own.
  constexpr uint64_t kBias =
      std::is_signed_v<T> ? uint64_t{1} << (kBits - 1) : 0;
  constexpr int kShift = std::min(kBits, 63);
  return FindFirst(values, count, [](int64_t value) {
    return (static_cast<uint64_t>(value) + kBias) >> kShift;
  });
}

template <class T>
void ConvertInts(const int64_t* values, size_t count, void* out) {
  auto* const to = static_cast<T*>(out);
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<T>(values[i]);
}

void WidenFloats(const float* values, size_t count, void* out) {
  auto* const to = static_cast<double*>(out);
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<double>(values[i]);
}

// Calls `visit` with a value of the integer type of `to`.
template <class Visit>
auto WithInt(DType to, Visit&& visit) {
  switch (to) {
    case DType::kInt32:
      return visit(int32_t());
    case DType::kInt16:
      return visit(int16_t());
    case DType::kInt8:
      return visit(int8_t());
    case DType::kUint64:
      return visit(uint64_t());
    case DType::kUint32:
      return visit(uint32_t());
    case DType::kUint16:
      return visit(uint16_t());
    case DType::kUint8:
      return visit(uint8_t());
    case DType::kBool:
      return visit(bool());
    default:
      return visit(int64_t());
  }
}

}  // namespace

DType WireTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kBytes:
      return DType::kBytes;
    case DType::kFloat:
    case DType::kFloat16:
    case DType::kBfloat16:
    case DType::kFloat64:
      return DType::kFloat;
    default:
      return DType::kInt64;
  }
}

size_t FindUnfit(DType from, DType to, const void* values, size_t count) {
  if (from == to || count == 0) return count;
  if (from == DType::kInt64) {
    const auto* const ints = static_cast<const int64_t*>(values);
    return WithInt(to, [&](auto type) {
      return FindUnfitInt<decltype(type)>(ints, count);
    });
  }
  if (from == DType::kFloat && to != DType::kFloat64) {
    const int32_t least = LeastInfinite(to);
    return FindFirst(
        static_cast<const float*>(values), count, [least](float value) {
          const int32_t magnitude = std::bit_cast<int32_t>(value) & 0x7FFFFFFF;
          return static_cast<int32_t>(magnitude >= least) &
                 static_cast<int32_t>(magnitude < 0x7F800000);
        });
  }
  return count;
}

void Convert(DType from, DType to, const void* values, size_t count,
             void* out) {
  if (count == 0) return;
  if (from == DType::kInt64) {
    const auto* const ints = static_cast<const int64_t*>(values);
    WithInt(to,
            [&](auto type) { ConvertInts<decltype(type)>(ints, count, out); });
    return;
  }
  const auto* const floats = static_cast<const float*>(values);
  if (to == DType::kFloat64) return WidenFloats(floats, count, out);
  auto* const halves = static_cast<uint16_t*>(out);
  if (to == DType::kBfloat16) {
    for (size_t i = 0; i < count; ++i) halves[i] = ToBfloat16(floats[i]);
  } else {
    for (size_t i = 0; i < count; ++i) halves[i] = ToFloat16(floats[i]);
  }
}

void NormalizeBools(uint8_t* bools, size_t count) {
  for (size_t i = 0; i < count; ++i) bools[i] = bools[i] != 0;
}

}  // namespace headrace
