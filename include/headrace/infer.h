// What a dataset's description would be, guessed from records that were
// counted:
//
//   headrace::FeatureCensus census;
//   for (...) status = census.Add(payload, record);
//   std::string pbtxt = headrace::InferSchema(census).ToText();
//
// The records that were counted fit what is inferred; others may not.
// Features that never had a kind (kNull in census.columns()) are left out: no
// type would be right. The features are sorted by name.

#ifndef HEADRACE_INFER_H_
#define HEADRACE_INFER_H_

#include "headrace/census.h"
#include "headrace/feature_spec.h"
#include "headrace/schema.h"

namespace headrace {

// fixed_len where all records have the same number of values, [] for one and
// [n] for n; otherwise var_len. Of feature lists fixed_len_sequence where all
// steps have, which may be missing where some record lacks the list.
FeatureSpec InferSpec(const FeatureCensus& census);

// Written as TensorFlow Data Validation would: `shape` (one dimension, also for
// one value) where all records have the same number of values, otherwise the
// least and the most as `value_count`, over the records that have a kind.
// presence.min_count is 1; min_fraction is 1 where every record has a kind, and
// not there otherwise. Feature lists are the children of a STRUCT
// kSequenceColumn, which comes last; their value_count is over the steps, their
// min_fraction over the records that have the list. SequenceExamples without
// typed feature lists give a schema that does not differ from that of Examples.
Schema InferSchema(const FeatureCensus& census);

}  // namespace headrace

#endif  // HEADRACE_INFER_H_
