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
  uint64_t count;     // it occurs at least this often
};

// TensorFlow Data Validation's defaults.
inline constexpr size_t kTopValues = 20;
inline constexpr size_t kRankedValues = 1000;

// Returns at most kRankedValues values, the most frequent first; of equal
// counts, the greatest value first. Values are compared as numbers if
// `are_numbers`.
std::vector<const ValueCount*> MostFrequent(const BytesStats& bytes,
                                            bool are_numbers);

// Returns the same values with labels: "__BYTES_VALUE__" for values that are
// not UTF-8, "__LARGE_BYTES__" for texts of which the statistics keep only the
// first bytes.
std::vector<RankedValue> RankValues(const BytesStats& bytes, bool are_numbers);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_RANK_HISTOGRAM_H_
