// Counts the features of records, as infer_spec and infer_schema do.

#ifndef HEADRACE_TESTS_INFER_CENSUS_OF_H_
#define HEADRACE_TESTS_INFER_CENSUS_OF_H_

#include <cstddef>
#include <string>
#include <vector>

#include "headrace/types.h"
#include "src/plan/infer/census.h"
#include "tests/support/matchers.h"

namespace headrace::testing {

inline FeatureCensus CensusOf(const std::vector<std::string>& records,
                              MessageType message = MessageType::kExample) {
  FeatureCensus census(message);
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_THAT(census.Add(records[i], i), IsOk());
  }
  return census;
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_INFER_CENSUS_OF_H_
