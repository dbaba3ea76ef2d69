// A decoder on every target, with the records flush against guard pages,
// against the naive decoder.

#ifndef HEADRACE_TESTS_AGREEMENT_DECODE_AGREEMENT_H_
#define HEADRACE_TESTS_AGREEMENT_DECODE_AGREEMENT_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/naive_columns.h"

namespace headrace::testing {

// After so many failures more say nothing new.
inline constexpr int kEnoughFailures = 5;

// Each record in pages of its own, so that none is another's slack.
class GuardedRecords {
 public:
  enum class Place {
    kEnd,        // the byte after the record faults
    kPaddedEnd,  // the byte after the record's 64 slack bytes faults
    kStart,      // the byte before the record faults
  };

  // The records so placed; valid until the next call.
  std::span<const std::string_view> Put(
      std::span<const std::string_view> records, Place place);

 private:
  std::vector<std::unique_ptr<GuardedBytes>> buffers_;
  std::vector<std::string_view> views_;
};

// How many of the ways to decode a batch are tried: for millions of records
// kQuick tries those that differ most.
enum class Effort { kQuick, kFull };

// Decodes batches of any records into fixed columns and reports differences as
// test failures, a few only.
class DecodeAgreement {
 public:
  explicit DecodeAgreement(std::vector<ColumnField> columns,
                           Effort effort = Effort::kFull)
      : columns_(std::move(columns)), effort_(effort) {}

  // Each batch under kFail and kSkip, strict and not, padded and not. What is
  // said of an error must be the same, letter for letter, on every target and
  // in every placement.
  void Check(const std::vector<std::vector<std::string>>& batches);
  // Each record as a batch of its own; with a sanitizer every third.
  void CheckSingly(std::span<const std::string> records);

  // Too many failures: there is no point in going on.
  bool enough() const;

 private:
  struct Expected {
    std::vector<std::string_view> records;
    NaiveResult strict;             // under kFail
    NaiveResult skipping;           // under kSkip
    std::vector<uint64_t> skipped;  // which records
    // With verify_unselected off, damage in values that are not looked at may
    // be found or not: then this or `strict`.
    NaiveResult loose;
    Status error;  // of the first decode, once there is one
  };
  class Pass;

  Expected Expect(const std::vector<std::string>& batch) const;
  void RunTarget(std::vector<Expected>* batches);

  std::vector<ColumnField> columns_;
  Effort effort_;
  int failures_ = 0;
};

// Columns that the grammar of tests/support/sequences.h and the wire families
// use: "a" int64, "b" bytes, "" float, "z" int64.
std::vector<ColumnField> UsualColumns();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_AGREEMENT_DECODE_AGREEMENT_H_
