// The forms in which `headrace schema` shows what a FeatureCensus found, and
// the spec made of it.

#ifndef HEADRACE_SRC_CLI_VERBS_SCHEMA_TEXT_H_
#define HEADRACE_SRC_CLI_VERBS_SCHEMA_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "src/plan/infer/census.h"

namespace headrace::cli {

// The file of a record, and its number in the file; FeatureCensus::Add got its
// number over all files.
struct RecordPlace {
  std::string file;
  uint64_t record = 0;
};
using PlaceOf = std::function<RecordPlace(uint64_t)>;

std::string CensusTable(const FeatureCensus& census, size_t width, bool color);
std::string CensusJson(const FeatureCensus& census, MessageType message,
                       const PlaceOf& place_of);

// Returns the features that never had a kind.
std::vector<std::string> UntypedFeatures(const FeatureCensus& census);

// Returns one line per column, as pyarrow prints a schema.
std::string CensusArrow(const FeatureCensus& census);

// Returns a feature spec as a Python module that has `features`, for
// tf.io.parse_example; for a SequenceExample `context_features` and
// `sequence_features`, for tf.io.parse_sequence_example; for a list of Examples
// `context_spec` and `example_spec`. The spec must come from InferSpec: layouts
// and fields that it does not use have no text here.
std::string TfSource(const FeatureSpec& spec);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_SCHEMA_TEXT_H_
