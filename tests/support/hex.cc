#include "tests/support/hex.h"

namespace headrace::testing {

namespace {

int DigitValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string HexOf(std::span<const std::string_view> records) {
  std::string text;
  for (std::string_view record : records) {
    text += text.empty() ? "" : " | ";
    text += record.size() <= 2000 ? ToHex(record) : "(long)";
  }
  return text;
}

std::optional<std::string> ParseHex(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  int high = -1;
  for (char c : text) {
    if (c == ' ') continue;
    const int digit = DigitValue(c);
    if (digit < 0) return std::nullopt;
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high << 4 | digit);
      high = -1;
    }
  }
  if (high >= 0) return std::nullopt;
  return bytes;
}

std::string Hex(std::string_view text) {
  return ParseHex(text).value_or("BAD HEX IN THE TEST");
}

}  // namespace headrace::testing
