#include "headrace/json_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <system_error>

#include "absl/strings/charconv.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "wire/utf8.h"

namespace headrace {
namespace {

constexpr uint32_t kCanonicalNan = 0x7fc00000;

bool IsUtf8Text(std::string_view text) {
  return wire::IsUtf8(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Gives 0 if the head of `text` is no well-formed character.
size_t CharacterSize(std::string_view text) {
  for (size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (IsUtf8Text(text.substr(0, size))) return size;
  }
  return 0;
}

// U+FFFD takes the place of each byte that is not UTF-8.
std::string Repaired(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    repaired.append(size > 0 ? text.substr(0, size) : "\ufffd");
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return repaired;
}

void AppendEscape(uint8_t character, std::string* out) {
  constexpr std::string_view kShort = "\b\t\n\f\r\"\\";
  constexpr std::string_view kLetters = "btnfr\"\\";
  if (const size_t at = kShort.find(static_cast<char>(character));
      at != std::string_view::npos) {
    out->push_back('\\');
    out->push_back(kLetters[at]);
    return;
  }
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "\\u%04x", character);
  out->append(text.data());
}

void AppendUtf8(std::string_view text, std::string* out) {
  size_t plain = 0;  // what is copied as it is starts here
  for (size_t i = 0; i < text.size(); ++i) {
    auto character = static_cast<uint8_t>(text[i]);
    const size_t begin = i;
    // U+0080 to U+009F are c2 80 to c2 9f: terminals obey them like ESC.
    const bool high_control =
        character == 0xc2 && static_cast<uint8_t>(text[i + 1]) < 0xa0;
    if (high_control) character = static_cast<uint8_t>(text[++i]);
    if (!high_control && character >= 0x20 && character != '"' &&
        character != '\\' && character != 0x7f) {
      continue;
    }
    out->append(text.substr(plain, begin - plain));
    AppendEscape(character, out);
    plain = i + 1;
  }
  out->append(text.substr(plain));
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  if (IsUtf8Text(text)) {
    AppendUtf8(text, out);
  } else {
    AppendUtf8(Repaired(text), out);
  }
  out->push_back('"');
}

void AppendJsonFloat(float value, std::string* out) {
  std::array<char, 24> text;
  if (std::isfinite(value)) {
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    const std::string_view digits(text.data(),
                                  static_cast<size_t>(end - text.data()));
    out->append(digits);
    // People then see a float, and -0.0 keeps its sign.
    if (digits.find_first_of(".e") == std::string_view::npos) {
      out->append(".0");
    }
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else if (std::bit_cast<uint32_t>(value) == kCanonicalNan) {
    out->append("\"NaN\"");
  } else {
    std::snprintf(text.data(), text.size(), "\"0x%08x\"",
                  std::bit_cast<uint32_t>(value));
    out->append(text.data());
  }
}

std::optional<float> ParseJsonFloat(std::string_view number) {
  const char* const end = number.data() + number.size();
  float value = 0;
  if (std::from_chars(number.data(), end, value).ec ==
      std::errc::result_out_of_range) {
    // It is too large or too small; the standard lets both look alike, Abseil
    // gives the largest double or the smallest.
    double wide = 0;
    absl::from_chars(number.data(), end, wide);
    if (std::fabs(wide) >= 1) return std::nullopt;
    value = std::copysign(0.0f, number.front() == '-' ? -1.0f : 1.0f);
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<float> ParseJsonFloatName(std::string_view name) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (name == "NaN") return std::bit_cast<float>(kCanonicalNan);
  if (name == "Infinity") return kInfinity;
  if (name == "-Infinity") return -kInfinity;
  if (name.size() != 10 || !name.starts_with("0x")) return std::nullopt;
  uint32_t bits = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data() + 2, last, bits, 16);
  if (error != std::errc() || end != last) return std::nullopt;
  return std::bit_cast<float>(bits);
}

void AppendBase64(std::string_view bytes, std::string* out) {
  out->append(
      absl::Base64Escape(absl::string_view(bytes.data(), bytes.size())));
}

std::optional<std::string> ParseBase64(std::string_view text) {
  // Abseil alone also takes white space, missing padding and odd bits.
  std::string bytes;
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()),
                            &bytes) ||
      absl::Base64Escape(bytes) != text) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace headrace
