#include "tests/agreement/decode_agreement.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"
#include "tests/support/batch_columns.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/hex.h"
#include "tests/support/protobuf_oracle.h"

namespace headrace::testing {

using Place = GuardedRecords::Place;

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

// The decoders of one target.
class DecodeAgreement::Pass {
 public:
  Pass(const Plan& plan, Effort effort) {
    constexpr auto kFail = OnRowError::kFail;
    constexpr auto kSkip = OnRowError::kSkip;
    Add(plan, kFail, /*strict=*/true, /*padded=*/false, Place::kEnd);
    Add(plan, kFail, /*strict=*/true, /*padded=*/true, Place::kPaddedEnd);
    Add(plan, kFail, /*strict=*/false, /*padded=*/true, Place::kPaddedEnd);
    if (effort == Effort::kQuick) return;
    Add(plan, kFail, /*strict=*/false, /*padded=*/false, Place::kEnd);
    for (Place place : {Place::kEnd, Place::kStart}) {
      Add(plan, kSkip, /*strict=*/true, /*padded=*/false, place);
    }
    // Bounds have been looked at; the rest is of results.
    if (kInstrumented) return;
    for (Place place : {Place::kPaddedEnd, Place::kStart}) {
      Add(plan, kSkip, /*strict=*/true, /*padded=*/true, place);
    }
    Add(plan, kFail, /*strict=*/true, /*padded=*/true, Place::kStart);
  }

  // What is wrong with one batch; empty for nothing.
  std::string Check(Expected* expected) {
    for (Way& way : ways_) {
      const auto records = guarded_.Put(expected->records, way.place);
      std::string wrong = CheckWay(&way, records, expected);
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

  void Add(const Plan& plan, OnRowError policy, bool strict, bool padded,
           Place place) {
    DecodeOptions options;
    options.on_row_error = policy;
    options.verify_unselected = strict;
    options.padded_input = padded;
    ways_.push_back({options, place, Decoder(plan, options)});
  }

  static std::string Describe(const Way& way) {
    const DecodeOptions& options = way.options;
    std::string text = options.padded_input ? " (padded" : " (not padded";
    text += options.verify_unselected ? ", strict" : ", loose";
    text += options.on_row_error == OnRowError::kSkip ? ", skip" : ", fail";
    return text + ", place " + std::to_string(static_cast<int>(way.place)) +
           ")";
  }

  static std::string CheckWay(Way* way,
                              std::span<const std::string_view> records,
                              Expected* expected) {
    const Result<Batch> result = way->decoder.Decode(records);
    if (way->options.on_row_error == OnRowError::kSkip) {
      std::string wrong = Difference(expected->skipping, result);
      return wrong.empty() ? CheckSkipped(way->decoder, *expected) : wrong;
    }
    if (way->options.verify_unselected) {
      std::string wrong = Difference(expected->strict, result);
      return wrong.empty() ? CheckError(result.status(), expected) : wrong;
    }
    // Nothing but these two may be claimed, and of a longer batch with several
    // such records any mixture of them.
    std::string wrong = Difference(expected->loose, result);
    if (wrong.empty() || Difference(expected->strict, result).empty())
      return {};
    return expected->records.size() == 1 ? wrong : "";
  }

  static std::string CheckError(const Status& error, Expected* expected) {
    if (error.ok()) return {};
    if (expected->error.ok()) expected->error = error;
    return Difference(expected->error, error);
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

  std::vector<Way> ways_;
  GuardedRecords guarded_;
};

DecodeAgreement::Expected DecodeAgreement::Expect(
    const std::vector<std::string>& batch) const {
  Expected expected;
  expected.records.assign(batch.begin(), batch.end());
  for (std::string_view record : expected.records) {
    // Otherwise the comparison below would be with something wrong.
    for (const auto type : {MessageType::kExample, MessageType::kSequence}) {
      EXPECT_EQ(NaiveParse(record, type), ProtobufParse(record, type))
          << ToHex(record);
    }
  }
  std::vector<NaiveResult> errors;
  expected.skipping = NaiveDecodeSkipping(expected.records, columns_, &errors);
  expected.strict = errors.empty() ? expected.skipping : errors.front();
  for (const NaiveResult& error : errors) {
    expected.skipped.push_back(error.record);
  }
  expected.loose = NaiveDecodeSelected(expected.records, columns_);
  return expected;
}

void DecodeAgreement::RunTarget(std::vector<Expected>* batches) {
  const auto plan = Plan::ForColumns(columns_);
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  Pass pass(*plan, effort_);
  for (Expected& expected : *batches) {
    const std::string wrong = pass.Check(&expected);
    if (wrong.empty()) continue;
    ADD_FAILURE() << wrong << " on " << HexOf(expected.records);
    ++failures_;
    if (enough()) return;
  }
}

void DecodeAgreement::Check(
    const std::vector<std::vector<std::string>>& batches) {
  // Views into `batches`, which outlives them.
  std::vector<Expected> expected;
  expected.reserve(batches.size());
  for (const auto& batch : batches) expected.push_back(Expect(batch));
  ForEachTarget([&] {
    if (!enough()) RunTarget(&expected);
  });
}

void DecodeAgreement::CheckSingly(std::span<const std::string> records) {
  // In pieces: what is expected takes much more memory than the records.
  constexpr size_t kPiece = 10000;
  while (!records.empty() && !enough()) {
    const size_t count = std::min(kPiece, records.size());
    std::vector<std::vector<std::string>> batches;
    for (size_t i = 0; i < count; i += kCaseStride) {
      batches.push_back({records[i]});
    }
    Check(batches);
    records = records.subspan(count);
  }
}

bool DecodeAgreement::enough() const { return failures_ >= kEnoughFailures; }

std::vector<ColumnField> UsualColumns() {
  return {{"a", Kind::kInt64},
          {"b", Kind::kBytes},
          {"", Kind::kFloat},
          {"z", Kind::kInt64}};
}

}  // namespace headrace::testing
