#include "src/cli/json/json_line.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "src/cli/json/base64.h"

namespace headrace::cli {
namespace {

constexpr uint32_t kCanonicalNan = 0x7fc00000;

// Appends `append(value)` for each value, in brackets.
template <class Values, class Append>
void AppendList(const Values& values, std::string* out, Append append) {
  out->push_back('[');
  bool first = true;
  for (const auto& value : values) {
    if (!first) out->push_back(',');
    first = false;
    append(value);
  }
  out->push_back(']');
}

// Appends {"key":append(value),...} of a map.
template <class Map, class Append>
void AppendObject(const Map& map, std::string* out, Append append) {
  out->push_back('{');
  bool first = true;
  for (const auto& [key, value] : map) {
    if (!first) out->push_back(',');
    first = false;
    AppendJsonString(key, out);
    out->push_back(':');
    append(value);
  }
  out->push_back('}');
}

void AppendInt64(int64_t value, std::string* out) {
  std::array<char, 24> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  out->append(text.data(), end);
}

// Whether the list shows its kind without a wrapper.
bool ShowsItsKind(const Feature& feature) {
  if (feature.size() == 0) return false;
  return feature.kind != Kind::kFloat ||
         std::all_of(feature.floats.begin(), feature.floats.end(),
                     [](float value) { return std::isfinite(value); });
}

void AppendValues(const Feature& feature, std::string* out) {
  switch (feature.kind) {
    case Kind::kNull:
      break;
    case Kind::kBytes:
      AppendList(feature.bytes, out,
                 [out](const auto& value) { AppendJsonBytes(value, out); });
      break;
    case Kind::kFloat:
      AppendList(feature.floats, out,
                 [out](float value) { AppendJsonFloat(value, out); });
      break;
    case Kind::kInt64:
      AppendList(feature.int64s, out,
                 [out](int64_t value) { AppendInt64(value, out); });
      break;
  }
}

void AppendUnicodeEscape(uint32_t value, std::string* out) {
  std::array<char, 8> text;
  std::snprintf(text.data(), text.size(), "\\u%04x", value);
  out->append(text.data());
}

void AppendControl(uint8_t byte, std::string* out) {
  switch (byte) {
    case '\b':
      out->append("\\b");
      break;
    case '\t':
      out->append("\\t");
      break;
    case '\n':
      out->append("\\n");
      break;
    case '\f':
      out->append("\\f");
      break;
    case '\r':
      out->append("\\r");
      break;
    default:
      AppendUnicodeEscape(byte, out);
  }
}

// Bytes of the well-formed character at the head of `text`; 0 if there is
// none.
size_t CharacterSize(std::string_view text) {
  for (size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (IsUtf8(text.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  size_t plain = 0;  // start of what is copied as it is
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    // U+0080 to U+009F are c2 80 to c2 9f: terminals obey them like ESC.
    const bool high_control = byte == 0xc2 && i + 1 < text.size() &&
                              static_cast<uint8_t>(text[i + 1]) < 0xa0;
    if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != 0x7f &&
        !high_control) {
      continue;
    }
    out->append(text.substr(plain, i - plain));
    if (byte == '"' || byte == '\\') {
      out->push_back('\\');
      out->push_back(text[i]);
    } else if (high_control) {
      AppendUnicodeEscape(static_cast<uint8_t>(text[++i]), out);
    } else {
      AppendControl(byte, out);
    }
    plain = i + 1;
  }
  out->append(text.substr(plain));
  out->push_back('"');
}

void AppendJsonText(std::string_view text, std::string* out) {
  if (IsUtf8(text)) return AppendJsonString(text, out);
  std::string repaired;
  while (!text.empty()) {
    const size_t size = CharacterSize(text);
    repaired.append(size > 0 ? text.substr(0, size) : "\ufffd");
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  AppendJsonString(repaired, out);
}

void AppendJsonBytes(std::string_view bytes, std::string* out) {
  if (IsUtf8(bytes)) return AppendJsonString(bytes, out);
  out->append("{\"b64\":\"");
  AppendBase64(bytes, out);
  out->append("\"}");
}

void AppendJsonFloat(float value, std::string* out) {
  std::array<char, 24> text;
  if (std::isfinite(value)) {
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    const std::string_view digits(text.data(),
                                  static_cast<size_t>(end - text.data()));
    out->append(digits);
    if (digits.find_first_of(".e") == std::string_view::npos) {
      out->append(".0");
    }
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else if (std::bit_cast<uint32_t>(value) == kCanonicalNan) {
    out->append("\"NaN\"");
  } else {
    std::snprintf(text.data(), text.size(), "\"0x%08x\"",
                  std::bit_cast<uint32_t>(value));
    out->append(text.data());
  }
}

void AppendJsonFeature(const Feature& feature, std::string* out) {
  if (feature.kind == Kind::kNull) {
    out->append("null");
  } else if (ShowsItsKind(feature)) {
    AppendValues(feature, out);
  } else {
    out->append("{\"");
    out->append(KindName(feature.kind));
    out->append("\":");
    AppendValues(feature, out);
    out->push_back('}');
  }
}

void AppendJsonMessage(const Message& message, std::string* out) {
  const auto feature = [out](const Feature& f) { AppendJsonFeature(f, out); };
  if (message.type != MessageType::kSequence) {
    AppendObject(message.features, out, feature);
    return;
  }
  out->append("{\"context\":");
  AppendObject(message.features, out, feature);
  // A SequenceExample without the message feature_lists is not the same as one
  // where it is there and empty.
  if (message.has_feature_lists || !message.feature_lists.empty()) {
    out->append(",\"feature_lists\":");
    AppendObject(message.feature_lists, out,
                 [out, feature](const std::vector<Feature>& steps) {
                   AppendList(steps, out, feature);
                 });
  }
  out->push_back('}');
}

}  // namespace headrace::cli
