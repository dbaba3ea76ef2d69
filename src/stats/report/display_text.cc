#include "src/stats/report/display_text.h"

#include <array>
#include <cstdio>
#include <limits>
#include <span>

#include "src/base/json/json_text.h"
#include "src/base/text/visible_text.h"
#include "wire/utf8.h"

namespace headrace::report {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

// Gives the size of the character that the text begins with, 0 if that is none.
size_t Utf8Size(std::string_view text) {
  for (size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (wire::IsUtf8({reinterpret_cast<const uint8_t*>(text.data()), size})) {
      return size;
    }
  }
  return 0;
}

uint32_t CodeOf(std::string_view character) {
  const auto lead = static_cast<uint8_t>(character.front());
  uint32_t code = lead;
  if (character.size() > 1) code = lead & (0x7fu >> character.size());
  for (const char c : character.substr(1)) {
    code = code << 6 | (static_cast<uint8_t>(c) & 0x3fu);
  }
  return code;
}

std::string EscapedByte(char byte) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "\\x%02x",
                static_cast<unsigned>(static_cast<uint8_t>(byte)));
  return text.data();
}

std::string EscapedCode(uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code < 0x80) return EscapedByte(static_cast<char>(code));
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "\\u%04x",
                static_cast<unsigned>(code));
  return text.data();
}

// Whether the text may be the beginning of one character.
bool IsCutCharacter(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  const size_t wanted = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() >= wanted) return false;
  for (const char c : text.substr(1)) {
    if ((static_cast<uint8_t>(c) & 0xc0) != 0x80) return false;
  }
  return true;
}

}  // namespace

std::string DisplayText(std::string_view bytes, uint64_t size, size_t most) {
  const bool is_cut = size > bytes.size();
  std::string text;
  while (!bytes.empty()) {
    const size_t character = Utf8Size(bytes);
    if (character == 0 && is_cut && IsCutCharacter(bytes)) break;
    std::string piece;
    if (character == 0) {
      piece = EscapedByte(bytes.front());
    } else if (const uint32_t code = CodeOf(bytes.substr(0, character));
               !IsVisible(code)) {
      piece = EscapedCode(code);
    } else {
      piece = bytes.substr(0, character);
    }
    if (text.size() + piece.size() > most) return text.append(kEllipsis);
    text += piece;
    bytes.remove_prefix(character == 0 ? 1 : character);
  }
  if (is_cut) text += kEllipsis;
  return text;
}

std::string DisplayName(std::string_view name) {
  return DisplayText(name, name.size(), std::numeric_limits<size_t>::max());
}

void AppendHtml(std::string_view text, std::string* out) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out->append("&amp;");
        break;
      case '<':
        out->append("&lt;");
        break;
      case '>':
        out->append("&gt;");
        break;
      case '"':
        out->append("&quot;");
        break;
      case '\'':
        out->append("&#39;");
        break;
      default:
        out->push_back(c);
    }
  }
}

void AppendScriptString(std::string_view text, std::string* out) {
  std::string json;
  AppendJsonString(text, &json);
  for (const char c : json) {
    if (c == '<') {
      out->append("\\u003c");
    } else {
      out->push_back(c);
    }
  }
}

}  // namespace headrace::report
