#include "src/stats/anomalies/findings.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace headrace {

std::string NumberText(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string ShareText(double part, double whole) {
  const double percent = whole > 0 ? 100 * part / whole : 0;
  if (percent > 0 && percent < 1) return "less than 1 %";
  return std::to_string(static_cast<int>(percent)) + " %";
}

std::string CountText(uint64_t count, std::string_view thing) {
  std::string text = std::to_string(count) + " " + std::string(thing);
  return count == 1 ? text : text + "s";
}

}  // namespace headrace
