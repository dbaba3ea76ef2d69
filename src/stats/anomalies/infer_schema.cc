// InferSchema infers a schema from statistics, as TensorFlow Data Validation
// does.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/stats/report/feature_view.h"

namespace headrace {
namespace {

constexpr std::string_view kTrueTexts[] = {"TRUE", "true", "SET",
                                           "set",  "1",    ""};
constexpr std::string_view kFalseTexts[] = {"FALSE", "false", "CLEAR", "clear",
                                            "0"};

template <class List>
bool Has(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// Never sets min_fraction to less than 1: the next dataset would then be
// anomalous if slightly fewer of its records had the feature.
tfmd::FeaturePresence PresenceOf(const FeatureView& view) {
  tfmd::FeaturePresence presence{.min_count = view.present() > 0 ? 1 : 0};
  if (view.missing() == 0) presence.min_fraction = 1;
  return presence;
}

std::optional<tfmd::FixedShape> ShapeOf(const FeatureView& view) {
  if (view.is_struct()) return std::nullopt;
  tfmd::FixedShape shape;
  for (const FeatureView::Level& level : view.levels()) {
    if (level.missing > 0 || level.min != level.max || level.min == 0) {
      return std::nullopt;
    }
    shape.dims.push_back({.size = static_cast<int64_t>(level.min)});
  }
  return shape;
}

// Lists of different lengths get a minimum of one value, unless some are empty.
tfmd::ValueCount CountOf(const FeatureView::Level& level) {
  if (level.min == 0) return {};
  if (level.min != level.max) return {.min = 1};
  const auto count = static_cast<int64_t>(level.min);
  return {.min = count, .max = count};
}

void SetLengths(const FeatureView& view, tfmd::Feature* feature) {
  feature->shape = ShapeOf(view);
  if (feature->shape) return;
  const std::vector<FeatureView::Level> levels = view.levels();
  if (levels.size() == 1) {
    if (levels[0].min > 0) feature->value_count = CountOf(levels[0]);
    return;
  }
  feature->value_counts.emplace();
  for (const FeatureView::Level& level : levels) {
    feature->value_counts->push_back(CountOf(level));
  }
}

// Returns a domain if each value is a text for true or false, and at most one
// text is used for each of the two.
std::optional<tfmd::BoolDomain> BoolsOf(const BytesStats& values) {
  tfmd::BoolDomain domain;
  for (const ValueCount& value : values.top) {
    auto* const side = Has(kTrueTexts, value.value)    ? &domain.true_value
                       : Has(kFalseTexts, value.value) ? &domain.false_value
                                                       : nullptr;
    if (side == nullptr || *side) return std::nullopt;
    *side = value.value;
  }
  return domain;
}

std::optional<tfmd::StringDomain> StringsOf(const BytesStats& values,
                                            size_t most) {
  if (values.top.size() > most || values.distinct > values.top.size()) {
    return std::nullopt;
  }
  tfmd::StringDomain domain;
  for (const ValueCount& value : values.top) {
    if (value.size > value.value.size()) return std::nullopt;
    domain.values.push_back(value.value);
  }
  std::sort(domain.values.begin(), domain.values.end());
  return domain;
}

void SetBytesDomain(const BytesStats& values, const FeatureView& view,
                    const InferOptions& options, tfmd::Feature* feature,
                    Schema* schema) {
  if (values.top.empty() || values.utf8 < values.count) return;
  if (auto bools = BoolsOf(values)) {
    feature->bool_domain = *std::move(bools);
  } else if (!WholeNumbers(values).not_a_number) {
    feature->int_domain.emplace();
  } else if (auto strings = StringsOf(values, options.max_string_domain)) {
    strings->name = PathText(view.path());
    feature->domain = strings->name;
    schema->string_domains.push_back(*std::move(strings));
  }
}

void SetIntDomain(const FeatureView& view, const NumberStats<int64_t>& ints,
                  tfmd::Feature* feature) {
  const bool is_categorical = view.feature()->categories.has_value();
  if (ints.count == 0) return;
  if (!is_categorical && ints.min >= 0 && ints.max == 1) {
    feature->bool_domain.emplace();
    return;
  }
  feature->int_domain = {.min = ints.min, .max = ints.max};
  if (is_categorical) feature->int_domain->is_categorical = true;
}

// Leaves out the bound on a side that has infinite values.
void SetFloatDomain(const NumberStats<float>& floats, tfmd::Feature* feature) {
  if (floats.finite() == 0) return;
  feature->float_domain.emplace();
  if (floats.negative_infinities == 0) feature->float_domain->min = floats.min;
  if (floats.positive_infinities == 0) feature->float_domain->max = floats.max;
}

tfmd::Feature InferFeature(const FeatureView& view, const InferOptions& options,
                           Schema* schema) {
  tfmd::Feature feature{.name = view.path().back(), .type = view.type()};
  feature.presence = PresenceOf(view);
  if (view.present() == 0) return feature;
  SetLengths(view, &feature);
  if (!options.domains) return feature;
  if (const NumberStats<int64_t>* ints = view.ints()) {
    SetIntDomain(view, *ints, &feature);
  } else if (const NumberStats<float>* floats = view.floats()) {
    SetFloatDomain(*floats, &feature);
  } else if (const BytesStats* values = view.named_values()) {
    SetBytesDomain(*values, view, options, &feature, schema);
  }
  return feature;
}

}  // namespace

Schema InferSchema(const StatsSummary& stats, const InferOptions& options) {
  Schema schema;
  for (const FeatureView& view : RootViews(stats)) {
    tfmd::Feature feature = InferFeature(view, options, &schema);
    if (view.is_struct()) {
      for (const FeatureView& list : ListViews(stats)) {
        feature.children.push_back(InferFeature(list, options, &schema));
      }
    }
    schema.features.push_back(std::move(feature));
  }
  return schema;
}

}  // namespace headrace
