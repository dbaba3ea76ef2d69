// NestedValues are the values of a row as JSON lists in lists: integers and
// booleans as such, floats as their bits in hex digits, bytes in base64. So
// what TensorFlow Datasets gave and tensors are compared, whatever their form.

#ifndef HEADRACE_TESTS_TFDS_NESTED_VALUES_H_
#define HEADRACE_TESTS_TFDS_NESTED_VALUES_H_

#include <cstddef>

#include "headrace/batch.h"
#include "headrace/tfds.h"
#include "nlohmann/json.hpp"

namespace headrace::testing {

// Of a row of a tensor.
nlohmann::json NestedValues(const Tensor& tensor, size_t row);

// Of a leaf in the "example" of a golden row. In a dataset the outermost list
// has the steps.
nlohmann::json GoldenValues(const nlohmann::json& example,
                            const tfds::Leaf& leaf);

// The dtype that the leaf has in that row; empty where a dataset has no steps.
std::string GoldenDType(const nlohmann::json& example, const tfds::Leaf& leaf);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_TFDS_NESTED_VALUES_H_
