#include "src/cli/text/display_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "src/base/text/visible_text.h"

namespace headrace::cli {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t size = 1;     // in bytes
  bool valid = false;  // false: `value` is a stray byte
};

CodePoint Decode(std::string_view text) {
  const auto byte = [&text](size_t i) {
    return static_cast<uint32_t>(static_cast<uint8_t>(text[i]));
  };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const CodePoint stray = {lead, 1, false};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return stray;
  uint32_t value = lead & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return stray;
    value = value << 6 | (byte(i) & 0x3f);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[size] || value > 0x10ffff || surrogate) return stray;
  return {value, size, true};
}

struct Range {
  uint32_t first;
  uint32_t last;
};

bool InRanges(uint32_t value, const Range* begin, const Range* end) {
  const Range* range = std::lower_bound(
      begin, end, value, [](const Range& r, uint32_t v) { return r.last < v; });
  return range != end && range->first <= value;
}

constexpr Range kNoWidth[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
    {0x64b, 0x65f},   {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},
    {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f},
};

constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

size_t WidthOf(uint32_t value) {
  if (InRanges(value, std::begin(kNoWidth), std::end(kNoWidth))) return 0;
  return InRanges(value, std::begin(kWide), std::end(kWide)) ? 2 : 1;
}

void AppendEscape(const CodePoint& c, std::string* out) {
  constexpr std::string_view kNames = "abtnvfr";  // of 7 to 13
  if (c.valid && c.value >= 7 && c.value <= 13) {
    out->push_back('\\');
    out->push_back(kNames[c.value - 7]);
    return;
  }
  std::array<char, 16> text;
  const bool narrow = !c.valid || c.value < 0x80;
  std::snprintf(text.data(), text.size(), narrow ? "\\x%02x" : "\\u%04x",
                c.value);
  out->append(text.data());
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = Decode(text);
    if (!c.valid || !IsVisible(c.value)) {
      AppendEscape(c, &out);
    } else {
      out.append(text.substr(0, c.size));
    }
    text.remove_prefix(c.size);
  }
  return out;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = Decode(text);
    width += c.valid ? WidthOf(c.value) : 1;
    text.remove_prefix(c.size);
  }
  return width;
}

std::string Shortened(std::string_view text, size_t width) {
  size_t used = 0;
  size_t fits = 0;  // bytes that leave a column for the ellipsis
  size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = Decode(text.substr(at));
    used += c.valid ? WidthOf(c.value) : 1;
    if (used > width) {
      return std::string(text.substr(0, fits)) + (width > 0 ? "…" : "");
    }
    at += c.size;
    if (used < width) fits = at;
  }
  return std::string(text);
}

std::string Padded(std::string_view text, size_t width, bool right) {
  const size_t used = DisplayWidth(text);
  const std::string blanks(used < width ? width - used : 0, ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string ByteSize(uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB",
                                                 "PiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (size >= 1023.95 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return Decimal(size, 1) + " " + kUnits[unit];
}

std::string Decimal(double number, int digits) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return text.data();
}

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string Counted(uint64_t number, std::string_view singular) {
  std::string text = Grouped(number) + " ";
  text += singular;
  if (number != 1) text += "s";
  return text;
}

}  // namespace headrace::cli
