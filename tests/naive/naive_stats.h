// The statistics of headrace/stats.h are compared with these, which keep every
// value and look at all of them: each distribution is exact, and so is what is
// counted of values.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_STATS_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_STATS_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/stats_summary.h"
#include "headrace/types.h"
#include "tests/naive/naive_decoder.h"

namespace headrace::testing {

struct NaiveStatsOptions {
  MessageType message = MessageType::kExample;
  // Its integers are counted as text, too.
  std::set<std::string> categorical = {};
  // All records are in this file.
  std::string file = {};
};

// Records that are no message of that type are counted as bad. The result has
// no `samples`, `classes` and `files`.
StatsSummary NaiveStats(std::span<const std::string_view> records,
                        const NaiveStatsOptions& options = {});

// The distribution of these values has each distinct one as an item.
template <class T>
Distribution<T> NaiveDistribution(const std::vector<T>& values);

LengthStats NaiveLengths(const std::vector<uint64_t>& lengths);
NumberStats<int64_t> NaiveInts(const std::vector<int64_t>& values);
NumberStats<float> NaiveFloats(const std::vector<float>& values);
BytesStats NaiveBytes(const std::vector<std::string>& values);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_STATS_H_
