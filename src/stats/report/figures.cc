#include "src/stats/report/figures.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace headrace::report {
namespace {

std::string Fixed(double number, int decimals) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

std::string Significant(double number, int digits) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*g", digits, number);
  return text.data();
}

std::string Grouped(std::string digits) {
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

}  // namespace

std::string CountText(uint64_t count) { return Grouped(std::to_string(count)); }

std::string IntText(int64_t number) {
  if (number >= 0) return CountText(static_cast<uint64_t>(number));
  // The smallest number has no positive counterpart of its type.
  return "-" + CountText(-static_cast<uint64_t>(number));
}

std::string SizeText(uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {" kB", " MB", " GB",
                                                      " TB", " PB", " EB"};
  if (bytes < 1000) return std::to_string(bytes) + " B";
  auto size = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; size >= 999.5; ++unit) size /= 1000;
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return Fixed(size, decimals).append(kUnits[unit]);
}

std::string NumberText(double number) {
  const double magnitude = std::abs(number);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e15)) {
    return Significant(number, 3);
  }
  if (magnitude < 1000) return Significant(number, 4);
  const std::string text = Grouped(Fixed(magnitude, 0));
  return number < 0 ? "-" + text : text;
}

std::string ShareText(uint64_t part, uint64_t whole) {
  if (part == whole) return "100 %";
  if (part == 0) return "0 %";
  const double percent =
      100 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.01) return "< 0.01 %";
  if (percent > 99.99) return "> 99.99 %";
  return Fixed(percent, percent < 1 || percent > 99 ? 2 : 1).append(" %");
}

std::string Counted(uint64_t count, std::string_view noun) {
  std::string text = CountText(count).append(" ").append(noun);
  if (count != 1) text += 's';
  return text;
}

}  // namespace headrace::report
