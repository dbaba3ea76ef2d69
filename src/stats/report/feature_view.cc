#include "src/stats/report/feature_view.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/charconv.h"
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

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  text = text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
  // Neither std::from_chars nor absl::from_chars accepts a plus sign.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text;
}

std::optional<int64_t> WholeOf(std::string_view text) {
  text = Trimmed(text);
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<float> DecimalOf(std::string_view text) {
  text = Trimmed(text);
  // Abseil would read "0x1" as a hexadecimal number.
  if (text.find_first_of("xX") != text.npos) return std::nullopt;
  float value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = absl::from_chars(text.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  // Abseil returns the largest finite number instead of an infinity.
  if (error == std::errc::result_out_of_range && std::fabs(value) >= 1) {
    value = std::copysign(std::numeric_limits<float>::infinity(), value);
  }
  return value;
}

template <class T, class Parse>
TextNumbers<T> ReadNumbers(const BytesStats& values, Parse parse) {
  TextNumbers<T> numbers;
  for (const ValueCount& value : values.top) {
    const std::optional<T> number = parse(value.value);
    if (!number || value.size != value.value.size()) {
      numbers.not_a_number = value.value;
      return numbers;
    }
    if (*number != *number) {
      numbers.has_nan = true;
      continue;
    }
    if (!numbers.range) numbers.range = {*number, *number};
    numbers.range->min = std::min(numbers.range->min, *number);
    numbers.range->max = std::max(numbers.range->max, *number);
  }
  return numbers;
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

TextNumbers<int64_t> WholeNumbers(const BytesStats& values) {
  return ReadNumbers<int64_t>(values, WholeOf);
}

TextNumbers<float> DecimalNumbers(const BytesStats& values) {
  return ReadNumbers<float>(values, DecimalOf);
}

}  // namespace headrace
