#include "src/cli/json/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace headrace::cli {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> ValueOfDigit() {
  std::array<uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<uint8_t>(kDigits[i])] = static_cast<uint8_t>(i);
  }
  return values;
}
constexpr std::array<uint8_t, 256> kValues = ValueOfDigit();

uint32_t ByteAt(std::string_view bytes, size_t i) {
  return i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0;
}

}  // namespace

void AppendBase64(std::string_view bytes, std::string* out) {
  out->reserve(out->size() + (bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const uint32_t group = ByteAt(bytes, i) << 16 | ByteAt(bytes, i + 1) << 8 |
                           ByteAt(bytes, i + 2);
    out->push_back(kDigits[group >> 18]);
    out->push_back(kDigits[group >> 12 & 63]);
    out->push_back(i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=');
    out->push_back(i + 2 < bytes.size() ? kDigits[group & 63] : '=');
  }
}

bool DecodeBase64(std::string_view text, std::string* out) {
  out->clear();
  if (text.size() % 4 != 0) return false;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() &&
         text[text.size() - 1 - padding] == '=') {
    ++padding;
  }
  out->reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const size_t missing = i + 4 == text.size() ? padding : 0;
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      uint32_t value = 0;
      if (j < 4 - missing) value = kValues[static_cast<uint8_t>(text[i + j])];
      if (value == kNoDigit) return false;
      group = group << 6 | value;
    }
    // Bits that no byte takes: an encoder leaves them zero.
    if ((group & ((uint32_t{1} << (8 * missing)) - 1)) != 0) return false;
    for (size_t j = 0; j < 3 - missing; ++j) {
      out->push_back(static_cast<char>(group >> (16 - 8 * j) & 0xff));
    }
  }
  return true;
}

}  // namespace headrace::cli
