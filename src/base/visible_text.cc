#include "headrace/visible_text.h"

#include <algorithm>
#include <array>

namespace headrace {
namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};

// Controls, formats, separators, spaces but U+0020, what has the property
// Default_Ignorable_Code_Point, what is blank, surrogates, private use and
// noncharacters of the first plane. The Arabic signs that enclose numbers are
// formats, too, but are seen.
constexpr std::array kInvisible = {
    CodeRange{0x0, 0x1f},        CodeRange{0x7f, 0xa0},
    CodeRange{0xad, 0xad},       CodeRange{0x34f, 0x34f},
    CodeRange{0x61c, 0x61c},     CodeRange{0x115f, 0x1160},
    CodeRange{0x1680, 0x1680},   CodeRange{0x17b4, 0x17b5},
    CodeRange{0x180b, 0x180f},   CodeRange{0x2000, 0x200f},
    CodeRange{0x2028, 0x202f},   CodeRange{0x205f, 0x206f},
    CodeRange{0x2800, 0x2800},   CodeRange{0x3000, 0x3000},
    CodeRange{0x3164, 0x3164},   CodeRange{0xd800, 0xf8ff},
    CodeRange{0xfdd0, 0xfdef},   CodeRange{0xfe00, 0xfe0f},
    CodeRange{0xfeff, 0xfeff},   CodeRange{0xffa0, 0xffa0},
    CodeRange{0xfff0, 0xfffb},   CodeRange{0x13430, 0x1343f},
    CodeRange{0x16fe4, 0x16fe4}, CodeRange{0x1bca0, 0x1bca3},
    CodeRange{0x1d159, 0x1d159}, CodeRange{0x1d173, 0x1d17a},
    CodeRange{0xe0000, 0xe0fff}, CodeRange{0xf0000, ~uint32_t{0}},
};

}  // namespace

bool IsVisible(uint32_t code_point) {
  // The last two of each plane are not characters.
  if ((code_point & 0xfffe) == 0xfffe) return false;
  const auto* const range = std::lower_bound(
      kInvisible.begin(), kInvisible.end(), code_point,
      [](const CodeRange& r, uint32_t code) { return r.last < code; });
  return range == kInvisible.end() || code_point < range->first;
}

}  // namespace headrace
