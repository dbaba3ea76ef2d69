// MessageWriter writes a protobuf message, serialized or as text. Fields are
// written in the order of their numbers, and those that are zero or empty are
// left out, as proto3 does.

#ifndef HEADRACE_SRC_STATS_REPORT_MESSAGE_WRITER_H_
#define HEADRACE_SRC_STATS_REPORT_MESSAGE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/plan/tfmd/text_writer.h"
#include "wire/append.h"

namespace headrace {

struct MessageField {
  uint32_t number;
  const char* name;
};

enum class MessageForm : uint8_t { kBinary, kText };

class MessageWriter {
 public:
  explicit MessageWriter(MessageForm form) : form_(form) {}

  // `fields` writes the fields of the message, if any.
  template <class Fields>
  void Message(MessageField field, Fields fields) {
    if (form_ == MessageForm::kText) return text_.Message(field.name, fields);
    std::string outer = std::move(bytes_);
    bytes_.clear();
    fields();
    wire::AppendLen(field.number, bytes_, &outer);
    bytes_ = std::move(outer);
  }
  void Uint(MessageField field, uint64_t value);
  void Double(MessageField field, double value);
  void Float(MessageField field, float value);
  void Enum(MessageField field, uint64_t value, std::string_view name);
  // The text is UTF-8.
  void String(MessageField field, std::string_view text);
  // Writes the text even if it is empty, as it is one of several.
  void RepeatedString(MessageField field, std::string_view text);

  std::string Take() {
    return form_ == MessageForm::kText ? text_.Take() : std::move(bytes_);
  }

 private:
  template <class Bits>
  void Fixed(uint32_t number, wire::WireType type, Bits bits);

  MessageForm form_;
  tfmd_forms::TextWriter text_;
  std::string bytes_;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_STATS_REPORT_MESSAGE_WRITER_H_
