// Functions of values, written for reading alone.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_FUNCTIONS_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_FUNCTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "headrace/feature_spec.h"
#include "tests/naive/naive_decoder.h"

namespace headrace::testing {

uint64_t NaiveFingerprint64(std::string_view bytes);

// The line of each key of a vocabulary file; empty where the file is bad.
std::optional<std::map<std::string, int64_t>> NaiveVocabulary(
    std::string_view file);

int64_t NaiveBucketize(float value, std::span<const float> boundaries);
float NaiveLog1p(float value);

// What the functions of a feature's `map` make of values of its type: int64s or
// floats. Vocabularies have keys, not files.
NaiveFeature NaiveMap(const NaiveFeature& values, const FeatureConfig& config);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_FUNCTIONS_H_
