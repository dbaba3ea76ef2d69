// LengthCounter counts how long lists or values are.

#ifndef HEADRACE_SRC_STATS_LENGTH_COUNTER_H_
#define HEADRACE_SRC_STATS_LENGTH_COUNTER_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "headrace/stats_summary.h"
#include "src/stats/quantile_sketch.h"

namespace headrace::stats {

class LengthCounter {
 public:
  void Add(std::span<const uint32_t> lengths);
  void AddRepeated(uint32_t length, uint64_t times);
  void Merge(const LengthCounter& other);

  uint64_t count() const { return sketch_.count(); }
  uint64_t total() const { return total_; }
  LengthStats ToStats() const;

  void Append(std::string* out) const;
  bool Parse(std::string_view* bytes);

 private:
  uint32_t min_ = std::numeric_limits<uint32_t>::max();
  uint32_t max_ = 0;
  uint64_t total_ = 0;
  QuantileSketch<uint32_t> sketch_;
};

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_LENGTH_COUNTER_H_
