// CheckDomain compares the values of a feature with its domain.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "src/plan/tfmd/text_tokenizer.h"
#include "src/stats/anomalies/anomalies.h"
#include "src/stats/report/feature_view.h"

namespace headrace {
namespace {

using tfmd_forms::QuoteText;

// Maximum number of values outside a domain that an anomaly lists.
constexpr size_t kShownValues = 10;

void CheckInts(const tfmd::IntDomain& domain, const FeatureView& view,
               Findings* findings) {
  std::optional<ValueRange<int64_t>> range;
  if (const NumberStats<int64_t>* ints = view.ints()) {
    if (ints->count > 0) range = {ints->min, ints->max};
  } else if (const BytesStats* values = view.named_values()) {
    const auto numbers = WholeNumbers(*values);
    if (numbers.not_a_number) {
      findings->Add("INT_TYPE_NOT_INT_STRING",
                    "Text that is not a whole number",
                    "the domain is of whole numbers, and a value is " +
                        QuoteText(*numbers.not_a_number));
      return;
    }
    range = numbers.range;
  }
  if (!range) return;
  if (domain.min && range->min < *domain.min) {
    findings->Add("INT_TYPE_SMALL_INT", "Values below the domain",
                  "the least value is " + std::to_string(range->min) +
                      ", and that of the domain is " +
                      std::to_string(*domain.min));
  }
  if (domain.max && range->max > *domain.max) {
    findings->Add("INT_TYPE_BIG_INT", "Values above the domain",
                  "the greatest value is " + std::to_string(range->max) +
                      ", and that of the domain is " +
                      std::to_string(*domain.max));
  }
}

void CheckFloatRange(const tfmd::FloatDomain& domain,
                     const ValueRange<float>& range, Findings* findings) {
  if (domain.min && range.min < *domain.min) {
    findings->Add("FLOAT_TYPE_SMALL_FLOAT", "Values below the domain",
                  "the least value is " + NumberText(range.min) +
                      ", and that of the domain is " + NumberText(*domain.min));
  }
  if (domain.max && range.max > *domain.max) {
    findings->Add("FLOAT_TYPE_BIG_FLOAT", "Values above the domain",
                  "the greatest value is " + NumberText(range.max) +
                      ", and that of the domain is " + NumberText(*domain.max));
  }
  if (domain.disallow_inf.value_or(false) &&
      (std::isinf(range.min) || std::isinf(range.max))) {
    findings->Add("FLOAT_TYPE_HAS_INF", "Infinite values",
                  "some values are infinite, which the domain forbids");
  }
}

void CheckFloats(const tfmd::FloatDomain& domain, const FeatureView& view,
                 Findings* findings) {
  TextNumbers<float> numbers;
  if (const NumberStats<float>* floats = view.floats()) {
    numbers.range = RangeOf(*floats);
    numbers.has_nan = floats->nan > 0;
  } else if (view.type() == tfmd::FeatureType::kBytes &&
             view.named_values() != nullptr) {
    numbers = DecimalNumbers(*view.named_values());
  }
  if (numbers.has_nan && domain.disallow_nan.value_or(false)) {
    findings->Add("FLOAT_TYPE_HAS_NAN", "NaN values",
                  "some values are NaN, which the domain forbids");
  }
  if (numbers.not_a_number) {
    findings->Add("FLOAT_TYPE_STRING_NOT_FLOAT", "Text that is not a number",
                  "the domain is of decimal numbers, and a value is " +
                      QuoteText(*numbers.not_a_number));
  } else if (numbers.range) {
    CheckFloatRange(domain, *numbers.range, findings);
  }
}

void NotBool(std::string_view type, const std::string& value,
             Findings* findings) {
  findings->Add(type, "Values that are neither true nor false",
                "a value is " + value + ", which the domain does not have");
}

void CheckBoolFloats(const NumberStats<float>& numbers, Findings* findings) {
  constexpr std::string_view kType = "BOOL_TYPE_UNEXPECTED_FLOAT";
  const auto is_bool = [](float value) { return value == 0 || value == 1; };
  if (const auto range = RangeOf(numbers)) {
    for (const float value : {range->min, range->max}) {
      if (!is_bool(value)) return NotBool(kType, NumberText(value), findings);
    }
  }
  if (numbers.nan > 0) return NotBool(kType, "NaN", findings);
  for (const auto& [value, weight] : numbers.distribution.items) {
    if (!is_bool(value)) return NotBool(kType, NumberText(value), findings);
  }
}

void CheckBools(const tfmd::BoolDomain& domain, const FeatureView& view,
                Findings* findings) {
  if (const NumberStats<int64_t>* ints = view.ints()) {
    if (ints->min < 0) {
      NotBool("BOOL_TYPE_SMALL_INT", std::to_string(ints->min), findings);
    } else if (ints->max > 1) {
      NotBool("BOOL_TYPE_BIG_INT", std::to_string(ints->max), findings);
    }
  } else if (const NumberStats<float>* floats = view.floats()) {
    CheckBoolFloats(*floats, findings);
  } else if (const BytesStats* values = view.named_values()) {
    for (const ValueCount& value : values->top) {
      const bool is_whole = value.size == value.value.size();
      if (is_whole && (value.value == domain.true_value ||
                       value.value == domain.false_value)) {
        continue;
      }
      return NotBool("BOOL_TYPE_UNEXPECTED_STRING", QuoteText(value.value),
                     findings);
    }
  }
}

bool Has(const std::set<std::string_view>& domain, const ValueCount& value) {
  if (value.size == value.value.size()) return domain.contains(value.value);
  return std::any_of(domain.begin(), domain.end(), [&](std::string_view text) {
    return text.size() == value.size && text.starts_with(value.value);
  });
}

std::string Listed(const std::vector<const ValueCount*>& values, double total) {
  std::string text;
  for (size_t i = 0; i < values.size() && i < kShownValues; ++i) {
    if (i > 0) text += ", ";
    text += QuoteText(values[i]->value) + " (" +
            ShareText(static_cast<double>(values[i]->count) / total) + ")";
  }
  if (values.size() > kShownValues) {
    text += " and " + std::to_string(values.size() - kShownValues) + " more";
  }
  return text;
}

// `allowed` is the share of the values that may be outside the domain.
void CheckStrings(const tfmd::StringDomain& domain, double allowed,
                  const FeatureView& view, Findings* findings) {
  const BytesStats* const values = view.named_values();
  if (values == nullptr) return;
  if (view.type() == tfmd::FeatureType::kBytes &&
      values->utf8 < values->count) {
    findings->Add("ENUM_TYPE_INVALID_UTF8", "Values that are not UTF-8",
                  Counted(values->count - values->utf8, "value") +
                      " are not UTF-8, so the domain cannot have them");
    return;
  }
  const std::set<std::string_view> known(domain.values.begin(),
                                         domain.values.end());
  std::vector<const ValueCount*> unknown;
  double count = 0;
  for (const ValueCount& value : values->top) {
    if (Has(known, value)) continue;
    unknown.push_back(&value);
    count += static_cast<double>(value.count);
  }
  if (unknown.empty()) return;
  const auto total = static_cast<double>(view.feature()->values.total);
  if (allowed != 0 && !(count / total > allowed)) return;
  findings->Add("ENUM_TYPE_UNEXPECTED_STRING_VALUES",
                "Values that the domain lacks",
                "the domain lacks " + Listed(unknown, total));
}

double AllowedOutside(const tfmd::Feature& feature) {
  if (!feature.distribution_constraints) return 0;
  return 1 - feature.distribution_constraints->min_domain_mass.value_or(1);
}

void CheckImages(const tfmd::ImageDomain& domain, const FeatureView& view,
                 Findings* findings) {
  const BytesStats* const values = view.named_values();
  if (values == nullptr || !domain.max_image_byte_size) return;
  const int64_t max = *domain.max_image_byte_size;
  if (max >= 0 && values->lengths.max <= static_cast<uint64_t>(max)) return;
  findings->Add("MAX_IMAGE_BYTE_SIZE_EXCEEDED", "Pictures that are too large",
                "the largest value has " +
                    Counted(values->lengths.max, "byte") +
                    ", and the domain allows " + std::to_string(max));
}

}  // namespace

void CheckDomain(const Schema& schema, const tfmd::Feature& feature,
                 const FeatureView& view, Findings* findings) {
  if (feature.domain) {
    if (const auto* domain = FindStringDomain(schema, *feature.domain)) {
      CheckStrings(*domain, AllowedOutside(feature), view, findings);
    }
  } else if (feature.string_domain) {
    CheckStrings(*feature.string_domain, AllowedOutside(feature), view,
                 findings);
  } else if (feature.bool_domain) {
    CheckBools(*feature.bool_domain, view, findings);
  } else if (feature.int_domain) {
    CheckInts(*feature.int_domain, view, findings);
  } else if (feature.float_domain) {
    CheckFloats(*feature.float_domain, view, findings);
  } else if (feature.image_domain) {
    CheckImages(*feature.image_domain, view, findings);
  }
}

}  // namespace headrace
