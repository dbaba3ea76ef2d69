#include "src/base/text/quote.h"

#include <algorithm>

#include "src/base/text/display_text.h"

namespace headrace {
namespace {

constexpr size_t kLongestQuoted = 200;

}  // namespace

std::string Quote(std::string_view name) {
  size_t size = name.size();
  if (size > kLongestQuoted) {
    size = kLongestQuoted;
    while (size > 0 && (name[size] & 0xc0) == 0x80) --size;
  }
  std::string text = "\"";
  for (std::string_view rest = name.substr(0, size); !rest.empty();) {
    const Character c = FirstCharacter(rest);
    if (c.code == '"' || c.code == '\\') text += '\\';
    text += Printable(rest.substr(0, c.size));
    rest.remove_prefix(c.size);
  }
  if (size < name.size()) text += "...";
  return text + "\"";
}

std::string LineAndColumn(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  // Columns count from 1, even on the first line, where rfind returns npos:
  // npos + 1 is 0.
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace headrace
