#include "tests/agreement/tensors_agreement.h"

#include <cstddef>
#include <span>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/support/batch_columns.h"
#include "tests/support/batch_tensors.h"
#include "tests/support/each_target.h"
#include "tests/support/hex.h"

namespace headrace::testing {

using Place = GuardedRecords::Place;

// The decoders of one target and plan.
class TensorsAgreement::Pass {
 public:
  explicit Pass(const Plan& plan) {
    for (bool skip : {false, true}) {
      Add(plan, skip, /*padded=*/false, Place::kEnd);
      Add(plan, skip, /*padded=*/true, Place::kPaddedEnd);
    }
  }

  // What is wrong with one batch; empty for nothing.
  std::string Check(Expected* expected) {
    for (Way& way : ways_) {
      const auto records = guarded_.Put(expected->records, way.place);
      const Result<Batch> result = way.decoder.Decode(records);
      std::string wrong = way.options.on_row_error == OnRowError::kSkip
                              ? CheckSkipping(way.decoder, result, *expected)
                              : CheckFailing(result, expected);
      if (!wrong.empty()) return wrong + Describe(way);
    }
    return {};
  }

 private:
  struct Way {
    DecodeOptions options;
    Place place;
    Decoder decoder;
  };

  void Add(const Plan& plan, bool skip, bool padded, Place place) {
    DecodeOptions options;
    options.on_row_error = skip ? OnRowError::kSkip : OnRowError::kFail;
    options.verify_unselected = true;
    options.padded_input = padded;
    ways_.push_back({options, place, Decoder(plan, options)});
  }

  static std::string Describe(const Way& way) {
    std::string text = way.options.padded_input ? " (padded" : " (not padded";
    text += way.options.on_row_error == OnRowError::kSkip ? ", skip" : ", fail";
    return text + ")";
  }

  static std::string CheckFailing(const Result<Batch>& result,
                                  Expected* expected) {
    std::string wrong = Difference(expected->all, result);
    if (!wrong.empty() || result.ok()) return wrong;
    if (expected->error.ok()) expected->error = result.status();
    return Difference(expected->error, result.status());
  }

  static std::string CheckSkipping(const Decoder& decoder,
                                   const Result<Batch>& result,
                                   const Expected& expected) {
    std::string wrong = Difference(expected.good, result);
    if (!wrong.empty()) return wrong;
    const std::vector<Status>& skipped = decoder.skipped();
    if (skipped.size() != expected.bad.size()) {
      return "skipped() has another length";
    }
    for (size_t i = 0; i < skipped.size(); ++i) {
      if (skipped[i].ok() || skipped[i].info()->record != expected.bad[i]) {
        return "skipped() names another record";
      }
    }
    return {};
  }

  std::vector<Way> ways_;
  GuardedRecords guarded_;
};

TensorsAgreement::Expected TensorsAgreement::Expect(
    const Oracle& oracle, const std::vector<std::string>& batch) {
  Expected expected;
  expected.records.assign(batch.begin(), batch.end());
  expected.all = oracle(expected.records);
  std::vector<std::string_view> good;
  for (size_t i = 0; i < batch.size(); ++i) {
    const Records record(&expected.records[i], 1);
    if (oracle(record).ok()) {
      good.push_back(record[0]);
    } else {
      expected.bad.push_back(i);
    }
  }
  expected.good = oracle(good);
  if (expected.all.ok()) ++outcomes_[ErrorCode::kOk];
  for (const auto& [code, features] : expected.all.errors) ++outcomes_[code];
  return expected;
}

void TensorsAgreement::Fail(const std::string& message) {
  ADD_FAILURE() << message;
  ++failures_;
}

void TensorsAgreement::RunTarget(const Plan& plan, const std::string& what,
                                 std::vector<Expected>* batches) {
  Pass pass(plan);
  for (Expected& expected : *batches) {
    const std::string wrong = pass.Check(&expected);
    if (wrong.empty()) continue;
    Fail(wrong + "\non " + HexOf(expected.records) + "\nwith " + what);
    if (enough()) return;
  }
}

void TensorsAgreement::Check(const Plan& plan, const Oracle& oracle,
                             const std::string& what, const Batches& batches) {
  // Views into `batches`, which outlives them.
  std::vector<Expected> expected;
  expected.reserve(batches.size());
  for (const auto& batch : batches) expected.push_back(Expect(oracle, batch));
  ForEachTarget([&] {
    if (!enough()) RunTarget(plan, what, &expected);
  });
}

void TensorsAgreement::Check(const FeatureSpec& spec, const Batches& batches) {
  const auto plan = Plan::Compile(spec);
  if (!plan.ok()) {
    return Fail(plan.status().ToString() + "\n" + spec.ToJson());
  }
  const auto oracle = [&](Records records) {
    return NaiveDecodeTensors(records, spec);
  };
  Check(*plan, oracle, spec.ToJson(), batches);
}

void TensorsAgreement::Check(const Schema& schema, MessageType message,
                             const Batches& batches) {
  const auto columns = Plan::ForColumnsOf(schema, message);
  const auto plan = Plan::Compile(schema, {}, message);
  if (!columns.ok() || !plan.ok()) {
    return Fail(plan.status().ToString() + "\n" + schema.ToText());
  }
  FeatureSpec spec(message);
  for (const TensorField& field : plan->tensors()) {
    const auto& [name, config] = field.feature;
    field.in_sequence ? spec.AddSequence(name, config) : spec.Add(name, config);
  }
  const auto oracle = [&](Records records) {
    return NaiveSchemaTensors(records, spec, columns->columns());
  };
  Check(*plan, oracle, schema.ToText(), batches);
}

bool TensorsAgreement::enough() const { return failures_ >= kEnoughFailures; }

}  // namespace headrace::testing
