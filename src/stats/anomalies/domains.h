// The domain of a feature in a schema, by the rules of TensorFlow Data
// Validation.

#ifndef HEADRACE_SRC_STATS_ANOMALIES_DOMAINS_H_
#define HEADRACE_SRC_STATS_ANOMALIES_DOMAINS_H_

#include <cstdint>
#include <string_view>

#include "headrace/schema.h"
#include "src/stats/anomalies/findings.h"
#include "src/stats/report/feature_view.h"

namespace headrace {

enum class Domain : uint8_t {
  kNone,
  kNamed,  // by `domain`
  kBool,
  kInt,
  kFloat,
  kString,
  kStruct,
  kImage,
  // These are in the order of tfmd::SemanticDomain.
  kNaturalLanguage,
  kMid,
  kUrl,
  kTime,
  kTimeOfDay,
  kAudio,
  kVideo,
  kContentChunk,
};

Domain DomainOf(const tfmd::Feature& feature);
// Returns the name of the domain's field.
std::string_view DomainName(Domain domain);
void ClearDomain(tfmd::Feature* feature);
bool MayHaveDomain(tfmd::FeatureType type, Domain domain);
// Whether TensorFlow Data Validation does not know the domain.
bool IsUnknownDomain(Domain domain);

// Compares the values with the feature's domain.
void CheckDomain(const Schema& schema, const tfmd::Feature& feature,
                 const FeatureView& view, Findings* findings);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_ANOMALIES_DOMAINS_H_
