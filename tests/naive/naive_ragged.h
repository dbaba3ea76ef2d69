// The dimensions of a ragged row, by the rules of docs/semantics.md alone.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_RAGGED_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_RAGGED_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "tests/naive/naive_decoder.h"

namespace headrace::testing {

// What a spec says of a row's dimensions: -1 where rows differ.
struct NaiveShape {
  std::vector<int64_t> own = {};    // of the row
  std::vector<int64_t> array = {};  // of encoded values
  size_t levels = 1;                // with row splits

  std::vector<int64_t> all() const;
};
NaiveShape NaiveShapeOf(const FeatureConfig& config);

// A row, or a step of a feature list.
struct NaiveRagged {
  ErrorCode error = ErrorCode::kOk;
  // Of each dimension the lengths, one for each row of the dimension before it.
  std::vector<std::vector<int64_t>> lengths = {};
  NaiveFeature values = {};  // elements of the tensor
};

// list_of(key) gives the numbers of a partition, or of the arrays' shapes.
NaiveRagged NaiveCut(
    const FeatureConfig& config, const NaiveFeature& values,
    const std::function<std::vector<int64_t>(const std::string&)>& list_of);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_RAGGED_H_
