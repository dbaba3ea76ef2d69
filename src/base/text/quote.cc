#include "src/base/text/quote.h"

namespace headrace {
namespace {

constexpr size_t kLongest = 200;

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

std::string Quote(std::string_view name) {
  static constexpr char kDigits[] = "0123456789abcdef";
  size_t size = name.size();
  if (size > kLongest) {
    size = kLongest;
    while (size > 0 && IsContinuation(name[size])) --size;
  }
  std::string text = "\"";
  for (const char c : name.substr(0, size)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  if (size < name.size()) text += "...";
  return text + "\"";
}

}  // namespace headrace
