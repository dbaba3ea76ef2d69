#include "src/stats/anomalies/domains.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace {
namespace {

constexpr std::string_view kDomainNames[] = {
    "domain",       "domain",        "bool_domain",   "int_domain",
    "float_domain", "string_domain", "struct_domain", "image_domain"};

}  // namespace

Domain DomainOf(const tfmd::Feature& feature) {
  if (feature.domain) return Domain::kNamed;
  if (feature.bool_domain) return Domain::kBool;
  if (feature.int_domain) return Domain::kInt;
  if (feature.float_domain) return Domain::kFloat;
  if (feature.string_domain) return Domain::kString;
  if (feature.image_domain) return Domain::kImage;
  if (feature.semantic_domain) {
    return static_cast<Domain>(static_cast<uint8_t>(Domain::kNaturalLanguage) +
                               static_cast<uint8_t>(*feature.semantic_domain));
  }
  return feature.children.empty() && feature.sparse_children.empty()
             ? Domain::kNone
             : Domain::kStruct;
}

std::string_view DomainName(Domain domain) {
  if (domain < Domain::kNaturalLanguage) {
    return kDomainNames[static_cast<size_t>(domain)];
  }
  return tfmd::SemanticDomainName(static_cast<tfmd::SemanticDomain>(
      static_cast<uint8_t>(domain) -
      static_cast<uint8_t>(Domain::kNaturalLanguage)));
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

bool MayHaveDomain(tfmd::FeatureType type, Domain domain) {
  using enum tfmd::FeatureType;
  switch (domain) {
    case Domain::kNamed:
    case Domain::kString:
    case Domain::kImage:
    case Domain::kMid:
    case Domain::kUrl:
      return type == kBytes;
    case Domain::kBool:
      return type == kInt || type == kBytes || type == kFloat;
    case Domain::kInt:
    case Domain::kNaturalLanguage:
    case Domain::kTime:
      return type == kInt || type == kBytes;
    case Domain::kFloat:
      return type == kFloat || type == kBytes;
    case Domain::kStruct:
      return type == kStruct;
    case Domain::kNone:
    case Domain::kTimeOfDay:
    case Domain::kAudio:
    case Domain::kVideo:
    case Domain::kContentChunk:
      break;
  }
  return true;
}

bool IsUnknownDomain(Domain domain) { return domain >= Domain::kTimeOfDay; }

}  // namespace headrace
