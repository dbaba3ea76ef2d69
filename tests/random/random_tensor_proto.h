// Random TensorProtos, in all spellings that make one tensor.

#ifndef HEADRACE_TESTS_RANDOM_RANDOM_TENSOR_PROTO_H_
#define HEADRACE_TESTS_RANDOM_RANDOM_TENSOR_PROTO_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/types.h"
#include "tests/random/random_example.h"

namespace headrace::testing {

// The number of tensorflow.DataType, and the field of TensorProto with the
// values.
struct TensorField {
  uint32_t type = 0;
  uint32_t values = 0;
};
TensorField TensorFieldOf(DType type);

// The fields dtype and tensor_shape.
std::string TensorHead(DType type, const std::vector<int64_t>& shape);

// As tf.io.serialize_tensor writes it; the content is little-endian.
std::string TensorOfContent(DType type, const std::vector<int64_t>& shape,
                            std::string_view content);

// A tensor of this type and shape; now and then of another one, or of none.
std::string RandomTensorProto(DType type, const std::vector<int64_t>& shape,
                              Random* random);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_RANDOM_TENSOR_PROTO_H_
