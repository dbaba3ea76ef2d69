#include "src/cli/text/wire_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "headrace/message.h"
#include "src/base/json/json_text.h"
#include "src/cli/text/display_text.h"
#include "src/decode/example/wire_fields.h"

namespace headrace::cli {
namespace {

constexpr int kMaxDepth = 10;  // that of protoc
constexpr size_t kMaxLines = 200;
constexpr size_t kNarrowestValue = 20;

// Text without control characters is hardly ever a message: the tag and the
// length of a short field are such characters.
bool IsPlainText(std::string_view bytes) {
  return IsUtf8(bytes) && std::none_of(bytes.begin(), bytes.end(), [](char c) {
           return static_cast<uint8_t>(c) < ' ' || c == '\x7f';
         });
}

// Returns text with escapes, of about `width` columns; a longer text is
// followed by its size.
std::string Quoted(std::string_view bytes, size_t width) {
  // A character has at most four bytes, so more cannot be shown.
  const std::string_view shown = bytes.substr(0, 4 * width + 4);
  const std::string text = "\"" + Printable(shown);
  if (shown.size() == bytes.size() && DisplayWidth(text) < width) {
    return text + "\"";
  }
  const std::string size = "\" (" + ByteSize(bytes.size()) + ")";
  return Shortened(text, width > size.size() + 8 ? width - size.size() : 8) +
         size;
}

template <class Float>
std::string FloatText(Float value) {
  // Decimals that parse to the same number, for floats the shortest.
  std::string text;
  if constexpr (sizeof(Float) == sizeof(float)) {
    AppendJsonFloat(value, &text);
    std::erase(text, '"');  // names such as NaN have quotes
    return text;
  }
  std::array<char, 32> digits;
  std::snprintf(digits.data(), digits.size(), "%.17g",
                static_cast<double>(value));
  return digits.data();
}

// Fixed numbers may be floats or integers, so both are shown.
std::string NumberText(const WireField& field) {
  std::array<char, 24> hex;
  switch (field.type) {
    case WireType::kFixed32: {
      const auto bits = static_cast<uint32_t>(field.value);
      std::snprintf(hex.data(), hex.size(), "0x%08" PRIx32, bits);
      return std::string(hex.data()) + " (" +
             FloatText(std::bit_cast<float>(bits)) + ")";
    }
    case WireType::kFixed64:
      std::snprintf(hex.data(), hex.size(), "0x%016" PRIx64, field.value);
      return std::string(hex.data()) + " (" +
             FloatText(std::bit_cast<double>(field.value)) + ")";
    default:
      break;
  }
  const auto signed_value = static_cast<int64_t>(field.value);
  const std::string text = std::to_string(field.value);
  return signed_value >= 0 ? text
                           : text + " (" + std::to_string(signed_value) + ")";
}

std::string_view TypeName(WireType type) {
  switch (type) {
    case WireType::kVarint:
      return "varint";
    case WireType::kFixed64:
      return "fixed64";
    case WireType::kFixed32:
      return "fixed32";
    case WireType::kGroup:
      return "group";
    case WireType::kLen:
      break;
  }
  return "len";
}

class WireWriter {
 public:
  explicit WireWriter(size_t width) : width_(width) {}

  void Write(const WireMessage& message, int depth);
  std::string Take() &&;

 private:
  void Write(const WireField& field, int depth);

  const size_t width_;
  std::string text_;
  size_t lines_left_ = kMaxLines;
  uint64_t left_out_ = 0;  // fields of the messages that were begun
};

void WireWriter::Write(const WireMessage& message, int depth) {
  uint64_t written = 0;
  for (const WireField& field : message.fields) {
    if (lines_left_ == 0) break;
    --lines_left_;
    ++written;
    Write(field, depth);
  }
  left_out_ += message.num_fields - written;
}

void WireWriter::Write(const WireField& field, int depth) {
  const auto indent = std::string(2 * static_cast<size_t>(depth), ' ');
  std::string line = indent + std::to_string(field.number) + " ";
  line += TypeName(field.type);
  if (field.type != WireType::kLen && field.type != WireType::kGroup) {
    text_ += line + ": " + NumberText(field) + "\n";
    return;
  }
  const bool is_group = field.type == WireType::kGroup;
  if (depth <= kMaxDepth && (is_group || !IsPlainText(field.bytes))) {
    if (const auto message = ReadWireFields(field.bytes, lines_left_)) {
      text_ += line + " {\n";
      Write(*message, depth + 1);
      text_ += indent + "}\n";
      return;
    }
  }
  const size_t used = line.size() + 2;
  const size_t room =
      width_ > used + kNarrowestValue ? width_ - used : kNarrowestValue;
  text_ += line + ": " + Quoted(field.bytes, room) + "\n";
}

std::string WireWriter::Take() && {
  if (left_out_ > 0) text_ += "  … " + Counted(left_out_, "more field") + "\n";
  return std::move(text_);
}

}  // namespace

std::string WireText(std::string_view payload, size_t width) {
  if (!IsPlainText(payload)) {
    if (const auto message = ReadWireFields(payload, kMaxLines)) {
      WireWriter writer(width);
      writer.Write(*message, /*depth=*/1);
      return std::move(writer).Take();
    }
  }
  return "  " + Quoted(payload, width > 2 ? width - 2 : 0) + "\n";
}

}  // namespace headrace::cli
