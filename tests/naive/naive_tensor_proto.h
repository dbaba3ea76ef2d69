// TensorProtos by the rules of docs/semantics.md alone, parsed by libprotobuf.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_TENSOR_PROTO_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_TENSOR_PROTO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "tests/naive/naive_decoder.h"

namespace headrace::testing {

struct NaiveTensorProto {
  enum class End : uint8_t {
    kTensor,
    kMalformed,   // libprotobuf refuses it
    kNoTensor,    // no tensor of any type or, where the shape fits, of this one
    kOtherType,   // a tensor of another type
    kOtherShape,  // a tensor of another shape
    kTooLarge,    // one with more elements than a test makes
  };
  End end = End::kTensor;
  std::vector<int64_t> shape = {};
  NaiveFeature elements = {};
};

// `shape` has -1 where any dimension is right.
NaiveTensorProto NaiveReadTensor(const std::string& value, DType type,
                                 const std::vector<int64_t>& shape);

// Whether the feature's values are TensorProtos.
bool NaiveReadsTensors(const FeatureConfig& config);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_TENSOR_PROTO_H_
