// BlockCensus and FeatureCensus must find the same in the same records.

#ifndef HEADRACE_TESTS_AGREEMENT_CENSUS_AGREEMENT_H_
#define HEADRACE_TESTS_AGREEMENT_CENSUS_AGREEMENT_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "headrace/types.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"

namespace headrace::testing {

// All that a census tells.
std::string ToText(const FeatureCensus& census);

// Counts the records one after another, and in blocks of these sizes, in turns,
// with padding and without. Gives the first difference, of the census after any
// block or of an error; nothing where they agree.
std::string CensusDifference(const std::vector<std::string>& records,
                             MessageType message,
                             std::span<const size_t> block_sizes);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_AGREEMENT_CENSUS_AGREEMENT_H_
