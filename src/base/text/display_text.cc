#include "src/base/text/display_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace headrace {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

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

uint8_t ByteAt(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// Returns the size of the character that this byte begins.
size_t SizeByLead(uint8_t lead) {
  return lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

bool AreContinuations(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if ((ByteAt(text, i) & 0xc0) != 0x80) return false;
  }
  return true;
}

// Whether the text may be the beginning of one character.
bool IsCutCharacter(std::string_view text) {
  return text.size() < SizeByLead(ByteAt(text, 0)) &&
         AreContinuations(text.substr(1));
}

std::string Escape(const Character& c) {
  constexpr std::string_view kNames = "abtnvfr";  // of bytes 7 to 13
  if (c.is_valid && c.code >= 7 && c.code <= 13) {
    return {'\\', kNames[c.code - 7]};
  }
  std::array<char, 16> text;
  const bool is_byte = !c.is_valid || c.code < 0x80;
  std::snprintf(text.data(), text.size(), is_byte ? "\\x%02x" : "\\u%04x",
                static_cast<unsigned>(c.code));
  return text.data();
}

}  // namespace

bool IsInRanges(uint32_t code_point, std::span<const CodeRange> ranges) {
  const auto range =
      std::ranges::lower_bound(ranges, code_point, {}, &CodeRange::last);
  return range != ranges.end() && range->first <= code_point;
}

bool IsVisible(uint32_t code_point) {
  // The last two code points of each plane are not characters.
  return (code_point & 0xfffe) != 0xfffe && !IsInRanges(code_point, kInvisible);
}

Character FirstCharacter(std::string_view text) {
  const uint8_t lead = ByteAt(text, 0);
  if (lead < 0x80) return {lead, 1, true};
  const Character stray = {lead, 1, false};
  const size_t size = SizeByLead(lead);
  if (size == 1 || lead > 0xf4 || text.size() < size ||
      !AreContinuations(text.substr(1, size - 1))) {
    return stray;
  }
  uint32_t code = lead & (0x7fu >> size);
  for (size_t i = 1; i < size; ++i) code = code << 6 | (ByteAt(text, i) & 0x3f);
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[size] || code > 0x10ffff || is_surrogate) return stray;
  return {code, size, true};
}

std::string Printable(std::string_view bytes, uint64_t size, size_t most) {
  const bool is_cut = size > bytes.size();
  std::string text;
  while (!bytes.empty()) {
    const Character c = FirstCharacter(bytes);
    if (!c.is_valid && is_cut && IsCutCharacter(bytes)) break;
    const std::string piece = c.is_valid && IsVisible(c.code)
                                  ? std::string(bytes.substr(0, c.size))
                                  : Escape(c);
    if (piece.size() > most - text.size()) return text.append(kEllipsis);
    text += piece;
    bytes.remove_prefix(c.size);
  }
  if (is_cut) text += kEllipsis;
  return text;
}

std::string Printable(std::string_view text) {
  return Printable(text, text.size(), std::numeric_limits<size_t>::max());
}

}  // namespace headrace
