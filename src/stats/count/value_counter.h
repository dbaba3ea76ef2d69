// ValueCounter counts values of bytes: their lengths, how many are distinct,
// which are most frequent, and what they look like.

#ifndef HEADRACE_SRC_STATS_COUNT_VALUE_COUNTER_H_
#define HEADRACE_SRC_STATS_COUNT_VALUE_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "headrace/stats_summary.h"
#include "src/stats/count/length_counter.h"
#include "src/stats/sketch/hyper_log_log.h"
#include "src/stats/sketch/value_sample.h"
#include "src/stats/sketch/value_table.h"

namespace headrace::stats {

class ValueCounter {
 public:
  // See ValueTable.
  void SetCapacity(size_t capacity);

  // Keeps whole pictures if `pictures`.
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
