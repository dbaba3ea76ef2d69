// Program: a compiled plan, as the decoder reads it.
//
// Immutable after Compile; shared by threads. A feature of the plan is a slot;
// its index is also that of its column.

#ifndef HEADRACE_SRC_PLAN_PROGRAM_H_
#define HEADRACE_SRC_PLAN_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"

namespace headrace::plan {

inline constexpr uint32_t kNoSlot = ~uint32_t{0};

// Of the bytes of a key, whatever they are.
uint64_t HashKey(const uint8_t* key, size_t size, uint64_t seed);

class Program {
 public:
  // kBadSpec as Plan::ForColumns says. With `collect_late`, keys that are not
  // in the plan are reported to the caller of the decoder instead of ignored.
  static Result<std::shared_ptr<const Program>> Compile(
      std::vector<ColumnField> columns, bool collect_late);

  const std::vector<ColumnField>& columns() const { return columns_; }
  size_t num_slots() const { return columns_.size(); }
  bool collect_late() const { return collect_late_; }
  Kind kind(uint32_t slot) const { return columns_[slot].kind; }

  // The slot of a key on the wire, or kNoSlot. The whole key is compared.
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

  std::string ToString() const;

 private:
  struct Entry {
    uint32_t slot = kNoSlot;
    uint32_t check = 0;  // upper half of the hash
    size_t name = 0;     // place of the key in names_
    size_t size = 0;
  };

  Status Check() const;
  // The longest row of taken entries that a lookup may have to pass.
  size_t FillTable(uint64_t seed);

  std::vector<ColumnField> columns_;
  bool collect_late_ = false;
  std::string names_;
  std::vector<Entry> table_;
  uint64_t mask_ = 0;
  uint64_t seed_ = 0;
};

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_PROGRAM_H_
