#include "src/base/convert.h"

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

uint16_t ToBfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) {
    // The quiet bit keeps the value a NaN even if all bits of its payload are
    // dropped.
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  }
  return static_cast<uint16_t>(RoundBits(bits, 16));
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

bool FitsHalf(float value, DType to) {
  if (!std::isfinite(value)) return true;
  const uint16_t half =
      to == DType::kFloat16 ? ToFloat16(value) : ToBfloat16(value);
  const uint16_t infinity = to == DType::kFloat16 ? 0x7C00 : 0x7F80;
  return (half & 0x7FFF) != infinity;
}

template <class T>
bool FitsInt(int64_t value) {
  if constexpr (std::is_same_v<T, uint64_t>) return value >= 0;
  if constexpr (std::is_same_v<T, bool>) return true;
  return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
         static_cast<uint64_t>(value < 0 ? 0 : value) <=
             static_cast<uint64_t>(std::numeric_limits<T>::max());
}

template <class T>
size_t FindUnfitInt(const int64_t* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!FitsInt<T>(values[i])) return i;
  }
  return count;
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
    const auto* const floats = static_cast<const float*>(values);
    for (size_t i = 0; i < count; ++i) {
      if (!FitsHalf(floats[i], to)) return i;
    }
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
  for (size_t i = 0; i < count; ++i) {
    halves[i] =
        to == DType::kFloat16 ? ToFloat16(floats[i]) : ToBfloat16(floats[i]);
  }
}

void NormalizeBools(uint8_t* bools, size_t count) {
  for (size_t i = 0; i < count; ++i) bools[i] = bools[i] != 0;
}

}  // namespace headrace
