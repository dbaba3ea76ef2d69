#include "src/cli/text/table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

constexpr size_t kGap = 2;
// Minimum width to which a column is cut.
constexpr size_t kNarrowest = 8;

size_t TotalWidth(const std::vector<size_t>& widths) {
  size_t total = widths.empty() ? 0 : (widths.size() - 1) * kGap;
  for (const size_t width : widths) total += width;
  return total;
}

}  // namespace

Table::Table(std::vector<std::string> headings)
    : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
    widths_.push_back(DisplayWidth(heading));
  }
}

void Table::AddRow(std::vector<std::string> cells) {
  assert(cells.size() == headings_.size());
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
    if (widest == widths.end() || *widest <= kNarrowest) break;
    // The widest becomes as narrow as the second widest, or as needed.
    size_t next = kNarrowest;
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
