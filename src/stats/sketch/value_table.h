// ValueTable counts how often values of bytes occur. The counts are exact while
// there are few distinct values; after that only frequent values are counted,
// approximately.
//
// A table over its capacity is purged (Misra and Gries, 1982): the median is
// subtracted from all counts, and values without a count are forgotten. So a
// count is too low by at most the sum subtracted so far. From then on, only one
// of `rate_` new values is added, which keeps the table cheap if all values are
// distinct. A value that occurs more than 5 * rate_ times is missed with less
// than 1 % probability.
//
// A purge happens if and only if the distinct values of all merged tables
// exceed the capacity, so whether a table is exact does not depend on the order
// of values.

#ifndef HEADRACE_SRC_STATS_SKETCH_VALUE_TABLE_H_
#define HEADRACE_SRC_STATS_SKETCH_VALUE_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_summary.h"
#include "src/stats/sketch/random_state.h"

namespace headrace::stats {

class ValueTable {
 public:
  // A value and its count. Of a long value only the first kTopBytes are kept;
  // its size and hash distinguish it from others that begin alike.
  struct Entry {
    uint64_t hash;
    uint64_t count;
    uint32_t size;
    uint32_t begin;  // in the text
  };

  static constexpr size_t kTextBytes = 32;
  // Limits the table to `capacity` values, and to kTextBytes of text for each
  // on average.
  void SetCapacity(size_t capacity);

  // Counts a value with this hash. Returns false if the table already had the
  // value; true if the value was added or left out. If is_full() is then true,
  // the caller must call Purge.
  bool Add(std::string_view value, uint64_t hash) {
    if (slots_.empty()) Rebuild(kMinSlots);
    const auto size = static_cast<uint32_t>(value.size());
    value = value.substr(0, kTopBytes);
    const size_t slot = FindSlot(value, size, hash);
    if (slots_[slot].entry != 0) {
      ++entries_[slots_[slot].entry - 1].count;
      return false;
    }
    if (TakesNew()) Insert(slot, value, {hash, 1, size, 0});
    return true;
  }
  bool is_full() const {
    return entries_.size() > capacity_ || text_.size() > kTextBytes * capacity_;
  }
  void Purge();
  bool is_exact() const { return error_ == 0; }
  // Adds the counts of the other table. If is_full() is then true, the caller
  // must call Purge.
  void Merge(const ValueTable& other);

  const std::vector<Entry>& entries() const { return entries_; }
  // Returns the values, the most frequent first.
  std::vector<ValueCount> Top() const;
  // Any count is too low by at most this, with 99 % confidence.
  uint64_t error() const { return is_exact() ? 0 : error_ + 5 * (rate_ - 1); }

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  // The tag is the upper half of the hash. Comparing it first avoids looking at
  // most entries of other values.
  struct Slot {
    uint32_t entry;  // index plus 1; 0: the slot is empty
    uint32_t tag;
  };
  static constexpr size_t kMinSlots = 16;

  static uint32_t TagOf(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 32);
  }

  static size_t KeptBytes(size_t size) { return std::min(size, kTopBytes); }
  static bool EqualBytes(const char* a, const char* b, size_t size);
  std::string_view TextOf(const Entry& entry) const {
    return std::string_view(text_).substr(entry.begin, KeptBytes(entry.size));
  }
  // Returns the slot of the value with this size and hash whose kept bytes are
  // `text`, or the empty slot where that value belongs.
  size_t FindSlot(std::string_view text, uint32_t size, uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = static_cast<size_t>(hash) & mask;
    for (; slots_[slot].entry != 0; slot = (slot + 1) & mask) {
      if (slots_[slot].tag != TagOf(hash)) continue;
      const Entry& entry = entries_[slots_[slot].entry - 1];
      if (entry.hash == hash && entry.size == size &&
          EqualBytes(text_.data() + entry.begin, text.data(), text.size())) {
        break;
      }
    }
    return slot;
  }
  size_t FindEmptySlot(uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = static_cast<size_t>(hash) & mask;
    while (slots_[slot].entry != 0) slot = (slot + 1) & mask;
    return slot;
  }
  bool TakesNew();
  void Insert(size_t slot, std::string_view text, const Entry& entry);
  void Rebuild(size_t num_slots);
  void Keep(std::vector<Entry> entries);

  size_t capacity_ = 1024;
  std::vector<Entry> entries_;
  std::string text_;
  std::vector<Slot> slots_;
  uint64_t error_ = 0;  // subtracted so far
  uint64_t rate_ = 1;
  uint64_t skipped_ = 0;  // new values to leave out before the next one
  RandomState random_;
};

// `a` and `b` each have `size` bytes. Inline, since most values are short.
inline bool ValueTable::EqualBytes(const char* a, const char* b, size_t size) {
  uint64_t x = 0;
  uint64_t y = 0;
  if (size >= 8) {
    for (size_t i = 0; i + 8 < size; i += 8) {
      std::memcpy(&x, a + i, 8);
      std::memcpy(&y, b + i, 8);
      if (x != y) return false;
    }
    std::memcpy(&x, a + size - 8, 8);
    std::memcpy(&y, b + size - 8, 8);
    return x == y;
  }
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_VALUE_TABLE_H_
