#include "tests/agreement/decode_agreement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"
#include "tests/naive/naive_lists.h"
#include "tests/naive/protobuf_oracle.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/hex.h"

namespace headrace::testing {

using Place = GuardedRecords::Place;
using enum OnRowError;

std::span<const std::string_view> GuardedRecords::Put(
    std::span<const std::string_view> records, Place place) {
  views_.clear();
  for (size_t i = 0; i < records.size(); ++i) {
    if (i == buffers_.size()) buffers_.emplace_back();
    const size_t room = records[i].size() + kPadding;
    if (!buffers_[i] || buffers_[i]->capacity() < room) {
      buffers_[i] = std::make_unique<GuardedBytes>(room);
    }
    GuardedBytes& buffer = *buffers_[i];
    views_.push_back(
        place == Place::kStart
            ? buffer.PlaceAtStart(records[i])
            : buffer.PlaceAtEnd(records[i],
                                place == Place::kPaddedEnd ? kPadding : 0));
  }
  return views_;
}

struct DecodeAgreement::Way {
  OnRowError on_row_error;
  bool strict;  // as verify_unselected
  bool padded;
  Place place;

  std::string ToString() const {
    std::string text = padded ? " (padded" : " (not padded";
    text += strict ? ", strict" : ", loose";
    text += on_row_error == kSkip ? ", skip" : ", fail";
    return text + ", place " + std::to_string(static_cast<int>(place)) + ")";
  }
};

// Ways that differ most come first.
const DecodeAgreement::Way DecodeAgreement::kWaysOfColumns[] = {
    {kFail, true, false, Place::kEnd},
    {kFail, true, true, Place::kPaddedEnd},
    {kFail, false, true, Place::kPaddedEnd},
    {kFail, false, false, Place::kEnd},
    {kSkip, true, false, Place::kEnd},
    {kSkip, true, false, Place::kStart},
    {kSkip, true, true, Place::kPaddedEnd},
    {kSkip, true, true, Place::kStart},
    {kFail, true, true, Place::kStart}};
const DecodeAgreement::Way DecodeAgreement::kWaysOfTensors[] = {
    {kFail, true, false, Place::kEnd},
    {kFail, true, true, Place::kPaddedEnd},
    {kSkip, true, false, Place::kEnd},
    {kSkip, true, true, Place::kPaddedEnd}};

// The oracle says this of one batch. Each function gives how a result differs
// from it; empty for nothing.
struct DecodeAgreement::Expected {
  using Judge = std::function<std::string(const Result<Batch>&)>;

  Records records;
  Judge failing;                  // under kFail
  Judge skipping;                 // under kSkip
  Judge loose;                    // with verify_unselected off
  std::vector<uint64_t> skipped;  // which records
  Status error;                   // of the first decode, once there is one
};

// A pass has the decoders of one target.
class DecodeAgreement::Pass {
 public:
  Pass(const Plan& plan, std::span<const Way> ways) : ways_(ways) {
    for (const Way& way : ways) {
      decoders_.emplace_back(plan,
                             DecodeOptions{.on_row_error = way.on_row_error,
                                           .verify_unselected = way.strict,
                                           .padded_input = way.padded});
    }
  }

  // Gives what is wrong with one batch; empty for nothing.
  std::string Check(Expected* expected) {
    for (size_t i = 0; i < ways_.size(); ++i) {
      const Records records = guarded_.Put(expected->records, ways_[i].place);
      const Result<Batch> result = decoders_[i].Decode(records);
      std::string wrong = CheckWay(ways_[i], decoders_[i], result, expected);
      if (!wrong.empty()) return wrong + ways_[i].ToString();
    }
    return {};
  }

 private:
  static std::string CheckWay(const Way& way, const Decoder& decoder,
                              const Result<Batch>& result, Expected* expected) {
    if (way.on_row_error == kSkip) {
      std::string wrong = expected->skipping(result);
      return wrong.empty() ? CheckSkipped(decoder, *expected) : wrong;
    }
    if (!way.strict) return expected->loose(result);
    std::string wrong = expected->failing(result);
    if (!wrong.empty() || result.ok()) return wrong;
    if (expected->error.ok()) expected->error = result.status();
    return Difference(expected->error, result.status());
  }

  static std::string CheckSkipped(const Decoder& decoder,
                                  const Expected& expected) {
    const std::vector<Status>& skipped = decoder.skipped();
    const size_t listed =
        std::min(expected.skipped.size(), Limits().max_reported);
    if (skipped.size() != listed) return "skipped() has another length";
    for (size_t i = 0; i < listed; ++i) {
      if (skipped[i].ok() || skipped[i].info()->record != expected.skipped[i]) {
        return "skipped() names another record";
      }
    }
    return {};
  }

  const std::span<const Way> ways_;
  std::vector<Decoder> decoders_;
  GuardedRecords guarded_;
};

void DecodeAgreement::Fail(const std::string& message) {
  ADD_FAILURE() << message;
  ++failures_;
}

void DecodeAgreement::Check(const Plan& plan, std::span<const Way> ways,
                            const Oracle& oracle, const std::string& what,
                            const Batches& batches) {
  std::vector<std::vector<std::string_view>> views;
  std::vector<Expected> expected;
  for (const auto& batch : batches) {
    views.emplace_back(batch.begin(), batch.end());
    expected.push_back(oracle(views.back()));
    expected.back().records = views.back();
  }
  ForEachTarget([&] {
    Pass pass(plan, ways);
    for (Expected& batch : expected) {
      if (enough()) return;
      const std::string wrong = pass.Check(&batch);
      if (wrong.empty()) continue;
      Fail(wrong + "\non " + HexOf(batch.records) + "\nwith " + what);
    }
  });
}

void DecodeAgreement::Check(const std::vector<ColumnField>& columns,
                            const Batches& batches, Effort effort) {
  const auto plan = Plan::ForColumns(columns);
  if (!plan.ok()) return Fail(plan.status().ToString());
  const auto oracle = [&columns](Records records) {
    for (std::string_view record : records) {
      // Otherwise the comparison would be with something wrong.
      for (const auto type : {MessageType::kExample, MessageType::kSequence}) {
        EXPECT_EQ(NaiveParse(record, type), ProtobufParse(record, type))
            << ToHex(record);
      }
    }
    std::vector<NaiveResult> errors;
    const auto good = NaiveDecodeSkipping(records, columns, &errors);
    const NaiveResult all = errors.empty() ? good : errors.front();
    Expected expected;
    for (const NaiveResult& error : errors) {
      expected.skipped.push_back(error.record);
    }
    expected.failing = [all](const auto& r) { return Difference(all, r); };
    expected.skipping = [good](const auto& r) { return Difference(good, r); };
    // Damage in values that are not looked at may be found or not. Nothing
    // except these two results may be given, and for a longer batch with
    // several such records any mixture of them.
    expected.loose = [all, selected = NaiveDecodeSelected(records, columns),
                      is_single = records.size() == 1](const auto& result) {
      std::string wrong = Difference(selected, result);
      if (wrong.empty() || Difference(all, result).empty())
        return std::string();
      return is_single ? wrong : std::string();
    };
    return expected;
  };
  // With a sanitizer bounds are what matters, and six ways have all of them.
  const size_t ways = effort == Effort::kQuick ? 3
                      : kInstrumented          ? 6
                                               : std::size(kWaysOfColumns);
  Check(*plan, std::span(kWaysOfColumns).first(ways), oracle, plan->ToString(),
        batches);
}

void DecodeAgreement::CheckSingly(const std::vector<ColumnField>& columns,
                                  std::span<const std::string> records,
                                  Effort effort) {
  // Pieces keep memory small: what is expected takes much more than the
  // records.
  constexpr size_t kPiece = 10000;
  while (!records.empty() && !enough()) {
    const size_t count = std::min(kPiece, records.size());
    Batches batches;
    for (size_t i = 0; i < count; i += kCaseStride) {
      batches.push_back({records[i]});
    }
    Check(columns, batches, effort);
    records = records.subspan(count);
  }
}

void DecodeAgreement::CheckTensors(const Plan& plan, const NaiveDecoder& decode,
                                   const std::string& what,
                                   const Batches& batches) {
  const auto oracle = [this, &decode](Records records) {
    Expected expected;
    std::vector<std::string_view> good;
    for (size_t i = 0; i < records.size(); ++i) {
      if (decode(records.subspan(i, 1)).ok()) {
        good.push_back(records[i]);
      } else {
        expected.skipped.push_back(i);
      }
    }
    const NaiveTensors all = decode(records);
    if (all.ok()) ++outcomes_[ErrorCode::kOk];
    for (const auto& [code, features] : all.errors) ++outcomes_[code];
    expected.failing = [all](const auto& r) { return Difference(all, r); };
    expected.skipping = [rest = decode(good)](const auto& r) {
      return Difference(rest, r);
    };
    return expected;
  };
  Check(plan, kWaysOfTensors, oracle, what, batches);
}

void DecodeAgreement::Check(const FeatureSpec& spec, const Batches& batches) {
  const auto plan = Plan::Compile(spec);
  if (!plan.ok()) {
    return Fail(plan.status().ToString() + "\n" + spec.ToJson());
  }
  const auto decode = [&](Records records) {
    return IsListOfExamples(spec.message()) ? NaiveDecodeLists(records, spec)
                                            : NaiveDecodeTensors(records, spec);
  };
  CheckTensors(*plan, decode, spec.ToJson(), batches);
}

void DecodeAgreement::Check(const Schema& schema, MessageType message,
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
  const auto decode = [&](Records records) {
    return NaiveSchemaTensors(records, spec, columns->columns());
  };
  CheckTensors(*plan, decode, schema.ToText(), batches);
}

void DecodeAgreement::ExpectOften(const std::vector<ErrorCode>& codes,
                                  int times) const {
  for (const ErrorCode code : codes) {
    const auto found = outcomes_.find(code);
    EXPECT_GE(found == outcomes_.end() ? 0 : found->second, times)
        << NameOf(code);
  }
}

std::vector<ColumnField> UsualColumns() {
  return {{"a", Kind::kInt64},
          {"b", Kind::kBytes},
          {"", Kind::kFloat},
          {"z", Kind::kInt64}};
}

}  // namespace headrace::testing
