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

// Where bins lie: `count` of them between low and high, of equal width; or, if
// scale is not 0, of equal width of asinh(value / scale), which is linear near
// zero and logarithmic far from it, on both sides.
struct BinRange {
  double low = 0;
  double high = 0;
  size_t count = 0;
  double scale = 0;
};

// Equal bins for values from `low` to `high`, both finite; bins of integers
// hold equally many of them. `most` bounds the number of bins.
template <class T>
BinRange EqualBins(double low, double high, size_t most);

// The same on a logarithmic scale; empty where equal bins show as much of the
// one or two distributions.
template <class T>
std::optional<BinRange> LogBins(
    double low, double high, size_t most,
    const std::vector<const Distribution<T>*>& distributions);

// How many values are in each bin; those outside of the range are in none.
template <class T>
std::vector<uint64_t> CountBins(const Distribution<T>& distribution,
                                const BinRange& range);

// Two characters for each count, which is right to 0.6 %, and exactly up to 80.
// Script reads them in src/stats/page/figures.js.
std::string BinCodes(const std::vector<uint64_t>& counts);

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_BINS_H_
