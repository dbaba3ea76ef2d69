// The most frequent values, as TensorFlow Data Validation ranks them.

#ifndef HEADRACE_SRC_STATS_REPORT_RANK_HISTOGRAM_H_
#define HEADRACE_SRC_STATS_REPORT_RANK_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace {

struct RankedValue {
  std::string label;  // UTF-8
  uint64_t count;     // it comes at least so often
};

// TensorFlow Data Validation's defaults.
inline constexpr size_t kTopValues = 20;
inline constexpr size_t kRankedValues = 1000;

// At most kRankedValues, the most frequent first; of equal counts the greatest
// value, which is compared as a number if `are_numbers`.
std::vector<const ValueCount*> MostFrequent(const BytesStats& bytes,
                                            bool are_numbers);

// The same with labels: values that are not UTF-8 have "__BYTES_VALUE__", those
// of which the statistics keep only the first bytes "__LARGE_BYTES__".
std::vector<RankedValue> RankValues(const BytesStats& bytes, bool are_numbers);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_RANK_HISTOGRAM_H_
