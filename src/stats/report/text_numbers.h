// Values that are numbers as text, as TensorFlow Data Validation reads them.

#ifndef HEADRACE_SRC_STATS_REPORT_TEXT_NUMBERS_H_
#define HEADRACE_SRC_STATS_REPORT_TEXT_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "headrace/stats_summary.h"
#include "src/stats/report/feature_view.h"

namespace headrace {

// A value of which the statistics keep only the first bytes does not count as a
// number.
template <class T>
struct TextNumbers {
  std::optional<ValueRange<T>> range = {};  // of those that are not NaN
  bool has_nan = false;
  // A value that is not a number. Values after it were not read.
  std::optional<std::string> not_a_number = {};
};

TextNumbers<int64_t> WholeNumbers(const BytesStats& values);
TextNumbers<float> DecimalNumbers(const BytesStats& values);

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_TEXT_NUMBERS_H_
