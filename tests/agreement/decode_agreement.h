// A decoder of columns and of tensors is compared with the naive one on every
// target, with the records next to guard pages.

#ifndef HEADRACE_TESTS_AGREEMENT_DECODE_AGREEMENT_H_
#define HEADRACE_TESTS_AGREEMENT_DECODE_AGREEMENT_H_

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/schema.h"
#include "headrace/types.h"
#include "tests/naive/naive_tensors.h"
#include "tests/support/guarded_bytes.h"

namespace headrace::testing {

// Each record has pages of its own, so that none is another's slack.
class GuardedRecords {
 public:
  enum class Place {
    kEnd,        // the byte after the record faults
    kPaddedEnd,  // the byte after the record's 64 slack bytes faults
    kStart,      // the byte before the record faults
  };

  // The records stay valid until the next call.
  std::span<const std::string_view> Put(
      std::span<const std::string_view> records, Place place);

 private:
  std::vector<std::unique_ptr<GuardedBytes>> buffers_;
  std::vector<std::string_view> views_;
};

// An effort says how many of the ways to decode a batch are tried: for millions
// of records kQuick tries those that differ most.
enum class Effort { kQuick, kFull };

// Decodes batches under kFail and kSkip, padded and not, and reports
// differences as test failures, a few only. The text of an error must be the
// same, letter for letter, on every target and in every placement.
class DecodeAgreement {
 public:
  using Batches = std::vector<std::vector<std::string>>;

  // Columns are also decoded with verify_unselected off.
  void Check(const std::vector<ColumnField>& columns, const Batches& batches,
             Effort effort = Effort::kFull);
  // Each record is a batch of its own; with a sanitizer every third one is.
  void CheckSingly(const std::vector<ColumnField>& columns,
                   std::span<const std::string> records,
                   Effort effort = Effort::kFull);
  // Plan::Compile must take `spec`.
  void Check(const FeatureSpec& spec, const Batches& batches);
  // The tensors are those of a schema (rule I15).
  void Check(const Schema& schema, MessageType message, const Batches& batches);

  // Fails if fewer than `times` batches of tensors came to one of the codes, by
  // the naive way: a test that hardly ever meets a class proves nothing.
  void ExpectOften(const std::vector<ErrorCode>& codes, int times) const;

  // After so many failures there is no point in going on.
  bool enough() const { return failures_ >= 5; }

 private:
  struct Way;
  struct Expected;
  class Pass;
  using Records = std::span<const std::string_view>;
  using Oracle = std::function<Expected(Records)>;
  using NaiveDecoder = std::function<NaiveTensors(Records)>;

  static const Way kWaysOfColumns[];
  static const Way kWaysOfTensors[];

  // Failures describe the plan by `what`.
  void Check(const Plan& plan, std::span<const Way> ways, const Oracle& oracle,
             const std::string& what, const Batches& batches);
  void CheckTensors(const Plan& plan, const NaiveDecoder& decode,
                    const std::string& what, const Batches& batches);
  void Fail(const std::string& message);

  std::map<ErrorCode, int> outcomes_;
  int failures_ = 0;
};

// The grammar of tests/random/sequences.h and the wire families use these
// columns: "a" int64, "b" bytes, "" float, "z" int64.
std::vector<ColumnField> UsualColumns();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_AGREEMENT_DECODE_AGREEMENT_H_
