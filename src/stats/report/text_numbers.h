// Values that are numbers as text, as TensorFlow Data Validation reads them.

#ifndef HEADRACE_SRC_STATS_REPORT_TEXT_NUMBERS_H_
#define HEADRACE_SRC_STATS_REPORT_TEXT_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "headrace/stats_summary.h"
#include "src/stats/report/feature_view.h"

namespace headrace {

// A value of which the statistics keep only the first bytes is no number.
template <class T>
struct TextNumbers {
  std::optional<ValueRange<T>> range = {};  // of those that are not NaN
  bool has_nan = false;
  // A value that is none. What follows it was not looked at.
  std::optional<std::string> not_a_number = {};
};

TextNumbers<int64_t> WholeNumbers(const BytesStats& values);
TextNumbers<float> DecimalNumbers(const BytesStats& values);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_TEXT_NUMBERS_H_
