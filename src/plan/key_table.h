// KeyTable: from the bytes of a key to its number.
//
// Immutable after Build; shared by threads.

#ifndef HEADRACE_SRC_PLAN_KEY_TABLE_H_
#define HEADRACE_SRC_PLAN_KEY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::plan {

inline constexpr uint32_t kNoSlot = ~uint32_t{0};

// Readable bytes after a key that is looked up.
inline constexpr size_t kKeySlack = 16;

// Both halves of the product of two numbers, folded: every bit of either
// reaches all.
inline uint64_t FoldedProduct(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
#else
  const uint64_t a_low = static_cast<uint32_t>(a), a_high = a >> 32;
  const uint64_t b_low = static_cast<uint32_t>(b), b_high = b >> 32;
  const uint64_t low = a_low * b_low;
  const uint64_t crossed = a_high * b_low + (low >> 32);
  const uint64_t other = a_low * b_high + static_cast<uint32_t>(crossed);
  const uint64_t high = a_high * b_high + (crossed >> 32) + (other >> 32);
  return (other << 32 | static_cast<uint32_t>(low)) ^ high;
#endif
}

// Bytes 16 - size .. of this are ones for a key, then zeros.
// Hidden, so that it is addressed without a table.
[[gnu::visibility("hidden")]] alignas(
    16) inline constexpr uint8_t kKeyMask[32] = {
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};

// Keys of up to 16 bytes, the common ones, are hashed without a branch on their
// length: bytes behind the key are masked out.
uint64_t HashLongKey(const uint8_t* key, size_t size, uint64_t seed);
inline uint64_t HashKey(const uint8_t* key, size_t size, uint64_t seed) {
  if (size > 16) return HashLongKey(key, size, seed);
  const auto word = [](const uint8_t* p) {
    uint64_t bytes;
    std::memcpy(&bytes, p, sizeof(bytes));
    return bytes;
  };
  const uint8_t* const mask = kKeyMask + 16 - size;
  const uint64_t low = word(key) & word(mask);
  const uint64_t high = word(key + 8) & word(mask + 8);
  return FoldedProduct(low ^ seed ^ 0x9E3779B97F4A7C15u,
                       high ^ (uint64_t{size} << 56) ^ 0xE7037ED1A0B428DBu);
}

class KeyTable {
 public:
  // The seeds that are tried, one after another. Seeds that differ in a few
  // bits could leave the order of hashes as it is.
  static constexpr uint64_t Seed(uint64_t i) { return i * 0xD6E8FEB86659FD93u; }

  struct Key {
    std::string_view key;
    uint32_t slot;
  };

  // At most 2^28 keys, all different. They may have been chosen by somebody who
  // knows this file: a plan can be found from data.
  void Build(std::span<const Key> keys);

  // The slot of a key, or kNoSlot. The whole key is compared. There are
  // kKeySlack readable bytes after it.
  uint32_t Find(const uint8_t* key, size_t size) const {
    return Probe(key, size, [&](size_t i) {
      return keys_[i].size == size &&
             std::memcmp(names_.data() + keys_[i].begin, key, size) == 0;
    });
  }
  // The slot of a key that has one, and any slot or kNoSlot of another.
  uint32_t FindLikely(const uint8_t* key, size_t size) const {
    return Probe(key, size, [](size_t) { return true; });
  }

  // The most entries that a lookup of a key of the table passes.
  size_t longest_probe() const { return longest_probe_; }

 private:
  // What every look-up reads is small; the keys stand apart.
  struct Entry {
    uint32_t slot = kNoSlot;
    uint32_t check = 0;  // upper half of the hash
  };
  struct Name {
    size_t begin = 0;  // in names_
    size_t size = 0;
  };

  // `accept` looks further at the entry of an index whose check fits.
  template <class Accept>
  uint32_t Probe(const uint8_t* key, size_t size, Accept&& accept) const {
    if (table_.empty()) return kNoSlot;
    const uint64_t hash = HashKey(key, size, seed_);
    for (size_t i = static_cast<size_t>(hash) & mask_;; i = (i + 1) & mask_) {
      const Entry& entry = table_[i];
      if (entry.slot == kNoSlot) return kNoSlot;
      if (entry.check == static_cast<uint32_t>(hash >> 32) && accept(i)) {
        return entry.slot;
      }
    }
  }

  // Whether all keys have places such that a lookup passes at most
  // `most_probes` entries; sets longest_probe_.
  bool Fill(std::span<const Key> keys, uint64_t seed, size_t most_probes);

  std::string names_;
  std::vector<Entry> table_;
  std::vector<Name> keys_;  // as table_
  size_t mask_ = 0;
  uint64_t seed_ = 0;
  size_t longest_probe_ = 0;
};

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_KEY_TABLE_H_
