// LengthCounter counts the lengths of lists or values: short ones exactly, the
// others in a sketch.

#ifndef HEADRACE_SRC_STATS_COUNT_LENGTH_COUNTER_H_
#define HEADRACE_SRC_STATS_COUNT_LENGTH_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_summary.h"
#include "src/stats/sketch/quantile_sketch.h"

namespace headrace::stats {

class LengthCounter {
 public:
  void Add(std::span<const uint32_t> lengths);
  void AddRepeated(uint32_t length, uint64_t times);
  void Merge(const LengthCounter& other);

  uint64_t count() const { return num_short_ + sketch_.count(); }
  uint64_t total() const { return total_; }
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
  std::vector<uint64_t> short_counts_;  // of each length below kShort, or empty
  QuantileSketch<uint32_t> sketch_;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_COUNT_LENGTH_COUNTER_H_
