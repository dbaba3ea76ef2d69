// DataWriter writes JSON for the inside of <script>.

#ifndef HEADRACE_SRC_STATS_PAGE_DATA_WRITER_H_
#define HEADRACE_SRC_STATS_PAGE_DATA_WRITER_H_

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "src/base/json/json_writer.h"
#include "src/stats/report/display_text.h"

namespace headrace::report {

// Texts are UTF-8, already fit for display. Numbers that JSON lacks, or that
// the script would round, are written as texts, such as "\u221e".
struct PageJson : CompactJson {
  static void AppendText(std::string_view text, std::string* out) {
    AppendScriptString(text, out);
  }
  // Appends six digits.
  static void AppendNumber(double number, std::string* out) {
    if (std::isnan(number)) return AppendText("NaN", out);
    if (std::isinf(number)) {
      return AppendText(number > 0 ? "\u221e" : "-\u221e", out);
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", number);
    *out += text;
  }
  static void AppendNumber(float number, std::string* out) {
    AppendNumber(static_cast<double>(number), out);
  }
  static void AppendNumber(int64_t number, std::string* out) {
    constexpr int64_t kExact = int64_t{1} << 53;
    const std::string text = std::to_string(number);
    if (number < -kExact || number > kExact) return AppendText(text, out);
    *out += text;
  }
  template <std::unsigned_integral T>
  static void AppendNumber(T number, std::string* out) {
    *out += std::to_string(number);
  }
};

class DataWriter : public BasicJsonWriter<PageJson> {
 public:
  using BasicJsonWriter::BasicJsonWriter;

  // Adds a member to the object if the count is not zero.
  void AddCount(std::string_view key, uint64_t count) {
    if (count != 0) Add(key, count);
  }
};

}  // namespace headrace::report

#endif  // HEADRACE_SRC_STATS_PAGE_DATA_WRITER_H_
