#include "src/plan/key_table.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace headrace::plan {
namespace {

// The table is this many times larger than the plan, so most lookups end at
// the first entry.
constexpr size_t kTableFactor = 8;
// Seeds tried for a table of so many keys: of a hundred keys one in some
// hundred seeds lets all lookups end there.
constexpr uint64_t SeedsFor(size_t keys) {
  return std::max<uint64_t>(4, 50000 / keys);
}

}  // namespace

uint64_t HashLongKey(const uint8_t* key, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(key, size, seed);
}

size_t KeyTable::Fill(std::span<const Key> keys, uint64_t seed) {
  std::fill(table_.begin(), table_.end(), Entry());
  seed_ = seed;
  size_t longest = 0, name = 0;
  for (const auto& [key, slot] : keys) {
    const auto* const bytes =
        reinterpret_cast<const uint8_t*>(names_.data()) + name;
    const uint64_t hash = HashKey(bytes, key.size(), seed);
    size_t i = static_cast<size_t>(hash) & mask_, probe = 1;
    for (; table_[i].slot != kNoSlot; i = (i + 1) & mask_) ++probe;
    table_[i] = {slot, static_cast<uint32_t>(hash >> 32)};
    keys_[i] = {name, key.size()};
    longest = std::max(longest, probe);
    name += key.size();
  }
  return longest;
}

void KeyTable::Build(std::span<const Key> keys) {
  if (keys.empty()) return;
  for (const Key& key : keys) names_ += key.key;
  names_.append(kKeySlack, '\0');
  const size_t size = std::bit_ceil(kTableFactor * keys.size());
  table_.resize(size);
  keys_.resize(size);
  mask_ = size - 1;
  // Always the same seeds: the same plan must behave the same everywhere.
  uint64_t best = 0;
  size_t best_probe = ~size_t{0};
  const uint64_t seeds = SeedsFor(keys.size());
  for (uint64_t seed = 0; seed < seeds && best_probe > 1; ++seed) {
    const size_t probe = Fill(keys, seed);
    if (probe < best_probe) {
      best = seed;
      best_probe = probe;
    }
  }
  Fill(keys, best);
}

}  // namespace headrace::plan
