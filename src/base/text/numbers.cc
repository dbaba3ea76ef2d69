#include "src/base/text/numbers.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace headrace {
namespace {

std::string GroupedDigits(std::string digits) {
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string Significant(double number, int digits) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*g", digits, number);
  return text.data();
}

}  // namespace

std::string Grouped(uint64_t number) {
  return GroupedDigits(std::to_string(number));
}

std::string IntText(int64_t number) {
  if (number >= 0) return Grouped(static_cast<uint64_t>(number));
  // The smallest number has no positive counterpart in its type.
  return "-" + Grouped(-static_cast<uint64_t>(number));
}

std::string NumberText(double number) {
  const double magnitude = std::abs(number);
  if (magnitude != 0 && magnitude < 1e-4) return Significant(number, 3);
  if (magnitude < 1000 || !(magnitude < 1e8)) return Significant(number, 4);
  const std::string text = GroupedDigits(Decimal(magnitude, 0));
  return number < 0 ? "-" + text : text;
}

std::string ByteSize(uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB",
                                                 "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; size >= 1023.95; ++unit) size /= 1024;
  return Decimal(size, 1) + " " + kUnits[unit];
}

std::string Counted(uint64_t count, std::string_view noun) {
  std::string text = Grouped(count).append(" ").append(noun);
  if (count != 1) text += 's';
  return text;
}

std::string Decimal(double number, int digits) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

std::string ShareText(double share) {
  if (share >= 1) return "100%";
  if (share <= 0) return "0%";
  if (share > 0.999) return ">99.9%";
  if (share < 0.001) return "<0.1%";
  return Decimal(100 * share, 1) + "%";
}

std::string ShareText(uint64_t part, uint64_t whole) {
  if (part == whole) return "100%";
  return ShareText(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace headrace
