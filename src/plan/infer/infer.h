// Infers specs and schemas from records that were counted:
//
//   headrace::FeatureCensus census;
//   for (uint64_t record = 0; record < payloads.size(); ++record) {
//     HEADRACE_RETURN_IF_ERROR(census.Add(payloads[record], record));
//   }
//   std::string pbtxt = headrace::infer::InferSchema(census).ToText();
//
// The counted records fit the result; others may not. Its features are sorted
// by name. A spec leaves out features that never had a kind (kNull in
// census.columns()), as no type would be right; a schema has them as BYTES.

#ifndef HEADRACE_SRC_PLAN_INFER_INFER_H_
#define HEADRACE_SRC_PLAN_INFER_INFER_H_

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "src/plan/infer/census.h"

namespace headrace::infer {

// Returns a spec. A feature is fixed_len if all records have the same number of
// values, with shape [] for one and [n] for n; otherwise var_len. A feature
// list is fixed_len_sequence if all its steps have the same number of values,
// with allow_missing if some record lacks the list.
FeatureSpec InferSpec(const FeatureCensus& census);

// Returns the schema that TensorFlow Data Validation would write: `shape` (one
// dimension, even for one value) if all records have the same number of values,
// otherwise the minimum and maximum number as `value_count`, over the records
// that have a kind. presence.min_count is 1, or 0 for a feature that never had
// a kind; min_fraction is 1 if every record has a kind, otherwise not set.
// Feature lists are the children of a STRUCT kSequenceColumn, which comes last;
// their value_count is over steps, their min_fraction over records that have
// the list. SequenceExamples have the STRUCT even without feature lists. Lists
// of Examples get the schema of SequenceExamples.
Schema InferSchema(const FeatureCensus& census);

}  // namespace headrace::infer

#endif  // HEADRACE_SRC_PLAN_INFER_INFER_H_
