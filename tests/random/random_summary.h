// Statistics of made-up datasets. They are consistent: each feature's figures
// are counted from values that were drawn for it.

#ifndef HEADRACE_TESTS_RANDOM_RANDOM_SUMMARY_H_
#define HEADRACE_TESTS_RANDOM_RANDOM_SUMMARY_H_

#include <cstddef>
#include <cstdint>

#include "headrace/stats_summary.h"

namespace headrace::testing {

struct SummaryShape {
  size_t features = 40;
  size_t records = 400;
  // Names and values of script, markup, controls and bytes that are not UTF-8.
  bool hostile = false;
  // Samples of features of pictures have them whole.
  bool pictures = false;
};

// Features alternate between the profiles that datasets have: labels, ids,
// measurements, categories, text, pictures, lists, feature lists. Their names
// depend on the shape alone, so two seeds give two datasets to compare: most
// features differ by chance alone, some are drawn another way, and each seed
// lacks a few.
StatsSummary RandomSummary(uint64_t seed, const SummaryShape& shape = {});

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_RANDOM_SUMMARY_H_
