// Table aligns columns for people, cut to the width of the terminal.

#ifndef HEADRACE_SRC_CLI_TEXT_TABLE_H_
#define HEADRACE_SRC_CLI_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace headrace::cli {

class Table {
 public:
  // A column whose heading begins with '>' is aligned right.
  explicit Table(std::vector<std::string> headings);

  // Cells are Printable, one per column.
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

#endif  // HEADRACE_SRC_CLI_TEXT_TABLE_H_
