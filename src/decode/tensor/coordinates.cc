#include "src/decode/tensor/coordinates.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/decode/tensor/coordinates.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Included explicitly, because foreach_target.h would include it only later.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::tensor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
void WriteRowCoordinates(const int32_t* offsets, size_t rows, int64_t* out) {
  for (size_t row = 0; row < rows; ++row) {
    for (int32_t i = 0; i < offsets[row + 1] - offsets[row]; ++i) {
      *out++ = static_cast<int64_t>(row);
      *out++ = i;
    }
  }
}
#else
// Stores whole vectors; the next ones overwrite their unused ends.
void WriteRowCoordinates(const int32_t* offsets, size_t rows, int64_t* out) {
  const hn::CappedTag<int64_t, kCoordinateSlack> d;
  alignas(64) static constexpr int64_t kPlaces[kCoordinateSlack] = {0, 0, 0, 1,
                                                                    0, 2, 0, 3};
  const auto places = hn::Load(d, kPlaces);
  const auto more = hn::OddEven(
      hn::Set(d, static_cast<int64_t>(hn::Lanes(d) / 2)), hn::Zero(d));
  for (size_t row = 0; row < rows; ++row) {
    const size_t size =
        2 * static_cast<size_t>(offsets[row + 1] - offsets[row]);
    auto pairs = hn::OddEven(places, hn::Set(d, static_cast<int64_t>(row)));
    for (size_t i = 0; i < size; i += hn::Lanes(d)) {
      hn::StoreU(pairs, d, out + i);
      pairs = hn::Add(pairs, more);
    }
    out += size;
  }
}
#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace headrace::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::tensor {
namespace {

HWY_EXPORT(WriteRowCoordinates);

}  // namespace

void WriteCoordinates(const int32_t* offsets, size_t rows, int64_t* out) {
  HWY_DYNAMIC_DISPATCH(WriteRowCoordinates)(offsets, rows, out);
}

// Steps have few values, so vectors would not help.
size_t WriteStepCoordinates(const int32_t* offsets, const int32_t* step_offsets,
                            size_t rows, int64_t* out) {
  int32_t longest = 0;
  for (size_t row = 0; row < rows; ++row) {
    const int32_t begin = offsets[row];
    for (int32_t step = begin; step < offsets[row + 1]; ++step) {
      const int32_t size = step_offsets[step + 1] - step_offsets[step];
      longest = std::max(longest, size);
      for (int32_t i = 0; i < size; ++i) {
        *out++ = static_cast<int64_t>(row);
        *out++ = step - begin;
        *out++ = i;
      }
    }
  }
  return static_cast<size_t>(longest);
}

}  // namespace headrace::tensor
#endif  // HWY_ONCE
