#include "src/base/cast.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <limits>

#include "src/base/convert.h"

namespace headrace {
namespace {

// Integers become 16-bit floats by way of floats, as many at a time.
constexpr size_t kRoundedInts = 256;

// Bits of a float's significand, with the first one; 0 for other types.
int SignificandBits(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return 53;
    case DType::kFloat:
      return 24;
    case DType::kFloat16:
      return 11;
    case DType::kBfloat16:
      return 8;
    default:
      return 0;
  }
}

bool IsHalf(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBfloat16;
}

void RoundToDouble(const int64_t* values, size_t count, double* out) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<double>(values[i]);
}

// Returns the first integer with more significant bits.
size_t FindRounded(const int64_t* values, size_t count, int significand) {
  for (size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint64_t>(values[i]);
    const uint64_t magnitude = values[i] < 0 ? 0 - bits : bits;
    const int used = static_cast<int>(std::bit_width(magnitude)) -
                     std::countr_zero(magnitude);
    if (used > significand) return i;
  }
  return count;
}

size_t FindInfinite(DType to, const int64_t* values, size_t count) {
  float floats[kRoundedInts];
  for (size_t begin = 0; begin < count; begin += kRoundedInts) {
    const size_t size = std::min(kRoundedInts, count - begin);
    RoundToFloat(values + begin, size, floats);
    const size_t unfit = FindUnfit(DType::kFloat, to, floats, size);
    if (unfit < size) return begin + unfit;
  }
  return count;
}

}  // namespace

bool CanCast(DType from, DType to) {
  if (to == DType::kBytes) return false;
  return from == DType::kInt64 ||
         (from == DType::kFloat && SignificandBits(to) > 0);
}

bool CastsAll(DType from, DType to, bool exact) {
  if (from == to || to == DType::kBool) return true;
  // The largest integer is far below the largest bfloat16.
  if (from == DType::kInt64) {
    return SignificandBits(to) > 0 && !exact && to != DType::kFloat16;
  }
  return !IsHalf(to);
}

size_t FindUncastable(DType from, DType to, bool exact, const void* values,
                      size_t count) {
  assert(CanCast(from, to));
  if (CastsAll(from, to, exact)) return count;
  const int significand = SignificandBits(to);
  if (from == DType::kFloat || significand == 0) {
    return FindUnfit(from, to, values, count);
  }
  const auto* const ints = static_cast<const int64_t*>(values);
  size_t found = count;
  if (to == DType::kFloat16) found = FindInfinite(to, ints, found);
  if (exact) found = FindRounded(ints, found, significand);
  return found;
}

std::optional<CastRange> RangeOf(DType from, DType to, bool exact) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const bool is_float = SignificandBits(to) > 0;
  if (from == DType::kFloat) {
    // Half a step above the largest number of the type.
    const float limit = to == DType::kFloat16    ? 65520.0f
                        : to == DType::kBfloat16 ? 0x1.ffp+127f
                                                 : INFINITY;
    return CastRange{.is_of_floats = true, .limit = limit};
  }
  if (is_float && exact) return std::nullopt;
  if (to == DType::kFloat16) return CastRange{.least = -65519, .most = 65519};
  if (is_float || to == DType::kBool || to == DType::kInt64) {
    return CastRange{.least = -kMax - 1, .most = kMax};
  }
  const int bits = static_cast<int>(8 * DTypeSize(to));
  const bool is_signed =
      to == DType::kInt32 || to == DType::kInt16 || to == DType::kInt8;
  if (!is_signed) {
    return CastRange{.most = bits == 64 ? kMax : (int64_t{1} << bits) - 1};
  }
  const int64_t half = int64_t{1} << (bits - 1);
  return CastRange{.least = -half, .most = half - 1};
}

void Cast(DType from, DType to, const void* values, size_t count, void* out) {
  assert(CanCast(from, to));
  if (count == 0) return;
  if (from == to) {
    std::memcpy(out, values, count * DTypeSize(to));
    return;
  }
  if (from == DType::kFloat || SignificandBits(to) == 0) {
    return Convert(from, to, values, count, out);
  }
  const auto* const ints = static_cast<const int64_t*>(values);
  if (to == DType::kFloat) {
    return RoundToFloat(ints, count, static_cast<float*>(out));
  }
  if (to == DType::kFloat64) {
    return RoundToDouble(ints, count, static_cast<double*>(out));
  }
  auto* const halves = static_cast<uint16_t*>(out);
  float floats[kRoundedInts];
  for (size_t begin = 0; begin < count; begin += kRoundedInts) {
    const size_t size = std::min(kRoundedInts, count - begin);
    RoundToFloat(ints + begin, size, floats);
    Convert(DType::kFloat, to, floats, size, halves + begin);
  }
}

}  // namespace headrace
