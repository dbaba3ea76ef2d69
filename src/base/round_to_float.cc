// RoundToFloat of cast.h, a kernel: with AVX-512 the loop is of vectors.

#include <cstddef>
#include <cstdint>

#include "src/base/cast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/base/round_to_float.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Included explicitly, because foreach_target.h would include it only later.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

// Compilers vectorise the plain loop.
void Round(const int64_t* HWY_RESTRICT values, size_t count,
           float* HWY_RESTRICT out) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<float>(values[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {

HWY_EXPORT(Round);

}  // namespace

void RoundToFloat(const int64_t* values, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(Round)(values, count, out);
}

}  // namespace headrace
#endif  // HWY_ONCE
