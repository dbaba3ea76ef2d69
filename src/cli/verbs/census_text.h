// What a FeatureCensus found, in the forms of `headrace schema`.

#ifndef HEADRACE_SRC_CLI_VERBS_CENSUS_TEXT_H_
#define HEADRACE_SRC_CLI_VERBS_CENSUS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "headrace/census.h"

namespace headrace::cli {

// Where a record of the census is: FeatureCensus::Add was given its number
// among the records of all files.
struct RecordPlace {
  std::string file;
  uint64_t record = 0;
};
using PlaceOf = std::function<RecordPlace(uint64_t)>;

std::string CensusTable(const FeatureCensus& census, size_t width, bool color);
std::string CensusJson(const FeatureCensus& census, bool sequence,
                       const PlaceOf& place_of);

// Names of the features that never had a kind.
std::vector<std::string> UntypedFeatures(const FeatureCensus& census);

// One line a column, as pyarrow prints a schema.
std::string CensusArrow(const FeatureCensus& census);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_CENSUS_TEXT_H_
