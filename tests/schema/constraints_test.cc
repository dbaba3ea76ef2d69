// What a schema says of the statistics of a dataset.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "headrace/schema.h"
#include "tests/schema/schema_texts.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

// Fields are in the order of their numbers, as protobuf's printers have them.
constexpr char kConstraints[] = R"(feature {
  name: "words"
  type: BYTES
  domain: "colours"
  distribution_constraints {
    min_domain_mass: 0.9
  }
  group_presence {
    required: true
  }
  skew_comparator {
    infinity_norm {
      threshold: 0.1
    }
  }
  not_in_environment: "SERVING"
  in_environment: "TRAINING"
  in_environment: "EVAL"
  drift_comparator {
    infinity_norm {
      threshold: 0.0
    }
    jensen_shannon_divergence {
      threshold: 1.0
      source {
        type: QUANTILES
      }
    }
    normalized_abs_difference {
      threshold: 0.5
    }
  }
  unique_constraints {
    min: 1
    max: 2
  }
  value_counts {
    value_count {
      min: 1
    }
    value_count {
    }
  }
}
feature {
  name: "ints"
  type: INT
  int_domain {
    name: "i"
    min: -5
    max: 9223372036854775807
    is_categorical: false
  }
  presence {
    min_fraction: 1.0
  }
}
feature {
  name: "floats"
  type: FLOAT
  float_domain {
    name: "f"
    min: -inf
    max: 0.1
    disallow_nan: true
    disallow_inf: false
    is_embedding: true
    is_categorical: false
    embedding_dim: 3
    embedding_type: "e"
  }
}
feature {
  name: "inline"
  type: BYTES
  string_domain {
    value: "a"
    value: "\377"
    is_categorical: CATEGORICAL_NO
  }
}
feature {
  name: "switch"
  bool_domain {
    name: "b"
    true_value: "yes"
    false_value: ""
  }
}
feature {
  name: "picture"
  image_domain {
    minimum_supported_image_fraction: 1e-05
    max_image_byte_size: 1000
  }
}
feature {
  name: "link"
  url_domain {
  }
  unique_constraints {
  }
}
feature {
  name: "film"
  unique_constraints {
  }
  video_domain {
  }
}
string_domain {
  name: "colours"
  value: "red"
  value: "green"
  is_categorical: CATEGORICAL_UNSPECIFIED
}
default_environment: "TRAINING"
float_domain {
  max: 3.4028235e+38
}
int_domain {
  name: "all"
}
dataset_constraints {
  num_examples_drift_comparator {
    min_fraction_threshold: 0.5
    max_fraction_threshold: nan
  }
  num_examples_version_comparator {
  }
  min_examples_count: 1
  max_examples_count: 100
}
weighted_feature {
  name: "w"
  feature {
    step: "a"
    step: "b"
  }
  weight_feature {
    step: "c"
  }
  lifecycle_stage: ALPHA
}
)";

float MaxOf(const std::string& text) {
  const Schema schema =
      SchemaOf("feature { float_domain { max: " + text + " } }");
  return schema.features.at(0).float_domain->max.value();
}

TEST(SchemaConstraints, AreKept) {
  EXPECT_EQ(SchemaOf(kConstraints).ToText(), kConstraints);
  const Schema schema = SchemaOf(kConstraints);
  EXPECT_EQ(schema.features[0].drift_comparator->histogram,
            tfmd::HistogramType::kQuantiles);
  EXPECT_EQ(schema.features[0].value_counts->at(0).min, 1);
  EXPECT_EQ(schema.features[3].string_domain->values.at(1), "\xff");
  EXPECT_EQ(schema.features[6].semantic_domain, tfmd::SemanticDomain::kUrl);
  EXPECT_EQ(schema.features[7].semantic_domain, tfmd::SemanticDomain::kVideo);
  EXPECT_EQ(schema.weighted_features[0].feature.at(1), "b");
}

TEST(SchemaConstraints, FloatsAreRoundedFromText) {
  EXPECT_EQ(MaxOf("0.1"), 0.1f);
  EXPECT_EQ(MaxOf("-1e40"), -std::numeric_limits<float>::infinity());
  // Between the greatest float and what is nearer to the next one.
  EXPECT_EQ(MaxOf("3.40282356e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(MaxOf("3.4028236e38"), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(MaxOf("nan")));
}

TEST(SchemaConstraints, LastDomainWinsInWireFormat) {
  const std::string floats =
      LenField(10, Fixed32Field(3, 0x3f800000) + VarintField(5, 1));
  const auto feature = [](const std::string& fields) {
    return OrThrow(Schema::FromBinary(LenField(1, fields))).features.at(0);
  };
  EXPECT_EQ(feature(floats).float_domain->min, 1.0f);
  EXPECT_EQ(feature(floats).float_domain->disallow_nan, true);
  EXPECT_EQ(feature(floats + LenField(7, "d")).float_domain, std::nullopt);
  EXPECT_EQ(feature(floats + LenField(7, "d")).domain, "d");
  EXPECT_EQ(feature(floats + LenField(27, "")).semantic_domain,
            tfmd::SemanticDomain::kUrl);
  // A domain that is there twice is merged.
  EXPECT_EQ(feature(floats + LenField(10, VarintField(6, 1))).float_domain->min,
            1.0f);
  EXPECT_FALSE(Schema::FromBinary(LenField(1, LenField(10, "\x1d\x01"))).ok());
}

}  // namespace
}  // namespace headrace::testing
