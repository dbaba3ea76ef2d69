#include "src/base/text/visible_text.h"

#include <algorithm>
#include <iterator>

namespace headrace {
namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};

// Controls, formats, separators, spaces other than U+0020, characters with the
// property Default_Ignorable_Code_Point, blank characters, surrogates, private
// use and noncharacters of the first plane. The Arabic signs that enclose
// numbers are formats, too, but are visible.
constexpr CodeRange kInvisible[] = {
    {0x0, 0x1f},        {0x7f, 0xa0},
    {0xad, 0xad},       {0x34f, 0x34f},
    {0x61c, 0x61c},     {0x115f, 0x1160},
    {0x1680, 0x1680},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x2000, 0x200f},
    {0x2028, 0x202f},   {0x205f, 0x206f},
    {0x2800, 0x2800},   {0x3000, 0x3000},
    {0x3164, 0x3164},   {0xd800, 0xf8ff},
    {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0x13430, 0x1343f},
    {0x16fe4, 0x16fe4}, {0x1bca0, 0x1bca3},
    {0x1d159, 0x1d159}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff}, {0xf0000, ~uint32_t{0}},
};

}  // namespace

bool IsVisible(uint32_t code_point) {
  // The last two of each plane are not characters.
  if ((code_point & 0xfffe) == 0xfffe) return false;
  const auto* const range = std::lower_bound(
      std::begin(kInvisible), std::end(kInvisible), code_point,
      [](const CodeRange& r, uint32_t code) { return r.last < code; });
  return range == std::end(kInvisible) || code_point < range->first;
}

}  // namespace headrace
