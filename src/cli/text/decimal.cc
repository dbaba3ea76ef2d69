#include "src/cli/text/decimal.h"

#include <system_error>

#include "absl/strings/charconv.h"

namespace headrace::cli {

bool ParseDecimal(std::string_view text, double* number, double most) {
  // Abseil would read "0x1".
  if (text.find_first_of("xX") != text.npos) return false;
  const char* const last = text.data() + text.size();
  const auto [end, error] = absl::from_chars(text.data(), last, *number);
  // NaN compares as false.
  return error == std::errc() && end == last && *number >= 0 && *number <= most;
}

}  // namespace headrace::cli
