#include "src/stats/sketch/block_sample.h"

#include "src/stats/sketch/sorting_network.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/stats/sketch/block_sample.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Included explicitly, because foreach_target.h would include it only later.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::stats {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Compares and exchanges the rows of each pair.
template <class D, class T>
HWY_INLINE void SortColumns(D d, size_t columns, T* HWY_RESTRICT values) {
  for (const RowPair& pair : kSortingNetwork) {
    T* const low = values + pair.low * columns;
    T* const high = values + pair.high * columns;
    const auto a = hn::LoadU(d, low);
    const auto b = hn::LoadU(d, high);
    hn::StoreU(hn::Min(a, b), d, low);
    hn::StoreU(hn::Max(a, b), d, high);
  }
}

// Row i of the result is row 2i, or row 2i + 1 if the column's coin is 1.
// Writing it overwrites only rows that have been read.
template <size_t kColumns, class T>
HWY_INLINE void HalveBlock(uint64_t coins, T* HWY_RESTRICT values) {
  const hn::CappedTag<T, kColumns> d;
  HWY_ALIGN T coin_of[kColumns];
  for (size_t i = 0; i < kColumns; ++i) coin_of[i] = T(coins >> i & 1);
  for (size_t column = 0; column < kColumns; column += hn::Lanes(d)) {
    SortColumns(d, kColumns, values + column);
    const auto takes_higher =
        hn::Ne(hn::LoadU(d, coin_of + column), hn::Zero(d));
    for (size_t row = 0; row < kRows / 2; ++row) {
      const T* const pair = values + 2 * row * kColumns + column;
      const auto lower = hn::LoadU(d, pair);
      const auto higher = hn::LoadU(d, pair + kColumns);
      hn::StoreU(hn::IfThenElse(takes_higher, higher, lower), d,
                 values + row * kColumns + column);
    }
  }
}

template <class T>
HWY_INLINE void Thin(size_t rounds, uint64_t random, T* HWY_RESTRICT values) {
  HalveBlock<16>(random, values);
  if (rounds > 1) HalveBlock<8>(random >> 16, values);
  if (rounds > 2) HalveBlock<4>(random >> 24, values);
  if (rounds > 3) HalveBlock<2>(random >> 28, values);
}

void ThinFloats(size_t rounds, uint64_t random, float* values) {
  Thin(rounds, random, values);
}
void ThinInt64s(size_t rounds, uint64_t random, int64_t* values) {
  Thin(rounds, random, values);
}
void ThinUint32s(size_t rounds, uint64_t random, uint32_t* values) {
  Thin(rounds, random, values);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::stats
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::stats {
namespace {

HWY_EXPORT(ThinFloats);
HWY_EXPORT(ThinInt64s);
HWY_EXPORT(ThinUint32s);

}  // namespace

void ThinBlock(size_t rounds, uint64_t random, float* values) {
  HWY_DYNAMIC_DISPATCH(ThinFloats)(rounds, random, values);
}
void ThinBlock(size_t rounds, uint64_t random, int64_t* values) {
  HWY_DYNAMIC_DISPATCH(ThinInt64s)(rounds, random, values);
}
void ThinBlock(size_t rounds, uint64_t random, uint32_t* values) {
  HWY_DYNAMIC_DISPATCH(ThinUint32s)(rounds, random, values);
}

}  // namespace headrace::stats
#endif  // HWY_ONCE
