// What deserves attention, and what does not.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/stats_report.h"
#include "tests/random/counted_values.h"
#include "tests/random/random_summary.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kRecords = 1000;

// A feature of one number a record, of which nothing is to be said.
FeatureSummary Ints(std::vector<int64_t> values = {}) {
  for (int64_t i = 0; values.size() < kRecords; ++i) values.push_back(i % 50);
  FeatureSummary feature;
  feature.name = "age";
  feature.kind = Kind::kInt64;
  feature.present = feature.present_as[3] = kRecords;
  feature.values = LengthsOf(std::vector<uint64_t>(kRecords, 1));
  feature.int64s = NumbersOf(values);
  return feature;
}

FeatureSummary Floats(std::vector<float> values) {
  for (int i = 0; values.size() < kRecords; ++i) {
    values.push_back(static_cast<float>(i % 50));
  }
  FeatureSummary feature = Ints();
  feature.int64s.reset();
  feature.kind = Kind::kFloat;
  feature.floats = NumbersOf(values);
  std::swap(feature.present_as[2], feature.present_as[3]);
  return feature;
}

FeatureSummary Texts(std::vector<std::string> values) {
  for (int i = 0; values.size() < kRecords; ++i) {
    values.push_back(std::to_string(i % 50));
  }
  FeatureSummary feature = Ints();
  feature.int64s.reset();
  feature.kind = Kind::kBytes;
  feature.bytes = BytesOf(values);
  std::swap(feature.present_as[1], feature.present_as[3]);
  return feature;
}

// The reasons, each followed by its sentence.
std::vector<std::string> Remarks(FeatureSummary feature) {
  StatsSummary stats;
  stats.records = kRecords;
  stats.files = {{"a.tfrecord", 9000}, {"b.tfrecord", 9000}};
  stats.features = {std::move(feature)};
  std::vector<std::string> texts;
  for (const Remark& remark : FindRemarks(stats)) {
    EXPECT_EQ(remark.feature, "age");
    texts.push_back(std::string(NameOf(remark.reason)) + ": " + remark.text);
  }
  return texts;
}

using Lines = std::vector<std::string>;

TEST(RemarksTest, OfUsualFeaturesNothingIsSaid) {
  EXPECT_EQ(Remarks(Ints()), Lines());
  EXPECT_EQ(Remarks(Floats({})), Lines());
  EXPECT_EQ(Remarks(Texts({})), Lines());
  EXPECT_TRUE(FindRemarks({.records = 1}).empty());
}

TEST(RemarksTest, Absence) {
  FeatureSummary feature;
  feature.name = "age";
  feature.missing = 997;
  feature.unset = 3;
  EXPECT_EQ(Remarks(feature),
            Lines{"missing: No record has values of it: 3 records name it "
                  "without a kind."});
  feature.unset = 0;
  EXPECT_EQ(Remarks(feature), Lines{"missing: No record has values of it."});
  FeatureSummary lists = Ints();
  lists.int64s = NumbersOf(std::vector<int64_t>());
  lists.values = LengthsOf(std::vector<uint64_t>(kRecords, 0));
  EXPECT_EQ(Remarks(lists),
            Lines{"empty: It never has a value: all its lists are empty."});
}

TEST(RemarksTest, Kinds) {
  FeatureSummary feature = Ints();
  feature.present_as[2] = 10;
  feature.present_as[3] = 990;
  EXPECT_EQ(Remarks(feature),
            Lines{"kinds: Its kind differs between records: float in 10, "
                  "int64 in 990."});
}

TEST(RemarksTest, LateFeatures) {
  FeatureSummary feature = Ints();
  feature.first_file = "b.tfrecord";
  feature.first_record = 999;
  EXPECT_EQ(Remarks(feature), Lines());
  // The files before count.
  feature.first_record = 1000;
  EXPECT_EQ(Remarks(feature),
            Lines{"late: It first appears in record 10,000, after the 10,000 "
                  "in which readers look for columns."});
}

TEST(RemarksTest, OddLengths) {
  FeatureSummary feature = Ints();
  std::vector<uint64_t> lengths(kRecords, 3);
  lengths[0] = 0;
  lengths[1] = 7;
  feature.values = LengthsOf(lengths);
  EXPECT_EQ(Remarks(feature),
            Lines{"odd_lengths: 99.8% of the records have 3 values of it, "
                  "others from 0 to 7."});
  for (size_t i = 0; i < 60; ++i) lengths[i] = i;
  feature.values = LengthsOf(lengths);
  EXPECT_EQ(Remarks(feature), Lines());
  // Of feature lists the steps must agree.
  feature.in_sequence = true;
  feature.step_values = LengthsOf({2, 2, 2});
  EXPECT_EQ(Remarks(feature), Lines());
}

TEST(RemarksTest, NumbersThatAreNone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Remarks(Floats({kNan, -kInfinity, kInfinity})),
            (Lines{"nan: It is NaN in 1 of its 1,000 values.",
                   "infinite: It is infinite in 2 of its 1,000 values."}));
  // Where every value is NaN no other remark is about its zeros.
  EXPECT_EQ(Remarks(Floats(std::vector<float>(kRecords, kNan))),
            Lines{"nan: It is NaN in 1,000 of its 1,000 values."});
}

TEST(RemarksTest, ConstantAndDominantValues) {
  EXPECT_EQ(Remarks(Ints(std::vector<int64_t>(kRecords, -7))),
            Lines{"constant: All its 1,000 values are -7."});
  EXPECT_EQ(Remarks(Texts(std::vector<std::string>(kRecords, "DE"))),
            Lines{"constant: All its 1,000 values are \u201cDE\u201d."});
  std::vector<int64_t> values(kRecords, 1234);
  values[0] = 1;
  EXPECT_EQ(Remarks(Ints(values)),
            Lines{"dominant: 99.9% of its values are 1,234."});
  std::vector<std::string> texts(kRecords, "\u202eyes");
  texts[0] = "no";
  EXPECT_EQ(Remarks(Texts(texts)),
            Lines{"dominant: 99.9% of its values are \u201c\\u202eyes\u201d."});
  for (size_t i = 0; i < 11; ++i) values[i] = static_cast<int64_t>(i);
  EXPECT_EQ(Remarks(Ints(values)), Lines());
}

TEST(RemarksTest, IntegersThatDoublesRound) {
  constexpr int64_t kExact = int64_t{1} << 53;
  EXPECT_EQ(Remarks(Ints({-kExact, kExact})), Lines());
  const std::string why =
      ": from 2^53 on, JSON readers and anything else that uses doubles round "
      "integers.";
  EXPECT_EQ(Remarks(Ints({kExact + 1})),
            Lines{"large_ints: It has 9,007,199,254,740,993" + why});
  EXPECT_EQ(Remarks(Ints({-kExact - 1})),
            Lines{"large_ints: It has -9,007,199,254,740,993" + why});
}

TEST(RemarksTest, NearlyAllUtf8) {
  EXPECT_EQ(Remarks(Texts({"\xff"})),
            Lines{"not_utf8: Not UTF-8: 1 of its 1,000 values; all others "
                  "are."});
  EXPECT_EQ(Remarks(Texts(std::vector<std::string>(20, "\xff"))), Lines());
}

TEST(RemarksTest, TensorsInBytes) {
  FeatureSummary feature = Texts({"a", "b"});
  const std::string value("\x08\x01\x12\x04\x12\x02\x08\x02\x22\x08", 10);
  feature.bytes->samples = {
      {.value = value, .size = 18, .look = BytesLook::kTensor}};
  EXPECT_EQ(Remarks(feature),
            Lines{"tensors: Its values are TensorProtos, one of them of float "
                  "[2]: a spec with \"encoding\": \"tensor_proto\" reads "
                  "them."});
  feature.bytes->samples.push_back({.value = "text", .size = 4});
  EXPECT_EQ(Remarks(feature), Lines());
}

TEST(RemarksTest, DamageComesFirst) {
  StatsSummary stats = RandomSummary(1, {.features = 20});
  stats.regions = 1;
  stats.bad_records = 2;
  const std::vector<Remark> remarks = FindRemarks(stats);
  ASSERT_GT(remarks.size(), 2u);
  EXPECT_EQ(remarks[0].reason, RemarkReason::kDamaged);
  EXPECT_EQ(remarks[0].text, "Skipped as damaged: 1 region of the files.");
  EXPECT_EQ(remarks[1].reason, RemarkReason::kBadRecords);
  EXPECT_EQ(remarks[1].text,
            "Skipped because they are not messages: 2 records.");
  EXPECT_EQ(FindRemarks(StatsSummary()).front().reason,
            RemarkReason::kNoRecords);
}

}  // namespace
}  // namespace headrace::testing
