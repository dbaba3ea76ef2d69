// One tensor of a schema as a feature of a spec, where no caller would ask.

#include "src/plan/schema/source_columns.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using tfmd::FeatureType;

TEST(TensorFeature, NeedsAKindOfTensor) {
  EXPECT_THAT(
      schema::ToFeature({.name = "t"}, FeatureType::kInt, /*allow_uint=*/true),
      HasCode(ErrorCode::kBadSpec));
}

TEST(TensorFeature, UnsignedDefaultsThatFitAreInts) {
  const auto feature = [](uint64_t value, FeatureType type) {
    return schema::ToFeature(
        {.name = "t",
         .kind = tfmd::DenseTensor{.default_value = tfmd::DefaultValue{value}}},
        type, /*allow_uint=*/true);
  };
  const auto largest = OrThrow(feature(INT64_MAX, FeatureType::kInt));
  EXPECT_EQ(largest.config.default_values,
            DefaultValues(std::vector<int64_t>{INT64_MAX}));
  EXPECT_THAT(feature(uint64_t{1} << 63, FeatureType::kInt),
              HasCode(ErrorCode::kBadSpec));
  EXPECT_THAT(feature(1, FeatureType::kFloat), HasCode(ErrorCode::kBadSpec));
}

}  // namespace
}  // namespace headrace::testing
