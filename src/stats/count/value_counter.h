// Counters of lengths, and of values of bytes.

#ifndef HEADRACE_SRC_STATS_COUNT_VALUE_COUNTER_H_
#define HEADRACE_SRC_STATS_COUNT_VALUE_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_summary.h"
#include "src/stats/sketch/hyper_log_log.h"
#include "src/stats/sketch/quantile_sketch.h"
#include "src/stats/sketch/value_sample.h"
#include "src/stats/sketch/value_table.h"

namespace headrace::stats {

// Counts the lengths of lists or values: short ones exactly, the others in a
// sketch.
class LengthCounter {
 public:
  void Add(std::span<const uint32_t> lengths);
  void AddRepeated(uint32_t length, uint64_t times);
  void Merge(const LengthCounter& other);

  uint64_t count() const { return num_short_ + sketch_.count(); }
  LengthStats ToStats() const;

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  static constexpr size_t kShort = 64;

  void CountOne(uint32_t length, uint64_t times);
  Distribution<uint64_t> ToDistribution() const;

  uint32_t min_ = std::numeric_limits<uint32_t>::max();
  uint32_t max_ = 0;
  uint64_t total_ = 0;
  uint64_t num_short_ = 0;
  std::vector<uint64_t> short_counts_;  // by length; may be empty
  QuantileSketch<uint32_t> sketch_;
};

// Counts values of bytes: their lengths, the number of distinct values, the
// most frequent values, and what values look like.
class ValueCounter {
 public:
  // Sets the capacity of the table of values; see ValueTable.
  void SetCapacity(size_t capacity);

  // With `pictures` samples contain whole pictures.
  void Add(std::span<const std::string_view> values, bool pictures);
  void Merge(const ValueCounter& other);

  uint64_t count() const { return lengths_.count(); }
  BytesStats ToStats() const;

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  void EndExact();
  void PurgeIfFull();

  LengthCounter lengths_;
  uint64_t utf8_ = 0;
  ValueTable table_;
  HyperLogLog distinct_;  // empty while the table is exact
  ValueSample sample_;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_VALUE_COUNTER_H_
