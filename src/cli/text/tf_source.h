// Writes a feature spec as Python source for tf.io.

#ifndef HEADRACE_SRC_CLI_TEXT_TF_SOURCE_H_
#define HEADRACE_SRC_CLI_TEXT_TF_SOURCE_H_

#include <string>

#include "headrace/feature_spec.h"

namespace headrace::cli {

// Returns a module that has `features`, for tf.io.parse_example; for a
// SequenceExample `context_features` and `sequence_features`, for
// tf.io.parse_sequence_example; for a list of Examples `context_spec` and
// `example_spec`. The spec must come from InferSpec: layouts and fields that it
// does not use have no text here.
std::string TfSource(const FeatureSpec& spec);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_TF_SOURCE_H_
