// A feature spec as Python source for tf.io.

#ifndef HEADRACE_SRC_CLI_TEXT_TF_SOURCE_H_
#define HEADRACE_SRC_CLI_TEXT_TF_SOURCE_H_

#include <string>

#include "headrace/feature_spec.h"

namespace headrace::cli {

// A module: `features`, for tf.io.parse_example; of a SequenceExample
// `context_features` and `sequence_features`, for tf.io.parse_sequence_example.
// Of specs that InferSpec made: layouts and fields that it does not use have no
// text here.
std::string TfSource(const FeatureSpec& spec);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_TF_SOURCE_H_
