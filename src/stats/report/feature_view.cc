#include "src/stats/report/feature_view.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/stats/report/distance.h"

namespace headrace {
namespace {

bool IsPlainStep(std::string_view step) {
  if (step.size() > 1 && step.front() == '(' && step.back() == ')') {
    const std::string_view inner = step.substr(1, step.size() - 2);
    return inner.find_first_of("()") == inner.npos;
  }
  return !step.empty() && step.find_first_of(".()'") == step.npos;
}

std::string StepText(std::string_view step) {
  if (IsPlainStep(step)) return std::string(step);
  std::string text = "'";
  for (const char c : step) {
    if (c == '\'') text += c;
    text += c;
  }
  return text + "'";
}

}  // namespace

schema::ColumnPath FeatureView::path() const {
  if (is_struct()) return {std::string(kSequenceColumn)};
  if (!feature_->in_sequence) return {feature_->name};
  return {std::string(kSequenceColumn), feature_->name};
}

tfmd::FeatureType FeatureView::type() const {
  if (is_struct()) return tfmd::FeatureType::kStruct;
  switch (feature_->kind) {
    case Kind::kInt64:
      return tfmd::FeatureType::kInt;
    case Kind::kFloat:
      return tfmd::FeatureType::kFloat;
    case Kind::kBytes:
    case Kind::kNull:
      break;
  }
  return tfmd::FeatureType::kBytes;
}

std::vector<FeatureView::Level> FeatureView::levels() const {
  if (is_struct()) return {{1, 1, 0}};
  const LengthStats& values = feature_->values;
  if (!feature_->in_sequence) return {{values.min, values.max, missing()}};
  const LengthStats& steps = feature_->steps;
  const LengthStats& step_values = feature_->step_values;
  return {{steps.min, steps.max, missing()},
          {step_values.min, step_values.max, feature_->unset_steps}};
}

const BytesStats* FeatureView::named_values() const {
  return is_struct() ? nullptr : NamedValues(*feature_);
}

const NumberStats<int64_t>* FeatureView::ints() const {
  return type() == tfmd::FeatureType::kInt && feature_->int64s
             ? &*feature_->int64s
             : nullptr;
}

const NumberStats<float>* FeatureView::floats() const {
  return type() == tfmd::FeatureType::kFloat && feature_->floats
             ? &*feature_->floats
             : nullptr;
}

std::optional<ValueRange<float>> RangeOf(const NumberStats<float>& numbers) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  if (numbers.count == numbers.nan) return std::nullopt;
  const bool finite = numbers.finite() > 0;
  ValueRange<float> range{finite ? numbers.min : kInfinite,
                          finite ? numbers.max : -kInfinite};
  if (numbers.negative_infinities > 0) range.min = -kInfinite;
  if (numbers.positive_infinities > 0) range.max = kInfinite;
  return range;
}

std::vector<FeatureView> RootViews(const StatsSummary& stats) {
  std::vector<FeatureView> views;
  for (const FeatureSummary& feature : stats.features) {
    if (!feature.in_sequence) views.emplace_back(stats, feature);
  }
  if (stats.message == MessageType::kSequence) views.emplace_back(stats);
  return views;
}

std::vector<FeatureView> ListViews(const StatsSummary& stats) {
  std::vector<FeatureView> views;
  for (const FeatureSummary& feature : stats.features) {
    if (feature.in_sequence) views.emplace_back(stats, feature);
  }
  return views;
}

std::string PathText(const schema::ColumnPath& path) {
  std::string text;
  for (const std::string& step : path) {
    if (&step != path.data()) text += '.';
    text += StepText(step);
  }
  return text;
}

}  // namespace headrace
