#include "src/cli/text/value_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "src/base/json/json_text.h"
#include "src/cli/text/display_text.h"
#include "src/decode/example/wire_fields.h"

namespace headrace::cli {
namespace {

// Returns text with escapes, of about `width` columns; a longer text is
// followed by its size.
std::string QuotedText(std::string_view bytes, size_t width) {
  // A character has at most four bytes, so bytes after these cannot be shown; a
  // value may have megabytes.
  const std::string_view shown = bytes.substr(0, 4 * width + 4);
  const std::string text = "\"" + Printable(shown);
  if (shown.size() == bytes.size() && DisplayWidth(text) < width) {
    return text + "\"";
  }
  const std::string size = "\" (" + ByteSize(bytes.size()) + ")";
  return Shortened(text, width > size.size() + 8 ? width - size.size() : 8) +
         size;
}

constexpr size_t kShownBytes = 8;

std::string DescribeBinary(std::string_view bytes) {
  std::string text = "<" + ByteSize(bytes.size()) + ":";
  for (const char c : bytes.substr(0, kShownBytes)) {
    absl::StrAppend(&text, " ",
                    absl::Hex(static_cast<uint8_t>(c), absl::kZeroPad2));
  }
  return text + (bytes.size() > kShownBytes ? " …>" : ">");
}

// Returns the shortest decimals that parse to the same number, or its name.
std::string FloatText(float value) {
  std::string text;
  AppendJsonFloat(value, &text);
  std::erase(text, '"');  // names such as NaN have quotes
  return text;
}

std::string DescribeValue(const Feature& feature, size_t i, size_t width) {
  switch (feature.kind) {
    case Kind::kBytes:
      return DescribeBytes(feature.bytes[i], width);
    case Kind::kInt64:
      return std::to_string(feature.int64s[i]);
    case Kind::kFloat:
      return FloatText(feature.floats[i]);
    case Kind::kNull:
      break;
  }
  return "null";
}

// Returns "[a, b, … 256 values]", cut where `width` is reached. `describe(i,
// width)` returns item i.
template <class Describe>
std::string DescribeList(size_t count, size_t width, std::string_view noun,
                         Describe describe) {
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    const std::string item = describe(i, width);
    const std::string all = "… " + Counted(count, noun) + "]";
    const size_t used = DisplayWidth(text) + DisplayWidth(item);
    // The last item needs no room for the number of values.
    const size_t reserve = i + 1 < count ? DisplayWidth(all) + 2 : 1;
    if (i > 0 && used + reserve > width) return text + all;
    text += item;
  }
  return text + "]";
}

constexpr int kMaxDepth = 10;  // as in protoc
constexpr size_t kMaxLines = 200;
constexpr size_t kNarrowestValue = 20;

// Text without control characters is hardly ever a message: the tag and the
// length of a short field are such characters.
bool IsPlainText(std::string_view bytes) {
  return IsUtf8(bytes) && std::none_of(bytes.begin(), bytes.end(), [](char c) {
           return static_cast<uint8_t>(c) < ' ' || c == '\x7f';
         });
}

// Fixed numbers may be floats or integers, so both are shown.
std::string WireNumber(const WireField& field) {
  if (field.type == WireType::kFixed32) {
    const auto bits = static_cast<uint32_t>(field.value);
    return absl::StrCat("0x", absl::Hex(bits, absl::kZeroPad8), " (",
                        FloatText(std::bit_cast<float>(bits)), ")");
  }
  if (field.type == WireType::kFixed64) {
    std::array<char, 32> digits;
    std::snprintf(digits.data(), digits.size(), "%.17g",
                  std::bit_cast<double>(field.value));
    return absl::StrCat("0x", absl::Hex(field.value, absl::kZeroPad16), " (",
                        digits.data(), ")");
  }
  const auto signed_value = static_cast<int64_t>(field.value);
  const std::string text = std::to_string(field.value);
  return signed_value >= 0 ? text
                           : text + " (" + std::to_string(signed_value) + ")";
}

// Names of wire types, by their numbers.
constexpr std::array<std::string_view, 6> kWireTypes = {
    "varint", "fixed64", "len", "group", "", "fixed32"};

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
  line += kWireTypes[static_cast<size_t>(field.type)];
  if (field.type != WireType::kLen && field.type != WireType::kGroup) {
    text_ += line + ": " + WireNumber(field) + "\n";
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
  text_ += line + ": " + QuotedText(field.bytes, room) + "\n";
}

std::string WireWriter::Take() && {
  if (left_out_ > 0) text_ += "  … " + Counted(left_out_, "more field") + "\n";
  return std::move(text_);
}

}  // namespace

std::string DescribeBytes(std::string_view bytes, size_t width) {
  if (!IsUtf8(bytes) || bytes.find('\0') != std::string_view::npos) {
    return DescribeBinary(bytes);
  }
  return QuotedText(bytes, width);
}

std::string DescribeFeature(const Feature& feature, size_t width) {
  if (feature.kind == Kind::kNull) return "null";
  if (feature.size() == 1) return DescribeValue(feature, 0, width);
  return DescribeList(feature.size(), width, "value", [&](size_t i, size_t w) {
    return DescribeValue(feature, i, std::min<size_t>(w, 40));
  });
}

std::string DescribeSteps(const std::vector<Feature>& steps, MessageType type,
                          size_t width) {
  const char* const noun = type == MessageType::kElwc ? "Example" : "step";
  return DescribeList(steps.size(), width, noun, [&](size_t i, size_t w) {
    const std::string text = DescribeFeature(steps[i], std::min<size_t>(w, 40));
    return text.starts_with('[') || steps[i].kind == Kind::kNull
               ? text
               : "[" + text + "]";
  });
}

std::string WireText(std::string_view payload, size_t width) {
  if (!IsPlainText(payload)) {
    if (const auto message = ReadWireFields(payload, kMaxLines)) {
      WireWriter writer(width);
      writer.Write(*message, /*depth=*/1);
      return std::move(writer).Take();
    }
  }
  return "  " + QuotedText(payload, width > 2 ? width - 2 : 0) + "\n";
}

}  // namespace headrace::cli
