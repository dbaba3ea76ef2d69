#include "src/cli/text/display_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace headrace::cli {
namespace {

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

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character c = FirstCharacter(text);
    width += c.is_valid ? WidthOf(c.code) : 1;
    text.remove_prefix(c.size);
  }
  return width;
}

std::string Shortened(std::string_view text, size_t width) {
  size_t used = 0;
  size_t fits = 0;  // bytes that leave a column for the ellipsis
  size_t at = 0;
  while (at < text.size()) {
    const Character c = FirstCharacter(text.substr(at));
    used += c.is_valid ? WidthOf(c.code) : 1;
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

}  // namespace headrace::cli
