// Keys, random numbers and shuffles for orders. docs/formats/order.md specifies
// them: any change would change orders that programs are in the middle of
// reading.

#ifndef HEADRACE_SRC_READ_ORDER_RANDOM_H_
#define HEADRACE_SRC_READ_ORDER_RANDOM_H_

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/split_mix.h"

namespace headrace::order {

// The use of a key. It is a part of the key, so that no two permutations of an
// order have the same key.
enum class Purpose : uint64_t { kRows = 0, kBlocks = 1, kWindow = 2 };

// Returns the key of one permutation. `number` is the number of the window for
// kWindow, otherwise 0.
inline uint64_t MakeKey(uint64_t seed, uint64_t epoch, Purpose purpose,
                        uint64_t number) {
  uint8_t bytes[32];
  StoreLittle64(bytes, seed);
  StoreLittle64(bytes + 8, epoch);
  StoreLittle64(bytes + 16, static_cast<uint64_t>(purpose));
  StoreLittle64(bytes + 24, number);
  return XXH3_64bits(bytes, sizeof(bytes));
}

// Returns number i, counted from 0, of the SplitMix64 generator with seed
// `key`.
inline uint64_t Draw(uint64_t key, uint64_t i) {
  return MixBits(key + (i + 1) * kSplitMixStep);
}

// Permutations of fewer values than this are shuffled tables, because a Feistel
// network of that size would be biased.
inline constexpr uint64_t kTableSize = uint64_t{1} << 16;

// Shuffles fewer than kTableSize values (Fisher-Yates).
template <class T>
void Shuffle(uint64_t key, std::span<T> values) {
  for (size_t i = values.size(); i-- > 1;) {
    // 48 bits times the 16 bits of i + 1 fit 64 bits.
    const uint64_t scaled = (Draw(key, i) >> 16) * (i + 1);
    std::swap(values[i], values[static_cast<size_t>(scaled >> 48)]);
  }
}

}  // namespace headrace::order

#endif  // HEADRACE_SRC_READ_ORDER_RANDOM_H_
