#include "src/plan/tfmd/text_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "wire/utf8.h"

namespace headrace::tfmd_forms {
namespace {

// With fewer than three digits, a digit after the escape would be part of it.
void AppendOctal(uint8_t byte, std::string* out) {
  out->push_back('\\');
  for (int shift = 6; shift >= 0; shift -= 3) {
    out->push_back(static_cast<char>('0' + (byte >> shift & 7)));
  }
}

// Returns the letter of a two-character escape; 0 if the character has none.
char EscapeLetter(char c) {
  switch (c) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '"':
    case '\'':
    case '\\':
      return c;
    default:
      return 0;
  }
}

// Whether this is one of U+0080 to U+009F, some of which terminals obey.
bool IsHighControl(std::string_view text, size_t at) {
  return text[at] == '\xc2' && static_cast<uint8_t>(text[at + 1]) < 0xa0;
}

}  // namespace

void TextWriter::Quoted(std::string_view name, std::string_view text,
                        bool is_utf8) {
  Indent();
  out_.append(name).append(": \"");
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (const char letter = EscapeLetter(text[i])) {
      out_.push_back('\\');
      out_.push_back(letter);
    } else if (is_utf8 && byte >= 0x80) {
      if (IsHighControl(text, i)) {
        AppendOctal(byte, &out_);
        AppendOctal(static_cast<uint8_t>(text[++i]), &out_);
      } else {
        out_.push_back(text[i]);
      }
    } else if (byte < 0x20 || byte > 0x7e) {
      AppendOctal(byte, &out_);
    } else {
      out_.push_back(text[i]);
    }
  }
  out_.append("\"\n");
}

void TextWriter::String(std::string_view name, std::string_view text) {
  Quoted(name, text, wire::IsUtf8(text));
}

void TextWriter::Bytes(std::string_view name, std::string_view bytes) {
  Quoted(name, bytes, /*is_utf8=*/false);
}

template <class Real>
void TextWriter::Decimal(std::string_view name, Real value) {
  if (std::isnan(value)) return Word(name, "nan");
  if (std::isinf(value)) return Word(name, value < 0 ? "-inf" : "inf");
  std::array<char, 32> text;  // the longest has 24
  // Writes plain digits where Python does; by itself to_chars would write
  // 100000 as 1e+05, only because that is shorter.
  const Real size = std::fabs(value);
  const bool plain = value == 0 || (size >= Real(1e-4) && size < Real(1e16));
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 plain ? std::chars_format::fixed
                                       : std::chars_format::scientific)
                       .ptr;
  std::string word(text.data(), end);
  if (plain && word.find('.') == std::string::npos) word += ".0";
  Word(name, word);
}

void TextWriter::Double(std::string_view name, double value) {
  Decimal(name, value);
}

void TextWriter::Float(std::string_view name, float value) {
  Decimal(name, value);
}

void TextWriter::Word(std::string_view name, std::string_view word) {
  Indent();
  out_.append(name).append(": ").append(word).push_back('\n');
}

}  // namespace headrace::tfmd_forms
