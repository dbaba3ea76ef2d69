// The obvious slow way from lists of Examples to tensors: libprotobuf takes the
// list apart, the naive decoder makes tensors of all Examples of the batch, and
// their first dimension is then taken apart.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_LISTS_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_LISTS_H_

#include <span>
#include <string_view>

#include "headrace/feature_spec.h"
#include "tests/naive/naive_tensors.h"

namespace headrace::testing {

// Gives the tensors of all records, or the errors of the lowest bad one; those
// of lists that cannot be filled up name no record.
NaiveTensors NaiveDecodeLists(std::span<const std::string_view> records,
                              const FeatureSpec& spec);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_LISTS_H_
