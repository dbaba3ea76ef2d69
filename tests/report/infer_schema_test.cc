#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "headrace/stats_summary.h"
#include "tests/report/summaries.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {
namespace {

tfmd::Feature Inferred(const FeatureSummary& feature,
                       const InferOptions& options = {.domains = true}) {
  const Schema schema = InferSchema(DatasetSummary(3, {feature}), options);
  EXPECT_EQ(schema.features.size(), 1u);
  return schema.features.at(0);
}

// The schema as text has just these features.
void ExpectSchema(const Schema& schema, const char* text) {
  EXPECT_EQ(schema.ToText(), OrThrow(Schema::FromText(text)).ToText());
}

TEST(InferSchemaOfStats, PresenceAndLengths) {
  FeatureSummary sometimes = IntSummary("b", {2, 3});
  sometimes.values = {.count = 2, .min = 1, .max = 4, .total = 5};
  FeatureSummary empty = IntSummary("c", {2, 3, 4});
  empty.values.min = 0;
  const FeatureSummary never{.name = "d", .missing = 3};
  ExpectSchema(
      InferSchema(DatasetSummary(
          3, {IntSummary("a", {2, 3, 4}), sometimes, empty, never})),
      "feature { name: 'a' type: INT presence { min_fraction: 1 min_count: 1 }"
      " shape { dim { size: 1 } } }"
      "feature { name: 'b' type: INT presence { min_count: 1 }"
      " value_count { min: 1 } }"
      "feature { name: 'c' type: INT presence { min_fraction: 1 min_count: 1 }"
      " }"
      "feature { name: 'd' type: BYTES presence { min_count: 0 } }");
}

TEST(InferSchemaOfStats, DomainsOfNumbers) {
  EXPECT_EQ(Inferred(IntSummary("i", {INT64_MIN, 0, INT64_MAX})).int_domain,
            (tfmd::IntDomain{.min = INT64_MIN, .max = INT64_MAX}));
  EXPECT_EQ(Inferred(IntSummary("i", {0, 0, 1})).bool_domain,
            tfmd::BoolDomain());
  // No value is true.
  EXPECT_EQ(Inferred(IntSummary("i", {0})).int_domain,
            (tfmd::IntDomain{.min = 0, .max = 0}));
  EXPECT_EQ(Inferred(FloatSummary("f", {-1.5, .1f})).float_domain,
            (tfmd::FloatDomain{.min = -1.5f, .max = .1f}));
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Inferred(FloatSummary("f", {1, 2, kInfinite})).float_domain,
            (tfmd::FloatDomain{.min = 1}));
  EXPECT_EQ(Inferred(FloatSummary("f", {std::nanf("")})).float_domain,
            std::nullopt);
  FeatureSummary category = IntSummary("i", {0, 1});
  category.categories = BytesStats{.count = 2};
  EXPECT_EQ(Inferred(category).int_domain,
            (tfmd::IntDomain{.min = 0, .max = 1, .is_categorical = true}));
}

TEST(InferSchemaOfStats, DomainsOfBytes) {
  EXPECT_EQ(Inferred(BytesSummary("b", {{"0", 2}, {"true", 1}})).bool_domain,
            (tfmd::BoolDomain{.true_value = "true", .false_value = "0"}));
  EXPECT_EQ(Inferred(BytesSummary("b", {{"", 2}})).bool_domain,
            (tfmd::BoolDomain{.true_value = ""}));
  EXPECT_EQ(Inferred(BytesSummary("b", {{"1", 2}, {"-7", 1}})).int_domain,
            tfmd::IntDomain());
  FeatureSummary binary = BytesSummary("b", {{"x", 3}});
  binary.bytes->utf8 = 2;
  EXPECT_EQ(Inferred(binary).domain, std::nullopt);
  ExpectSchema(
      InferSchema(
          DatasetSummary(3, {BytesSummary("a.b", {{"true", 2}, {"set", 1}})}),
          {.domains = true}),
      "feature { name: 'a.b' type: BYTES domain: \"'a.b'\""
      " presence { min_fraction: 1 min_count: 1 } shape { dim { size: 1 } } }"
      "string_domain { name: \"'a.b'\" value: 'set' value: 'true' }");
}

TEST(InferSchemaOfStats, NoDomainOfManyValues) {
  const FeatureSummary three =
      BytesSummary("b", {{"x", 2}, {"y", 1}, {"z", 1}});
  EXPECT_EQ(Inferred(three, {.domains = true, .max_string_domain = 3}).domain,
            "b");
  EXPECT_EQ(Inferred(three, {.domains = true, .max_string_domain = 2}).domain,
            std::nullopt);
  EXPECT_EQ(Inferred(three, {}).domain, std::nullopt);
  // Not all distinct values are known.
  FeatureSummary more = three;
  more.bytes->distinct = 4;
  EXPECT_EQ(Inferred(more).domain, std::nullopt);
}

TEST(InferSchemaOfStats, FeatureLists) {
  FeatureSummary frames = IntSummary("frames", {1, 2, 3});
  frames.in_sequence = true;
  frames.steps = {.count = 3, .min = 0, .max = 2, .total = 5};
  frames.step_values = {.count = 5, .min = 4, .max = 4, .total = 20};
  StatsSummary stats = DatasetSummary(3, {frames});
  stats.message = MessageType::kSequence;
  const Schema schema = InferSchema(stats);
  ExpectSchema(
      schema,
      "feature { name: '##SEQUENCE##' type: STRUCT value_count { min: 1 max: 1 "
      "}"
      " presence { min_fraction: 1 min_count: 1 } struct_domain {"
      "  feature { name: 'frames' type: INT"
      "   presence { min_fraction: 1 min_count: 1 }"
      "   value_counts { value_count {} value_count { min: 4 max: 4 } } } } }");
  EXPECT_THAT(Plan::ForColumnsOf(schema), IsOk());
  stats.features.clear();
  EXPECT_THAT(Plan::ForColumnsOf(InferSchema(stats)), IsOk());
}

}  // namespace
}  // namespace headrace::testing
