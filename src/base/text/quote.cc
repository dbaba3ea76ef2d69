#include "src/base/text/quote.h"

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

}  // namespace headrace
