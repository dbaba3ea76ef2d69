#include "src/base/json/json_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <system_error>

#include "absl/strings/charconv.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "src/base/json/json_number.h"
#include "src/base/text/display_text.h"
#include "wire/cursor.h"
#include "wire/utf8.h"

namespace headrace {
namespace {

// The standard library's from_chars is faster, but libc++ has none for floats.
#if defined(__cpp_lib_to_chars)
using std::from_chars;
#else
using absl::from_chars;
#endif

// The two base64 characters of each value of 12 bits.
constexpr auto kBase64Pairs = [] {
  constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::array<char, 2>, 4096> pairs{};
  for (size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {kCharacters[i >> 6], kCharacters[i & 63]};
  }
  return pairs;
}();

// Whether one of the eight bytes may begin a character that is escaped.
bool HasEscape(const char* p) {
  const uint64_t word = wire::LoadFixed64(reinterpret_cast<const uint8_t*>(p));
  // 0xc2 begins U+0080 to U+00BF.
  return (json::EscapedBytes(word) |
          json::ZeroBytes(word ^ json::InEachByte(0xc2))) != 0;
}

// Returns where to look for the next escape: at `begin`, or a multiple of 8
// bytes after it.
size_t SkipPlain(std::string_view text, size_t begin) {
  while (text.size() - begin >= 8 && !HasEscape(&text[begin])) begin += 8;
  return begin;
}

bool IsUtf8Text(std::string_view text) {
  return wire::IsUtf8(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// Replaces each byte that is not UTF-8 with U+FFFD.
std::string Repaired(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const Character c = FirstCharacter(text);
    repaired.append(c.is_valid ? text.substr(0, c.size) : "\ufffd");
    text.remove_prefix(c.size);
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
  size_t plain = 0;  // start of the text to copy unchanged
  for (size_t i = SkipPlain(text, 0); i < text.size();
       i = SkipPlain(text, i + 1)) {
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

void AppendJsonBytes(std::string_view bytes, std::string* out) {
  if (!IsUtf8Text(bytes)) {
    out->append("{\"b64\":\"");
    AppendBase64(bytes, out);
    out->append("\"}");
    return;
  }
  out->push_back('"');
  AppendUtf8(bytes, out);
  out->push_back('"');
}

void AppendJsonFloat(float value, std::string* out) {
  std::array<char, json::kNumberRoom> text;
  const char* const end = json::WriteJsonFloat(value, text.data());
  out->append(text.data(), static_cast<size_t>(end - text.data()));
}

void AppendJsonDouble(double value, std::string* out) {
  if (std::isnan(value)) return AppendJsonString("NaN", out);
  if (std::isinf(value)) return AppendJsonFloat(static_cast<float>(value), out);
  std::array<char, json::kNumberRoom> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out->append(text.data(), static_cast<size_t>(end - text.data()));
}

std::optional<float> ParseJsonFloat(std::string_view number) {
  const char* const end = number.data() + number.size();
  float value = 0;
  if (from_chars(number.data(), end, value).ec ==
      std::errc::result_out_of_range) {
    // The standard library leaves the value unchanged. On overflow Abseil
    // returns the largest finite float, on underflow a zero, both with the sign
    // of the number.
    absl::from_chars(number.data(), end, value);
    if (std::fabs(value) >= 1) return std::nullopt;
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<float> ParseJsonFloatName(std::string_view name) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (name == "NaN") return std::bit_cast<float>(json::kCanonicalNan);
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
  const auto byte = [bytes](size_t i) {
    return uint32_t{static_cast<uint8_t>(bytes[i])};
  };
  const size_t begin = out->size();
  out->resize(begin + (bytes.size() + 2) / 3 * 4, '=');
  char* to = out->data() + begin;
  size_t i = 0;
  for (; bytes.size() - i >= 3; i += 3, to += 4) {
    const uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    std::memcpy(to, kBase64Pairs[bits >> 12].data(), 2);
    std::memcpy(to + 2, kBase64Pairs[bits & 0xfff].data(), 2);
  }
  const size_t rest = bytes.size() - i;
  if (rest == 0) return;
  const uint32_t bits = byte(i) << 16 | (rest == 2 ? byte(i + 1) << 8 : 0);
  std::memcpy(to, kBase64Pairs[bits >> 12].data(), 2);
  if (rest == 2) to[2] = kBase64Pairs[bits & 0xfff][0];
}

std::optional<std::string> ParseBase64(std::string_view text) {
  // Base64Unescape by itself would also accept white space, missing padding and
  // nonzero unused bits, so the text is compared with what Base64Escape makes
  // of the bytes.
  std::string bytes;
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()),
                            &bytes) ||
      absl::Base64Escape(bytes) != text) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace headrace
