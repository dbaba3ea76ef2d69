// Builds a KeyTable: tries seeds, and then a look-up by last bytes.

#include "src/plan/compile/key_table.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>

namespace headrace::plan {
namespace {

// Places of a table per key: enough for most look-ups to end at the first
// place.
constexpr size_t kTableFactor = 8;
// Places of the smallest table: enough for most look-ups to end at the first
// place even if a small plan lacks the key.
constexpr size_t kMinTable = 512;
// Seeds to try for this many keys. About one seed in a hundred puts a hundred
// keys in different places.
constexpr uint64_t SeedsFor(size_t keys) {
  return std::max<uint64_t>(4, 200000 / keys);
}

// The maximum number of entries that a look-up passes in tables this empty,
// unless the keys were made to collide. Keys can be made to collide for some
// seeds, but not for kMaxSeeds of them.
constexpr size_t kFarProbe = 32;
constexpr uint64_t kMaxSeeds = 64;

}  // namespace

uint64_t HashLongKey(const uint8_t* key, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(key, size, seed);
}

bool KeyTable::Fill(std::span<const Key> keys, uint64_t seed,
                    size_t most_probes) {
  std::fill(table_.begin(), table_.end(), Entry());
  std::fill(places_.begin(), places_.end(), KeyProbe::kEmpty);
  const size_t mask = table_.size() - 1;
  probe_ = {places_.data(), mask, seed, 0};
  longest_probe_ = 0;
  size_t name = 0;
  for (const auto& [key, slot] : keys) {
    const auto* const bytes =
        reinterpret_cast<const uint8_t*>(names_.data()) + name;
    const uint64_t hash = HashKey(bytes, key.size(), seed);
    size_t i = static_cast<size_t>(hash) & mask, probe = 1;
    for (; table_[i].slot != kNoSlot; i = (i + 1) & mask) {
      if (++probe > most_probes) return false;
    }
    table_[i] = {slot, static_cast<uint32_t>(hash >> 32), name, key.size()};
    places_[i] =
        static_cast<KeyProbe::Place>(slot < KeyProbe::kEmpty ? slot : 0);
    longest_probe_ = std::max(longest_probe_, probe);
    name += key.size();
  }
  return true;
}

void KeyTable::Build(std::span<const Key> keys) {
  if (keys.empty()) return;
  for (const Key& key : keys) names_ += key.key;
  names_.append(kKeySlack, '\0');
  const size_t size =
      std::bit_ceil(std::max(kTableFactor * keys.size(), kMinTable));
  table_.resize(size);
  places_.resize(size);
  // Seeds are not random: a plan must behave the same everywhere.
  uint64_t best = Seed(0);
  size_t most_probes = kFarProbe;
  bool is_near = false;
  const uint64_t seeds = SeedsFor(keys.size());
  for (uint64_t i = 0; i < (is_near ? seeds : kMaxSeeds) && most_probes > 0;
       ++i) {
    if (!Fill(keys, Seed(i), most_probes)) continue;
    best = Seed(i);
    most_probes = longest_probe_ - 1;
    is_near = true;
  }
  Fill(keys, best, keys.size());
  TryLastBytes(keys);
}

size_t KeyTable::FillByLastBytes(std::span<const uint64_t> words,
                                 std::span<const Key> keys,
                                 const KeyProbe& probe, size_t most) {
  std::fill(places_.begin(), places_.end(), KeyProbe::kEmpty);
  size_t displaced = 0;
  for (size_t i = 0; i < keys.size() && displaced <= most; ++i) {
    KeyProbe::Place& place = places_[probe.IndexOf(words[i])];
    displaced += place != KeyProbe::kEmpty;
    place = static_cast<KeyProbe::Place>(
        keys[i].slot < KeyProbe::kEmpty ? keys[i].slot : 0);
  }
  return displaced;
}

void KeyTable::TryLastBytes(std::span<const Key> keys) {
  std::vector<uint64_t> words;
  size_t name = 0, displaced = 0;
  for (const auto& [key, slot] : keys) {
    const auto* const bytes =
        reinterpret_cast<const uint8_t*>(names_.data()) + name;
    words.push_back(LastBytes(bytes, key.size()));
    displaced += probe_.FindByHash(bytes, key.size()) != slot;
    name += key.size();
  }
  const std::vector<KeyProbe::Place> by_hash = places_;
  const auto probe_of = [this](uint64_t i) {
    return KeyProbe(places_.data(), probe_.mask(), probe_.seed(), Seed(i) | 1);
  };
  bool is_found = false;
  uint64_t best = 0;
  const uint64_t seeds = SeedsFor(keys.size());
  for (uint64_t i = 0; i < seeds && (!is_found || displaced > 0); ++i) {
    const size_t most = is_found ? displaced - 1 : displaced;
    const size_t now = FillByLastBytes(words, keys, probe_of(i), most);
    if (now > most) continue;
    is_found = true;
    displaced = now;
    best = i;
  }
  if (!is_found) {
    places_ = by_hash;
    return;
  }
  probe_ = probe_of(best);
  FillByLastBytes(words, keys, probe_, keys.size());
}

}  // namespace headrace::plan
