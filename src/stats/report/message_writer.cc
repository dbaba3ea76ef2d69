#include "src/stats/report/message_writer.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "absl/strings/charconv.h"

namespace headrace {

template <class Bits>
void MessageWriter::Fixed(uint32_t number, wire::WireType type, Bits bits) {
  wire::AppendVarint(wire::Tag(number, type), &bytes_);
  for (size_t i = 0; i < sizeof(bits); ++i) {
    bytes_.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
  }
}

void MessageWriter::Uint(MessageField field, uint64_t value) {
  if (value == 0) return;
  if (form_ == MessageForm::kText) return text_.Int(field.name, value);
  wire::AppendVarint(wire::Tag(field.number, wire::kVarint), &bytes_);
  wire::AppendVarint(value, &bytes_);
}

void MessageWriter::Double(MessageField field, double value) {
  if (value == 0) return;
  if (form_ == MessageForm::kText) return text_.Double(field.name, value);
  Fixed(field.number, wire::kFixed64, std::bit_cast<uint64_t>(value));
}

void MessageWriter::Float(MessageField field, float value) {
  if (value == 0) return;
  if (form_ == MessageForm::kBinary) {
    return Fixed(field.number, wire::kFixed32, std::bit_cast<uint32_t>(value));
  }
  // The shortest digits of this float are fewer than those of the same number
  // as a double.
  std::array<char, 32> digits;
  double shortest = value;
  if (std::isfinite(value)) {
    const char* end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    absl::from_chars(digits.data(), end, shortest);
  }
  text_.Double(field.name, shortest);
}

void MessageWriter::Enum(MessageField field, uint64_t value,
                         std::string_view name) {
  if (value == 0) return;
  if (form_ == MessageForm::kText) return text_.Word(field.name, name);
  Uint(field, value);
}

void MessageWriter::String(MessageField field, std::string_view text) {
  if (!text.empty()) RepeatedString(field, text);
}

void MessageWriter::RepeatedString(MessageField field, std::string_view text) {
  if (form_ == MessageForm::kText) return text_.Bytes(field.name, text);
  wire::AppendLen(field.number, text, &bytes_);
}

}  // namespace headrace
