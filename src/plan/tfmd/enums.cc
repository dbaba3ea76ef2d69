#include "src/plan/tfmd/enums.h"

#include <cstdint>
#include <iterator>
#include <string_view>

#include "headrace/schema.h"
#include "src/plan/tfmd/message_table.h"

namespace headrace::tfmd_forms {
namespace {

constexpr EnumValue kFeatureTypeValues[] = {
    {"TYPE_UNKNOWN", 0}, {"BYTES", 1}, {"INT", 2}, {"FLOAT", 3}, {"STRUCT", 4}};
// DERIVED = 8 existed for five weeks of 2022.
constexpr EnumValue kLifecycleStageValues[] = {
    {"UNKNOWN_STAGE", 0}, {"PLANNED", 1},    {"ALPHA", 2},
    {"BETA", 3},          {"PRODUCTION", 4}, {"DEPRECATED", 5},
    {"DEBUG_ONLY", 6},    {"DISABLED", 7},   {"VALIDATION_DERIVED", 9}};
constexpr EnumValue kRowPartitionDTypeValues[] = {
    {"UNSPECIFIED", 0}, {"INT64", 1}, {"INT32", 2}};
constexpr EnumValue kCategoricalValues[] = {{"CATEGORICAL_UNSPECIFIED", 0},
                                            {"CATEGORICAL_YES", 1},
                                            {"CATEGORICAL_NO", 2}};
constexpr EnumValue kTimeFormatValues[] = {
    {"FORMAT_UNKNOWN", 0},    {"UNIX_SECONDS", 1},     {"UNIX_MILLISECONDS", 2},
    {"UNIX_MICROSECONDS", 3}, {"UNIX_NANOSECONDS", 4}, {"UNIX_DAYS", 5}};
constexpr EnumValue kTimeOfDayFormatValues[] = {{"FORMAT_UNKNOWN", 0},
                                                {"PACKED_64_NANOS", 1}};
constexpr EnumValue kHistogramTypeValues[] = {
    {"DEFAULT", 0}, {"QUANTILES", 1}, {"STANDARD", 2}};
constexpr EnumValue kSequentialStatusValues[] = {
    {"SEQUENTIAL_UNSPECIFIED", 0}, {"SEQUENTIAL_YES", 1}, {"SEQUENTIAL_NO", 2}};
constexpr EnumValue kSliceValueTypeValues[] = {{"VALUE_TYPE_DEFAULT", 0},
                                               {"VALUE_TYPE_INTEGER", 1},
                                               {"VALUE_TYPE_FLOAT", 2},
                                               {"VALUE_TYPE_UNSUPPORTED", 3}};

// In the order of EnumId.
constexpr EnumTable kEnums[] = {
    {"FeatureType", kFeatureTypeValues},
    {"LifecycleStage", kLifecycleStageValues},
    {"RowPartitionDType", kRowPartitionDTypeValues},
    {"Categorical", kCategoricalValues},
    {"IntegerTimeFormat", kTimeFormatValues},
    {"IntegerTimeOfDayFormat", kTimeOfDayFormatValues},
    {"HistogramSelection.Type", kHistogramTypeValues},
    {"SequentialStatus", kSequentialStatusValues},
    {"SliceValueTypes", kSliceValueTypeValues, true},
};
static_assert(std::size(kEnums) == kSliceValueType + 1);

std::string_view NameOf(EnumId type, int64_t number) {
  const EnumValue* const value = kEnums[type].Find(number);
  return value == nullptr ? std::string_view() : value->name;
}

}  // namespace

const EnumTable& Field::enumeration() const { return kEnums[of]; }

const EnumValue* EnumTable::Find(std::string_view value) const {
  for (const EnumValue& known : values) {
    if (known.name == value) return &known;
  }
  return nullptr;
}

const EnumValue* EnumTable::Find(int64_t number) const {
  for (const EnumValue& value : values) {
    if (value.number == number) return &value;
  }
  return nullptr;
}

}  // namespace headrace::tfmd_forms

namespace headrace::tfmd {
namespace {

// In the order of tfmd::SemanticDomain.
constexpr std::string_view kSemanticDomains[] = {"natural_language_domain",
                                                 "mid_domain",
                                                 "url_domain",
                                                 "time_domain",
                                                 "time_of_day_domain",
                                                 "audio_domain",
                                                 "video_domain",
                                                 "content_chunk_domain"};

}  // namespace

std::string_view SemanticDomainName(SemanticDomain domain) {
  return kSemanticDomains[static_cast<size_t>(domain)];
}

std::string_view FeatureTypeName(FeatureType type) {
  return tfmd_forms::NameOf(tfmd_forms::kFeatureTypeEnum,
                            static_cast<int64_t>(type));
}

std::string_view LifecycleStageName(LifecycleStage stage) {
  return tfmd_forms::NameOf(tfmd_forms::kLifecycleStage,
                            static_cast<int64_t>(stage));
}

}  // namespace headrace::tfmd
