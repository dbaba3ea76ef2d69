#include "src/plan/function/cast.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "src/base/convert.h"
#include "src/plan/function/number_functions.h"

namespace headrace::function {
namespace {

constexpr size_t kBlockOfFloats = 256;

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

// Calls block(begin, floats, size) for blocks of the integers as floats, while
// it returns true.
template <class Block>
void InFloats(const int64_t* values, size_t count, const Block& block) {
  float floats[kBlockOfFloats];
  for (size_t begin = 0; begin < count; begin += kBlockOfFloats) {
    const size_t size = std::min(kBlockOfFloats, count - begin);
    RoundToFloat({values + begin, size}, floats);
    if (!block(begin, floats, size)) return;
  }
}

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
  size_t found = count;
  InFloats(values, count, [&](size_t begin, const float* floats, size_t size) {
    const size_t unfit = FindUnfit(DType::kFloat, to, floats, size);
    if (unfit < size) found = begin + unfit;
    return unfit == size;
  });
  return found;
}

void CastToHalves(DType to, const int64_t* values, size_t count,
                  uint16_t* out) {
  InFloats(values, count, [&](size_t begin, const float* floats, size_t size) {
    Convert(DType::kFloat, to, floats, size, out + begin);
    return true;
  });
}

void CastToDoubles(const int64_t* values, size_t count, double* out) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<double>(values[i]);
}

}  // namespace

bool CanCast(DType from, DType to) {
  if (to == DType::kBytes) return false;
  return from == DType::kInt64 ||
         (from == DType::kFloat && SignificandBits(to) > 0);
}

size_t FindUncastable(DType from, DType to, bool exact, const void* values,
                      size_t count) {
  assert(CanCast(from, to));
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

void Cast(DType from, DType to, const void* values, size_t count, void* out) {
  assert(CanCast(from, to));
  if (count == 0) return;
  if (from == to) {
    std::memcpy(out, values, count * DTypeSize(to));
    return;
  }
  const auto* const ints = static_cast<const int64_t*>(values);
  if (from == DType::kFloat || SignificandBits(to) == 0) {
    return Convert(from, to, values, count, out);
  }
  if (to == DType::kFloat) {
    return RoundToFloat({ints, count}, static_cast<float*>(out));
  }
  if (to == DType::kFloat64) {
    return CastToDoubles(ints, count, static_cast<double*>(out));
  }
  CastToHalves(to, ints, count, static_cast<uint16_t*>(out));
}

}  // namespace headrace::function
