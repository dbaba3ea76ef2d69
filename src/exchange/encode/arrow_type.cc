#include "src/exchange/encode/arrow_type.h"

#include <charconv>
#include <system_error>

namespace headrace::encode {
namespace {

struct Format {
  std::string_view text;
  TypeFacts facts;
};

constexpr TypeFacts Value(ArrowType type, Kind kind, int64_t num_buffers) {
  return {.type = type, .kind = kind, .num_buffers = num_buffers};
}
constexpr TypeFacts Int(ArrowType type) { return Value(type, Kind::kInt64, 2); }
constexpr TypeFacts Float(ArrowType type) {
  return Value(type, Kind::kFloat, 2);
}
constexpr TypeFacts Bytes(ArrowType type) {
  return Value(type, Kind::kBytes, 3);
}
constexpr TypeFacts List(ArrowType type) {
  return {.type = type, .num_buffers = 2, .num_children = 1};
}

// https://arrow.apache.org/docs/format/CDataInterface.html lists them.
constexpr Format kFormats[] = {
    {"n", {}},
    {"b", Int(ArrowType::kBool)},
    {"c", Int(ArrowType::kInt8)},
    {"s", Int(ArrowType::kInt16)},
    {"i", Int(ArrowType::kInt32)},
    {"l", Int(ArrowType::kInt64)},
    {"C", Int(ArrowType::kUint8)},
    {"S", Int(ArrowType::kUint16)},
    {"I", Int(ArrowType::kUint32)},
    {"L", Int(ArrowType::kUint64)},
    {"e", Float(ArrowType::kFloat16)},
    {"f", Float(ArrowType::kFloat32)},
    {"g", Float(ArrowType::kFloat64)},
    {"z", Bytes(ArrowType::kBinary)},
    {"u", Bytes(ArrowType::kBinary)},
    {"Z", Bytes(ArrowType::kLargeBinary)},
    {"U", Bytes(ArrowType::kLargeBinary)},
    {"vz", Bytes(ArrowType::kBinaryView)},
    {"vu", Bytes(ArrowType::kBinaryView)},
    {"+l", List(ArrowType::kList)},
    {"+L", List(ArrowType::kLargeList)},
    {"+s", {.type = ArrowType::kStruct, .num_buffers = 1, .num_children = -1}},
};

std::optional<TypeFacts> ParseFixedSizeList(std::string_view size) {
  TypeFacts facts{
      .type = ArrowType::kFixedSizeList, .num_buffers = 1, .num_children = 1};
  const char* const end = size.data() + size.size();
  const auto parsed = std::from_chars(size.data(), end, facts.list_size);
  if (parsed.ec != std::errc() || parsed.ptr != end || facts.list_size < 0) {
    return std::nullopt;
  }
  return facts;
}

}  // namespace

std::optional<TypeFacts> ParseFormat(std::string_view format) {
  constexpr std::string_view kFixedSizeList = "+w:";
  if (format.starts_with(kFixedSizeList)) {
    return ParseFixedSizeList(format.substr(kFixedSizeList.size()));
  }
  for (const Format& known : kFormats) {
    if (known.text == format) return known.facts;
  }
  return std::nullopt;
}

}  // namespace headrace::encode
