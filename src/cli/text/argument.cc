#include "src/cli/text/argument.h"

#include <charconv>
#include <cstddef>
#include <system_error>

#include "absl/strings/charconv.h"

namespace headrace::cli {

bool ParseNumber(std::string_view text, uint64_t* number) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, *number);
  return error == std::errc() && end == last;
}

bool ParseDecimal(std::string_view text, double* number, double most) {
  // Abseil would read "0x1".
  if (text.find_first_of("xX") != text.npos) return false;
  const char* const last = text.data() + text.size();
  const auto [end, error] = absl::from_chars(text.data(), last, *number);
  // NaN compares as false.
  return error == std::errc() && end == last && *number >= 0 && *number <= most;
}

std::optional<uint64_t> ParseByteSize(std::string_view text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  if (unit.empty()) return number;
  constexpr std::string_view kUnits = "KkMmGgTt";
  const size_t found = kUnits.find(unit.front());
  if (unit.size() != 1 || found == std::string_view::npos) return std::nullopt;
  const size_t shift = 10 * (found / 2 + 1);
  if (number > ~uint64_t{0} >> shift) return std::nullopt;
  return number << shift;
}

}  // namespace headrace::cli
