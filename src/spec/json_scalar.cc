#include "src/spec/json_scalar.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <system_error>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "wire/utf8.h"

namespace headrace::spec {
namespace {

bool IsUtf8(std::string_view text) {
  return wire::IsUtf8(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

void AppendEscape(uint32_t value, std::string* out) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "\\u%04x", value);
  out->append(text.data());
}

}  // namespace

bool ParseFloat(std::string_view text, float* value) {
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, *value).ec ==
      std::errc::result_out_of_range) {
    // Too large or too small; the standard lets both look alike.
    double wide = 0;
    std::from_chars(text.data(), end, wide);
    if (std::fabs(wide) >= 1) return false;
    *value = std::copysign(0.0f, text.front() == '-' ? -1.0f : 1.0f);
  }
  return std::isfinite(*value);
}

bool ParseFloatName(std::string_view text, float* value) {
  if (text == "NaN") {
    *value = std::bit_cast<float>(0x7fc00000u);
  } else if (text == "Infinity") {
    *value = std::numeric_limits<float>::infinity();
  } else if (text == "-Infinity") {
    *value = -std::numeric_limits<float>::infinity();
  } else {
    if (text.size() != 10 || !text.starts_with("0x")) return false;
    uint32_t bits = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + 2, last, bits, 16);
    if (error != std::errc() || end != last) return false;
    *value = std::bit_cast<float>(bits);
  }
  return true;
}

bool ParseBase64(std::string_view text, std::string* bytes) {
  // Abseil alone also takes white space, missing padding and odd bits.
  return absl::Base64Unescape(absl::string_view(text.data(), text.size()),
                              bytes) &&
         absl::Base64Escape(*bytes) == text;
}

void AppendFloat(float value, std::string* out) {
  constexpr uint32_t kNan = 0x7fc00000;
  std::array<char, 24> text;
  if (std::isfinite(value)) {
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    const std::string_view digits(text.data(),
                                  static_cast<size_t>(end - text.data()));
    out->append(digits);
    // So that a person sees a float, and -0.0 keeps its sign.
    if (digits.find_first_of(".e") == std::string_view::npos) {
      out->append(".0");
    }
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else if (std::bit_cast<uint32_t>(value) == kNan) {
    out->append("\"NaN\"");
  } else {
    std::snprintf(text.data(), text.size(), "\"0x%08x\"",
                  std::bit_cast<uint32_t>(value));
    out->append(text.data());
  }
}

void AppendString(std::string_view text, std::string* out) {
  const bool valid = IsUtf8(text);
  out->push_back('"');
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte >= 0x80 && !valid) {
      AppendEscape(0xfffd, out);
    } else if (byte == 0xc2 && static_cast<uint8_t>(text[i + 1]) < 0xa0) {
      AppendEscape(static_cast<uint8_t>(text[++i]), out);  // U+0080 to U+009F
    } else if (byte < 0x20 || byte == 0x7f) {
      AppendEscape(byte, out);
    } else {
      if (byte == '"' || byte == '\\') out->push_back('\\');
      out->push_back(text[i]);
    }
  }
  out->push_back('"');
}

void AppendBytes(std::string_view bytes, std::string* out) {
  if (IsUtf8(bytes)) return AppendString(bytes, out);
  out->append(
      "{\"b64\": \"" +
      absl::Base64Escape(absl::string_view(bytes.data(), bytes.size())) +
      "\"}");
}

}  // namespace headrace::spec
