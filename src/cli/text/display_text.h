// Text on a terminal: measures its width, makes it fit, and aligns columns.

#ifndef HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/text/display_text.h"
#include "src/base/text/numbers.h"

namespace headrace::cli {

// Returns the columns that Printable text has on a terminal: 2 per East Asian
// wide character and emoji, 0 per combining mark. This is an approximation;
// fonts differ.
size_t DisplayWidth(std::string_view text);

// Returns at most `width` columns of Printable text. The last is an ellipsis if
// something was cut; a character is never cut in two.
std::string Shortened(std::string_view text, size_t width);

// Adds blanks after `text` or, if `right`, before it, up to `width` columns.
std::string Padded(std::string_view text, size_t width, bool right);

// Returns a percentage; an empty text if the whole is 0.
std::string PartText(uint64_t part, uint64_t whole);
// Returns "1 / 2.5 / 4", or one number where all are equal: three columns of
// ones would be hard to read, and most lists have one value.
std::string SpreadText(uint64_t least, double mean, uint64_t most);

// Table aligns columns for people, cut to the width of the terminal.
class Table {
 public:
  // A column whose heading begins with '>' is aligned right.
  explicit Table(std::vector<std::string> headings);

  // Cells are Printable, one per column; the last ones may be left out.
  void AddRow(std::vector<std::string> cells);
  size_t num_rows() const { return rows_.size(); }

  // Returns the columns that the table needs when nothing is cut.
  size_t NaturalWidth() const;

  // Writes headings if any is not empty. Cuts columns that do not fit `width`,
  // the widest first.
  std::string ToString(size_t width, bool color) const;

 private:
  std::vector<size_t> FittedWidths(size_t width) const;
  std::string Line(const std::vector<std::string>& cells,
                   const std::vector<size_t>& widths) const;

  std::vector<std::string> headings_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;  // of the widest cell
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DISPLAY_TEXT_H_
