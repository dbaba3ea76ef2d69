// A decoder of tensors on every target, with the records flush against guard
// pages, against the naive way.

#ifndef HEADRACE_TESTS_AGREEMENT_TENSORS_AGREEMENT_H_
#define HEADRACE_TESTS_AGREEMENT_TENSORS_AGREEMENT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/schema.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "tests/support/naive_tensors.h"

namespace headrace::testing {

// Reports differences as test failures, a few only.
class TensorsAgreement {
 public:
  using Batches = std::vector<std::vector<std::string>>;

  // Each batch under kFail and kSkip, padded and not. What is said of an error
  // must be the same, letter for letter, on every target and in every
  // placement. `spec` must be one that Plan::Compile takes.
  void Check(const FeatureSpec& spec, const Batches& batches);
  // As above for the tensors of a schema (rule I15).
  void Check(const Schema& schema, MessageType message, const Batches& batches);

  // How many batches came to what, by the naive way: a test that hardly ever
  // meets a class proves nothing about it.
  const std::map<ErrorCode, int>& outcomes() const { return outcomes_; }

  // Too many failures: there is no point in going on.
  bool enough() const;

 private:
  struct Expected {
    std::vector<std::string_view> records;
    NaiveTensors all;
    NaiveTensors good;          // of the records that are not bad
    std::vector<uint64_t> bad;  // their indices
    Status error;               // of the first decode, once there is one
  };
  class Pass;
  using Records = std::span<const std::string_view>;
  using Oracle = std::function<NaiveTensors(Records)>;

  // `what` describes the plan in failures.
  void Check(const Plan& plan, const Oracle& oracle, const std::string& what,
             const Batches& batches);
  Expected Expect(const Oracle& oracle, const std::vector<std::string>& batch);
  void RunTarget(const Plan& plan, const std::string& what,
                 std::vector<Expected>* batches);
  void Fail(const std::string& message);

  std::map<ErrorCode, int> outcomes_;
  int failures_ = 0;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_AGREEMENT_TENSORS_AGREEMENT_H_
