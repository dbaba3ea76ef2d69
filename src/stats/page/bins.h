// Histograms of a Distribution, small enough for thousands of them in a page.

#ifndef HEADRACE_SRC_STATS_PAGE_BINS_H_
#define HEADRACE_SRC_STATS_PAGE_BINS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace::report {

// `count` bins between low and high. They have equal width or, if scale is not
// 0, equal width of asinh(value / scale), which is linear near zero and
// logarithmic far from it, on both sides.
struct BinRange {
  double low = 0;
  double high = 0;
  size_t count = 0;
  double scale = 0;
};

// Returns at most `most` equal bins for values from `low` to `high`, both
// finite; bins of integers have equally many of them.
template <class T>
BinRange EqualBins(double low, double high, size_t most);

// Returns bins on a logarithmic scale; empty if equal bins show as much of the
// one or two distributions.
template <class T>
std::optional<BinRange> LogBins(
    double low, double high, size_t most,
    const std::vector<const Distribution<T>*>& distributions);

// Returns the number of values in each bin, without those outside of the range.
template <class T>
std::vector<uint64_t> CountBins(const Distribution<T>& distribution,
                                const BinRange& range);

// Returns two characters for each count, exact up to 80 and right to 0.6 %
// above. The script decodes them in src/stats/page/figures.js.
std::string BinCodes(const std::vector<uint64_t>& counts);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_BINS_H_
