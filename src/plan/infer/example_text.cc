#include "src/plan/infer/example_text.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <string_view>

#include "absl/strings/escaping.h"

namespace headrace::infer {
namespace {

// Bytes of a value in the text.
constexpr size_t kExampleBytes = 40;

bool IsPrintable(std::string_view text) {
  return IsUtf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte < 0x20 || byte == 0x7F;
         });
}

std::string BytesExample(std::string_view value) {
  const std::string size = " (" + std::to_string(value.size()) + " bytes)";
  if (!IsPrintable(value)) {
    std::string_view head = value.substr(0, kExampleBytes / 4);
    return "0x" + absl::BytesToHexString({head.data(), head.size()}) +
           (head.size() < value.size() ? "..." + size : "");
  }
  if (value.size() <= kExampleBytes) return '"' + std::string(value) + '"';
  size_t cut = kExampleBytes;
  // A cut inside a character would leave bytes that are not UTF-8.
  while ((static_cast<unsigned char>(value[cut]) & 0xC0) == 0x80) --cut;
  return '"' + std::string(value.substr(0, cut)) + "...\"" + size;
}

}  // namespace

std::string ExampleText(const Feature& feature) {
  char text[64];
  switch (feature.kind) {
    case Kind::kBytes:
      return BytesExample(feature.bytes.front());
    case Kind::kInt64:
      return std::to_string(feature.int64s.front());
    default: {
      assert(feature.kind == Kind::kFloat);
      const auto end =
          std::to_chars(text, text + sizeof(text), feature.floats.front());
      return std::string(text, end.ptr);
    }
  }
}

}  // namespace headrace::infer
