// Proposes the groups of a spec: which features a matrix or a jagged group has,
// and how each of them is read.

#ifndef HEADRACE_SRC_PLAN_INFER_GROUPING_H_
#define HEADRACE_SRC_PLAN_INFER_GROUPING_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "src/plan/infer/census.h"

namespace headrace::infer {

// The groups that a user asks for, each as "GLOB" or "NAME=GLOB". Globs are of
// names of features, as in fnmatch(3).
struct GroupGlobs {
  std::vector<std::string> matrices = {};
  std::vector<std::string> jagged = {};

  bool empty() const { return matrices.empty() && jagged.empty(); }
};

// Returns the number of different values of a feature (a feature list, if
// `in_sequence`) of bytes, perhaps as an estimate, or nothing if it is unknown.
// An empty function knows no number.
using NumDistinct = std::function<std::optional<uint64_t>(std::string_view name,
                                                          bool in_sequence)>;

// Returns InferSpec with these groups in front of the other features. Globs
// with the same name make one group; a group without a name is called "dense"
// or "ids", with a number if that is taken.
//
// A matrix takes features with the same number of values in each record that
// has them; those that a record may lack have a default of 0. Its type is
// float, or int64 if all members are. A jagged group takes integers and bytes,
// whose function is hash_bucket, or else floats. There are at least 1,024
// buckets, and at least twice as many as distinct values, always a power of
// two; 2^20 if that number is unknown. Its type is int64, int32 if all members
// are bytes, or float.
//
// kInvalidArgument if a glob or its name is empty, if it matches no feature
// that has a kind, if two groups match the same one, or if a feature cannot be
// a member of its group; the error has its name. kBadSpec if the name of a
// group is that of a feature.
Result<FeatureSpec> InferSpec(const FeatureCensus& census,
                              const GroupGlobs& globs,
                              const NumDistinct& num_distinct);

}  // namespace headrace::infer

#endif  // HEADRACE_SRC_PLAN_INFER_GROUPING_H_
