#include "src/cli/verbs/describe.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "src/base/json/json_text.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

constexpr size_t kShownBytes = 8;

std::string DescribeBinary(std::string_view bytes) {
  std::string text = "<" + ByteSize(bytes.size()) + ":";
  for (const char c : bytes.substr(0, kShownBytes)) {
    std::array<char, 8> hex;
    std::snprintf(hex.data(), hex.size(), " %02x", static_cast<uint8_t>(c));
    text += hex.data();
  }
  return text + (bytes.size() > kShownBytes ? " …>" : ">");
}

std::string DescribeValue(const Feature& feature, size_t i, size_t width) {
  std::string text;
  switch (feature.kind) {
    case Kind::kBytes:
      return DescribeBytes(feature.bytes[i], width);
    case Kind::kInt64:
      return std::to_string(feature.int64s[i]);
    case Kind::kFloat:
      AppendJsonFloat(feature.floats[i], &text);
      std::erase(text, '"');  // names such as NaN have quotes
      return text;
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

}  // namespace

std::string DescribeBytes(std::string_view bytes, size_t width) {
  if (!IsUtf8(bytes) || bytes.find('\0') != std::string_view::npos) {
    return DescribeBinary(bytes);
  }
  // A character has at most four bytes, so more cannot be shown; a value may
  // have megabytes.
  const size_t shown = std::min(bytes.size(), 4 * width + 4);
  std::string text = "\"" + Printable(bytes.substr(0, shown));
  if (shown == bytes.size() && DisplayWidth(text) < width) return text + "\"";
  const std::string size = "\" (" + ByteSize(bytes.size()) + ")";
  const size_t room = width > size.size() + 8 ? width - size.size() : 8;
  return Shortened(text, room) + size;
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

}  // namespace headrace::cli
