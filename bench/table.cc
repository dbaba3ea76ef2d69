#include "bench/table.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace headrace::bench {

void PrintMarkdown(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size(), 3);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  const auto print = [&](const std::vector<std::string>& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      std::printf("| %-*s ", static_cast<int>(widths[i]), row[i].c_str());
    }
    std::printf("|\n");
  };
  print(rows[0]);
  print(std::vector<std::string>(widths.size(), "---"));
  std::for_each(rows.begin() + 1, rows.end(), print);
  std::fflush(stdout);
}

std::string Decimals(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

}  // namespace headrace::bench
