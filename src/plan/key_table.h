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

// Of the bytes of a key, whatever they are.
uint64_t HashKey(const uint8_t* key, size_t size, uint64_t seed);

class KeyTable {
 public:
  struct Key {
    std::string_view key;
    uint32_t slot;
  };

  // At most 2^28 keys, all different.
  void Build(std::span<const Key> keys);

  // The slot of a key, or kNoSlot. The whole key is compared.
  uint32_t Find(const uint8_t* key, size_t size) const {
    if (table_.empty()) return kNoSlot;
    const uint64_t hash = HashKey(key, size, seed_);
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Entry& entry = table_[i];
      if (entry.slot == kNoSlot) return kNoSlot;
      if (entry.check == static_cast<uint32_t>(hash >> 32) &&
          entry.size == size &&
          std::memcmp(names_.data() + entry.name, key, size) == 0) {
        return entry.slot;
      }
    }
  }

 private:
  struct Entry {
    uint32_t slot = kNoSlot;
    uint32_t check = 0;  // upper half of the hash
    size_t name = 0;     // place of the key in names_
    size_t size = 0;
  };

  // The longest row of taken entries that a lookup may have to pass.
  size_t Fill(std::span<const Key> keys, uint64_t seed);

  std::string names_;
  std::vector<Entry> table_;
  uint64_t mask_ = 0;
  uint64_t seed_ = 0;
};

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_KEY_TABLE_H_
