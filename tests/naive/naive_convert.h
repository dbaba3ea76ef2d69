// Values of records become those of a tensor's type by the rules of
// docs/semantics.md alone.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_CONVERT_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_CONVERT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "headrace/feature_spec.h"
#include "headrace/types.h"
#include "tests/naive/naive_decoder.h"

namespace headrace::testing {

// A tensor of a type that no record has holds the bits of its values as int64s,
// those of signed integers with their sign.
//
// Empty where the type cannot hold a value of a record.
std::optional<NaiveFeature> NaiveConvert(const NaiveFeature& values,
                                         const FeatureConfig& config);

// The little-endian elements of one value of bytes; empty where it has other
// bytes besides.
std::optional<NaiveFeature> NaiveElements(const std::string& bytes, DType type);

// The bytes that a value of the feature holds; empty where it is to be a zlib
// stream and is none. Not for TensorProtos.
std::optional<std::string> NaiveUnpack(const std::string& value,
                                       Encoding encoding);

// The type of the feature's tensor.
DType NaiveTensorType(const FeatureConfig& config);

// Whether bytes of the feature hold arrays.
bool NaiveReinterprets(const FeatureConfig& config);

// Whether the bits of a value are a NaN of the type.
bool NaiveIsNan(DType dtype, uint64_t bits);

// The number of bytes of one element.
int64_t NaiveSize(DType type);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_CONVERT_H_
