// Makes histograms of Distributions, coded so compactly that a page can have
// thousands of them.

#ifndef HEADRACE_SRC_STATS_PAGE_BINS_H_
#define HEADRACE_SRC_STATS_PAGE_BINS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "headrace/stats_summary.h"

namespace headrace::report {

// `count` bins between `low` and `high`. If `scale` is 0, they have equal
// width. Otherwise they have equal width in asinh(value / scale), which is
// linear near zero and logarithmic far from it, on both sides.
struct BinRange {
  double low = 0;
  double high = 0;
  size_t count = 0;
  double scale = 0;
};

// Returns the place of a value on the scale.
inline double Place(double value, double scale) {
  return scale == 0 ? value : std::asinh(value / scale);
}

// Returns the magnitude below which logarithmic bins become linear: about that
// of the values nearest to zero.
template <class T>
double ScaleOf(const Distribution<T>& distribution) {
  double scale = 0;
  for (const double q : {0.05, 0.25, 0.75, 0.95}) {
    const double value =
        std::abs(static_cast<double>(distribution.Quantile(q)));
    if (value == 0 || !std::isfinite(value)) continue;
    scale = scale == 0 ? value : std::min(scale, value);
  }
  // The integers nearest to zero, other than 0, are 1 and -1.
  return std::is_integral_v<T> ? 1 : scale;
}

// Returns at most `most` equal bins for values from `low` to `high`, both
// finite. For integers, each bin covers the same number of them.
template <class T>
BinRange EqualBins(double low, double high, size_t most) {
  BinRange range = {low, high, low == high ? 1 : most, 0};
  const double integers = high - low + 1;
  // In a wider range a bin covers billions of integers, so one more or less
  // does not matter.
  if (std::is_integral_v<T> && integers < 1e12) {
    const double width = std::ceil(integers / static_cast<double>(most));
    range.count = static_cast<size_t>(std::ceil(integers / width));
    range.low -= 0.5;
    range.high = range.low + width * static_cast<double>(range.count);
  }
  return range;
}

// Returns bins on a logarithmic scale; nullopt if equal bins show the
// distributions (one or two) just as well.
template <class T>
std::optional<BinRange> LogBins(
    double low, double high, size_t most,
    const std::vector<const Distribution<T>*>& distributions) {
  // Equal bins are enough if the middle half of the values spans at least this
  // share of the range.
  constexpr double kSpread = 0.05;
  // A small range of integers is clear enough in equal bins.
  if (std::is_integral_v<T> && high - low < 100) return std::nullopt;
  bool is_wanted = false;
  double scale = 0;
  for (const Distribution<T>* distribution : distributions) {
    const auto first = static_cast<double>(distribution->Quantile(0.25));
    const auto last = static_cast<double>(distribution->Quantile(0.75));
    if (last - first < kSpread * (high - low)) is_wanted = true;
    scale = std::max(scale, ScaleOf(*distribution));
  }
  if (!is_wanted || scale == 0) return std::nullopt;
  BinRange range = {low, high, most, scale};
  const double width = Place(high, scale) - Place(low, scale);
  if (!(width > 0) || !std::isfinite(width)) return std::nullopt;
  if (std::is_integral_v<T>) {
    // Narrower bins would leave gaps between 0, 1 and 2.
    const double bins = std::ceil(width / std::asinh(1.0));
    range.count = std::min(most, static_cast<size_t>(bins));
  }
  return range;
}

// Returns the number of values in each bin, without those outside of the range.
template <class T>
std::vector<uint64_t> CountBins(const Distribution<T>& distribution,
                                const BinRange& range) {
  std::vector<uint64_t> counts(range.count);
  const double low = Place(range.low, range.scale);
  const double width = Place(range.high, range.scale) - low;
  for (const auto& item : distribution.items) {
    const auto value = static_cast<double>(item.value);
    if (!(value >= range.low && value <= range.high)) continue;
    const double share =
        width > 0 ? (Place(value, range.scale) - low) / width : 0;
    const auto bin =
        static_cast<size_t>(share * static_cast<double>(range.count));
    counts[std::min(bin, range.count - 1)] += item.weight;
  }
  return counts;
}

// Returns two characters for each count. Counts up to 80 are exact; larger ones
// are right to 0.6 %. decodeBins in src/stats/page/figures.js decodes them.
inline std::string BinCodes(const std::vector<uint64_t>& counts) {
  // None of these is escaped in JSON or HTML.
  constexpr char kDigits[] =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
  std::string codes;
  for (const uint64_t count : counts) {
    // Code 0 stands for a count of 0. From code 1 on, every 64 codes double the
    // count.
    size_t code = 0;
    if (count > 0) {
      code = 1 + static_cast<size_t>(
                     std::lround(64 * std::log2(static_cast<double>(count))));
    }
    code = std::min<size_t>(code, 4095);
    codes += {kDigits[code >> 6], kDigits[code & 63]};
  }
  return codes;
}

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_BINS_H_
