#include "src/base/text/display_text.h"

#include <array>
#include <cstdio>
#include <limits>

#include "src/base/text/visible_text.h"

namespace headrace {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

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
  constexpr std::string_view kNames = "abtnvfr";  // of 7 to 13
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
