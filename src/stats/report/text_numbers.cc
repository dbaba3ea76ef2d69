#include "src/stats/report/text_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "absl/strings/charconv.h"

namespace headrace {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  text = text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
  // Neither from_chars accepts a plus.
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
  // Abseil would read "0x1".
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

TextNumbers<int64_t> WholeNumbers(const BytesStats& values) {
  return ReadNumbers<int64_t>(values, WholeOf);
}

TextNumbers<float> DecimalNumbers(const BytesStats& values) {
  return ReadNumbers<float>(values, DecimalOf);
}

}  // namespace headrace
