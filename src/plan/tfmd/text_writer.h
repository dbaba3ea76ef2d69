// TextWriter writes protobuf's text format as its own printers do: one field
// per line, two blanks per level.

#ifndef HEADRACE_SRC_PLAN_TFMD_TEXT_WRITER_H_
#define HEADRACE_SRC_PLAN_TFMD_TEXT_WRITER_H_

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace headrace::tfmd_forms {

class TextWriter {
 public:
  // Writes a message; `fields` writes its fields.
  template <class Fields>
  void Message(std::string_view name, Fields fields) {
    Indent();
    out_.append(name).append(" {\n");
    ++depth_;
    fields();
    --depth_;
    Indent();
    out_.append("}\n");
  }

  // Writes a quoted text. UTF-8 is written as it is, except control characters;
  // in other text all bytes above 0x7e are in octal.
  void String(std::string_view name, std::string_view text);
  // Writes quoted bytes, those above 0x7e in octal.
  void Bytes(std::string_view name, std::string_view bytes);
  // Double and Float write the shortest text that reads back the same; every
  // NaN is "nan".
  void Double(std::string_view name, double value);
  void Float(std::string_view name, float value);
  void Int(std::string_view name, std::integral auto value) {
    Word(name, std::to_string(value));
  }
  // Writes an unquoted word: the name of an enum's value, "true", "false".
  void Word(std::string_view name, std::string_view word);

  std::string Take() { return std::move(out_); }

 private:
  void Indent() { out_.append(2 * depth_, ' '); }
  void Quoted(std::string_view name, std::string_view text, bool is_utf8);
  template <class Real>
  void Decimal(std::string_view name, Real value);

  std::string out_;
  size_t depth_ = 0;
};

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_TEXT_WRITER_H_
