// Decodes records by a spec of one feature, "x".

#ifndef HEADRACE_TESTS_TENSOR_ONE_FEATURE_H_
#define HEADRACE_TESTS_TENSOR_ONE_FEATURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "tests/naive/batch_tensors.h"
#include "tests/support/matchers.h"

namespace headrace::testing {

inline Result<Batch> DecodeFeature(const FeatureConfig& config,
                                   const std::vector<std::string>& records,
                                   const DecodeOptions& options = {}) {
  auto plan = Plan::Compile(FeatureSpec().Add("x", config));
  if (!plan.ok()) return plan.status();
  Decoder decoder(*plan, options);
  const std::vector<std::string_view> views(records.begin(), records.end());
  return decoder.Decode(views);
}

// The records must be good.
inline NaiveTensor TensorOfFeature(const FeatureConfig& config,
                                   const std::vector<std::string>& records) {
  const auto batch = DecodeFeature(config, records);
  EXPECT_THAT(batch, IsOk());
  if (!batch.ok()) return {};
  EXPECT_EQ(BrokenTensors(*batch), "");
  return TensorsOf(*batch).tensors[0];
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_TENSOR_ONE_FEATURE_H_
