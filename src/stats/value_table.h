// ValueTable counts how often values of bytes come: exactly as long as there
// are few distinct ones, and then the frequent ones approximately.
//
// Beyond its capacity a table is purged (Misra and Gries, 1982): all counts get
// less by their median, and values without a count are forgotten. So a count is
// too low by at most what was subtracted so far. From then on most new values
// are not even taken in, which keeps this cheap where all values are distinct:
// one of `rate_` of them is, so values that come more often than some times the
// rate are missed with less than 1 % probability.
//
// A purge happens if and only if the distinct values of all tables that were
// merged exceed the capacity, so what is exact does not depend on the order.

#ifndef HEADRACE_SRC_STATS_VALUE_TABLE_H_
#define HEADRACE_SRC_STATS_VALUE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace::stats {

class ValueTable {
 public:
  // A value and its count. Of long values only the first kTopBytes are kept;
  // they are told apart by size and hash.
  struct Entry {
    uint64_t hash;
    uint64_t count;
    uint32_t size;
    uint32_t begin;  // in the text
  };

  static constexpr size_t kTextBytes = 32;
  // The table holds at most so many values, and kTextBytes of text for each, on
  // average.
  void SetCapacity(size_t capacity);

  // The hash is that of the value. False if the table was exact, and is full
  // now: the value is in it, and the caller calls Purge.
  [[nodiscard]] bool Add(std::string_view value, uint64_t hash,
                         uint64_t times = 1);
  bool is_full() const {
    return entries_.size() > capacity_ || text_.size() > kTextBytes * capacity_;
  }
  void Purge();
  bool is_exact() const { return error_ == 0; }
  // The counts of the other table are added. If it or this one is not exact, or
  // is_full() then, the caller purges.
  void Merge(const ValueTable& other);

  const std::vector<Entry>& entries() const { return entries_; }
  // The most frequent values first.
  std::vector<ValueCount> Top() const;
  // Any count is too low by at most so much, with 99 % confidence.
  uint64_t error() const { return is_exact() ? 0 : error_ + 5 * (rate_ - 1); }

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  std::string_view TextOf(const Entry& entry) const;
  bool Holds(const Entry& entry, std::string_view value, uint64_t hash) const;
  size_t FindSlot(std::string_view value, uint64_t hash) const;
  bool TakesNew();
  void Insert(size_t slot, std::string_view value, const Entry& entry);
  void Rebuild(size_t num_slots);
  void Keep(std::vector<Entry> entries);

  size_t capacity_ = 1024;
  std::vector<Entry> entries_;
  std::string text_;
  std::vector<uint32_t> slots_;  // index into entries_ plus 1, or 0
  uint64_t error_ = 0;           // subtracted so far
  uint64_t rate_ = 1;
  uint64_t skipped_ = 0;  // so many new values are left out before one is not
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_VALUE_TABLE_H_
