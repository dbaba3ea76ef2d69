#include "src/cli/text/display_text.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace headrace::cli {
namespace {

constexpr CodeRange kNoWidth[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
    {0x64b, 0x65f},   {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},
    {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f},
};

constexpr CodeRange kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

size_t WidthOf(uint32_t value) {
  if (IsInRanges(value, kNoWidth)) return 0;
  return IsInRanges(value, kWide) ? 2 : 1;
}

constexpr size_t kGap = 2;
// Minimum width to which a column is cut.
constexpr size_t kNarrowestColumn = 8;

size_t TotalWidth(const std::vector<size_t>& widths) {
  size_t total = widths.empty() ? 0 : (widths.size() - 1) * kGap;
  for (const size_t width : widths) total += width;
  return total;
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

std::string PartText(uint64_t part, uint64_t whole) {
  return whole == 0 ? "" : ShareText(part, whole);
}

std::string SpreadText(uint64_t least, double mean, uint64_t most) {
  if (least == most) return Grouped(least);
  return Grouped(least) + " / " + Decimal(mean, 1) + " / " + Grouped(most);
}

Table::Table(std::vector<std::string> headings)
    : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
    widths_.push_back(DisplayWidth(heading));
  }
}

void Table::AddRow(std::vector<std::string> cells) {
  assert(cells.size() <= headings_.size());
  cells.resize(headings_.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    widths_[i] = std::max(widths_[i], DisplayWidth(cells[i]));
  }
  rows_.push_back(std::move(cells));
}

size_t Table::NaturalWidth() const { return TotalWidth(widths_); }

std::vector<size_t> Table::FittedWidths(size_t width) const {
  std::vector<size_t> widths = widths_;
  while (TotalWidth(widths) > width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (widest == widths.end() || *widest <= kNarrowestColumn) break;
    // The widest becomes as narrow as the second widest, or only as much
    // narrower as needed.
    size_t next = kNarrowestColumn;
    for (const size_t other : widths) {
      if (other < *widest) next = std::max(next, other);
    }
    const size_t excess = TotalWidth(widths) - width;
    *widest -=
        std::clamp<size_t>(excess, 1, std::max<size_t>(*widest - next, 1));
  }
  return widths;
}

std::string Table::Line(const std::vector<std::string>& cells,
                        const std::vector<size_t>& widths) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    line += Padded(Shortened(cells[i], widths[i]), widths[i], right_[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string Table::ToString(size_t width, bool color) const {
  const std::vector<size_t> widths = FittedWidths(width);
  std::string text;
  const std::string head = Line(headings_, widths);
  if (!head.empty()) {
    text += color ? "\x1b[1m" + head + "\x1b[0m\n" : head + "\n";
  }
  for (const auto& row : rows_) text += Line(row, widths) + "\n";
  return text;
}

}  // namespace headrace::cli
