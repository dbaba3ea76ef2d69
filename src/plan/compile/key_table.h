// KeyTable finds the slot of a key from its bytes.
//
// It is immutable after Build and shared by threads.

#ifndef HEADRACE_SRC_PLAN_COMPILE_KEY_TABLE_H_
#define HEADRACE_SRC_PLAN_COMPILE_KEY_TABLE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::plan {

inline constexpr uint32_t kNoSlot = ~uint32_t{0};

// The number of readable bytes that must follow a key that is looked up.
inline constexpr size_t kKeySlack = 16;

// Every bit of both numbers affects all bits of the result.
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

// The mask of a key begins at byte 16 - size: first ones, then zeros. Hidden
// visibility lets code address it without the global offset table.
[[gnu::visibility("hidden")]] alignas(
    16) inline constexpr uint8_t kKeyMask[32] = {
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};

// Hashes a key. Most keys have up to 16 bytes, and are hashed without a branch
// on their length: bytes after the key are masked out.
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
  return FoldedProduct(low ^ seed, (high + size) ^ 0xE7037ED1A0B428DBu);
}

// Returns the last eight bytes of a key, or all of a shorter one, as a number.
inline uint64_t LastBytes(const uint8_t* key, size_t size) {
  const size_t begin = size > 8 ? size - 8 : 0;
  uint64_t bytes, mask;
  std::memcpy(&bytes, key + begin, sizeof(bytes));
  std::memcpy(&mask, kKeyMask + 16 - (size - begin), sizeof(mask));
  return bytes & mask;
}

// KeyProbe guesses the slot of a key from one place of its KeyTable, into which
// it points. It is a plain value that a loop can keep in registers.
//
// Where the last bytes of all keys differ, as they usually do, they determine
// the place, which takes half the instructions of a hash.
class KeyProbe {
 public:
  // Small, as every look-up reads one; slots whose numbers do not fit are not
  // found.
  using Place = uint16_t;
  static constexpr Place kEmpty = 0xFFFF;

  // The table has `mask` + 1 places, a power of two. If `factor` is 0, hashes
  // determine the places.
  KeyProbe(const Place* places, size_t mask, uint64_t seed, uint64_t factor)
      : places_(places),
        mask_(mask),
        seed_(seed),
        factor_(factor),
        shift_(64 - std::popcount(mask)) {}

  // Guesses. For a key of the plan, returns some slot, usually that of the key;
  // for any other key, kEmpty or any slot. The key must have kKeySlack readable
  // bytes after it.
  uint32_t FindLikely(const uint8_t* key, size_t size) const {
    return goes_by_last_bytes() ? FindByLastBytes(LastBytes(key, size))
                                : FindByHash(key, size);
  }
  bool goes_by_last_bytes() const { return factor_ != 0; }
  uint32_t FindByLastBytes(uint64_t bytes) const {
    return places_[IndexOf(bytes)];
  }
  uint32_t FindByHash(const uint8_t* key, size_t size) const {
    return places_[static_cast<size_t>(HashKey(key, size, seed_)) & mask_];
  }
  size_t IndexOf(uint64_t bytes) const {
    return static_cast<size_t>(bytes * factor_ >> shift_);
  }
  uint64_t seed() const { return seed_; }
  size_t mask() const { return mask_; }

 private:
  const Place* places_;
  size_t mask_;
  uint64_t seed_;
  uint64_t factor_;
  int shift_;
};

class KeyTable {
 public:
  KeyTable() = default;
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;

  // Returns the i-th seed to try. Seeds that differ in only a few bits might
  // order the hashes alike.
  static constexpr uint64_t Seed(uint64_t i) {
    return 0x9E3779B97F4A7C15u ^ i * 0xD6E8FEB86659FD93u;
  }

  struct Key {
    std::string_view key;
    uint32_t slot;
  };

  // Builds the table for at most 2^28 different keys. A plan may be found from
  // untrusted data, so the keys may be made to collide.
  void Build(std::span<const Key> keys);

  // Returns the slot of a key, or kNoSlot, after comparing the whole key. The
  // key must have kKeySlack readable bytes after it.
  uint32_t Find(const uint8_t* key, size_t size) const {
    const uint64_t hash = HashKey(key, size, probe_.seed());
    size_t i = static_cast<size_t>(hash);
    for (;; ++i) {
      const Entry& entry = table_[i &= probe_.mask()];
      if (entry.slot == kNoSlot) return kNoSlot;
      if (entry.check == static_cast<uint32_t>(hash >> 32) &&
          entry.size == size &&
          std::memcmp(names_.data() + entry.begin, key, size) == 0) {
        return entry.slot;
      }
    }
  }
  // Looks keys up without comparing them.
  const KeyProbe& probe() const { return probe_; }

  // The maximum number of entries that a look-up of a key of the table passes.
  size_t longest_probe() const { return longest_probe_; }

 private:
  struct Entry {
    uint32_t slot = kNoSlot;
    uint32_t check = 0;  // upper half of the hash
    size_t begin = 0;    // in names_
    size_t size = 0;
  };

  // Fills the table. Returns false if the look-up of a key would pass more than
  // `most_probes` entries; otherwise sets longest_probe_.
  bool Fill(std::span<const Key> keys, uint64_t seed, size_t most_probes);
  // Makes probe_ use last bytes if it then finds at least as many keys as by
  // hash.
  void TryLastBytes(std::span<const Key> keys);
  // Fills places_ by last bytes. Returns how many keys share the place of an
  // earlier key; stops when there are more than `most`.
  size_t FillByLastBytes(std::span<const uint64_t> words,
                         std::span<const Key> keys, const KeyProbe& probe,
                         size_t most);

  std::string names_;
  std::vector<Entry> table_{1};                            // never empty
  std::vector<KeyProbe::Place> places_{KeyProbe::kEmpty};  // for table_
  KeyProbe probe_{places_.data(), 0, Seed(0), 0};
  size_t longest_probe_ = 0;
};

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_KEY_TABLE_H_
