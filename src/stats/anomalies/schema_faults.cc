// Finds faults of a schema that do not depend on the data.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/plan/tfmd/text_tokenizer.h"
#include "src/stats/anomalies/anomalies.h"

namespace headrace {
namespace {

constexpr std::string_view kBadSchema = "INVALID_SCHEMA_SPECIFICATION";
constexpr std::string_view kBadDomain = "INVALID_DOMAIN_SPECIFICATION";

void SchemaFault(std::string text, Findings* findings) {
  findings->Add(kBadSchema, "Schema contradicts itself", std::move(text));
}

void CheckType(tfmd::Feature* feature, Findings* findings) {
  if (feature->type != tfmd::FeatureType::kUnknown) return;
  if (feature->domain || feature->string_domain) {
    findings->Add("FEATURE_MISSING_TYPE", "Schema gives no type",
                  "the schema gives the feature no type; its domain of strings "
                  "says that it is BYTES");
    feature->type = tfmd::FeatureType::kBytes;
    return;
  }
  findings->Add("FEATURE_MISSING_TYPE", "Schema gives no type",
                "the schema gives the feature no type, so nothing of it can be "
                "checked");
  feature->lifecycle_stage = tfmd::LifecycleStage::kDeprecated;
}

void CheckPresence(tfmd::Feature* feature, Findings* findings) {
  if (!feature->presence || !feature->presence->min_fraction) return;
  if (*feature->presence->min_fraction < 0) {
    feature->presence->min_fraction.reset();
    SchemaFault("presence.min_fraction is negative", findings);
  } else if (*feature->presence->min_fraction > 1) {
    feature->presence->min_fraction = 1;
    SchemaFault("presence.min_fraction is more than 1", findings);
  }
}

void CheckCount(const std::string& name, tfmd::ValueCount* count,
                Findings* findings) {
  if (count->min.value_or(0) < 0) {
    count->min.reset();
    SchemaFault(name + ".min is negative", findings);
  }
  if (count->max && *count->max < count->min.value_or(0)) {
    count->max = count->min.value_or(0);
    SchemaFault(name + ".max is less than its min", findings);
  }
}

void CheckShape(tfmd::Feature* feature, Findings* findings) {
  if (!feature->shape) return;
  for (const tfmd::FixedShape::Dim& dim : feature->shape->dims) {
    if (dim.size.value_or(0) > 0) continue;
    feature->shape.reset();
    SchemaFault("a dimension of the shape is not positive", findings);
    return;
  }
}

// The domain of a feature.
struct Domain {
  std::string_view name;  // of its field, or of the semantic domain
  std::vector<tfmd::FeatureType> types = {};  // allowed; empty: all
  bool is_known = true;                       // to TensorFlow Data Validation
};

Domain DomainOf(tfmd::SemanticDomain semantic) {
  using enum tfmd::FeatureType;
  const std::string_view name = tfmd::SemanticDomainName(semantic);
  switch (semantic) {
    case tfmd::SemanticDomain::kNaturalLanguage:
    case tfmd::SemanticDomain::kTime:
      return {name, {kInt, kBytes}};
    case tfmd::SemanticDomain::kMid:
    case tfmd::SemanticDomain::kUrl:
      return {name, {kBytes}};
    default:
      return {name, {}, false};
  }
}

Domain DomainOf(const tfmd::Feature& feature) {
  using enum tfmd::FeatureType;
  if (feature.domain) return {"domain", {kBytes}};
  if (feature.bool_domain) return {"bool_domain", {kInt, kBytes, kFloat}};
  if (feature.int_domain) return {"int_domain", {kInt, kBytes}};
  if (feature.float_domain) return {"float_domain", {kFloat, kBytes}};
  if (feature.string_domain) return {"string_domain", {kBytes}};
  if (feature.image_domain) return {"image_domain", {kBytes}};
  if (feature.semantic_domain) return DomainOf(*feature.semantic_domain);
  const bool is_struct =
      !feature.children.empty() || !feature.sparse_children.empty();
  return is_struct ? Domain{"struct_domain", {kStruct}} : Domain{"domain"};
}

void ClearDomain(tfmd::Feature* feature) {
  feature->domain.reset();
  feature->int_domain.reset();
  feature->float_domain.reset();
  feature->string_domain.reset();
  feature->bool_domain.reset();
  feature->image_domain.reset();
  feature->semantic_domain.reset();
  feature->children.clear();
  feature->sparse_children.clear();
}

void CheckDomainItself(const Schema& schema, tfmd::Feature* feature,
                       Findings* findings) {
  const Domain domain = DomainOf(*feature);
  if (!domain.types.empty() &&
      std::ranges::find(domain.types, feature->type) == domain.types.end()) {
    findings->Add("DOMAIN_INVALID_FOR_TYPE", "Domain is of another type",
                  "a feature of type " +
                      std::string(tfmd::FeatureTypeName(feature->type)) +
                      " has no " + std::string(domain.name));
    ClearDomain(feature);
  }
  if (feature->domain &&
      FindStringDomain(schema, *feature->domain) == nullptr) {
    findings->Add(kBadDomain, "Domain does not exist",
                  "the schema has no string_domain named " +
                      tfmd_forms::QuoteText(*feature->domain));
    ClearDomain(feature);
    return;
  }
  if (const Domain left = DomainOf(*feature); !left.is_known) {
    findings->Add(
        kBadDomain, "Domain is not known",
        std::string(left.name) + " cannot be compared with statistics");
    ClearDomain(feature);
    return;
  }
  if (feature->distribution_constraints && !feature->domain &&
      !feature->string_domain) {
    feature->distribution_constraints.reset();
    SchemaFault("distribution_constraints go with a domain of strings only",
                findings);
  }
}

}  // namespace

void CheckFeatureItself(const Schema& schema, tfmd::Feature* feature,
                        Findings* findings) {
  CheckType(feature, findings);
  if (IsDeprecated(*feature)) return;
  CheckPresence(feature, findings);
  if (feature->value_count) {
    CheckCount("value_count", &*feature->value_count, findings);
  }
  if (feature->value_counts) {
    for (size_t i = 0; i < feature->value_counts->size(); ++i) {
      CheckCount("value_counts[" + std::to_string(i) + "]",
                 &(*feature->value_counts)[i], findings);
    }
  }
  CheckShape(feature, findings);
  CheckDomainItself(schema, feature, findings);
}

}  // namespace headrace
