#include "headrace/types.h"

#include <algorithm>
#include <utility>

namespace headrace {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBytes:
      return "bytes";
    case Kind::kFloat:
      return "float";
    case Kind::kInt64:
      return "int64";
  }
  return "unknown";
}

std::optional<Kind> ParseKind(std::string_view name) {
  for (Kind kind : {Kind::kNull, Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
    if (name == KindName(kind)) return kind;
  }
  return std::nullopt;
}

namespace {

// Of ASCII; `lower` is in small letters.
bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) {
                      return a == b || (a >= 'A' && a <= 'Z' && a + 32 == b);
                    });
}

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  size_t size;
};

constexpr DTypeInfo kDTypes[] = {
    {DType::kBytes, "bytes", sizeof(std::string_view)},
    {DType::kFloat, "float", 4},
    {DType::kInt64, "int64", 8},
    {DType::kInt32, "int32", 4},
    {DType::kInt16, "int16", 2},
    {DType::kInt8, "int8", 1},
    {DType::kUint64, "uint64", 8},
    {DType::kUint32, "uint32", 4},
    {DType::kUint16, "uint16", 2},
    {DType::kUint8, "uint8", 1},
    {DType::kFloat16, "float16", 2},
    {DType::kBfloat16, "bfloat16", 2},
    {DType::kFloat64, "float64", 8},
};

}  // namespace

std::string_view DTypeName(DType dtype) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype == dtype) return info.name;
  }
  return "unknown";
}

std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

size_t DTypeSize(DType dtype) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype == dtype) return info.size;
  }
  return 0;
}

std::string_view CompressionName(Compression compression) {
  switch (compression) {
    case Compression::kAuto:
      return "auto";
    case Compression::kNone:
      return "none";
    case Compression::kGzip:
      return "gzip";
    case Compression::kZlib:
      return "zlib";
    case Compression::kSnappy:
      return "snappy";
    case Compression::kZstd:
      return "zstd";
  }
  return "unknown";
}

std::optional<Compression> CompressionOfName(std::string_view path) {
  constexpr std::pair<std::string_view, Compression> kEndings[] = {
      {".gz", Compression::kGzip},       {".gzip", Compression::kGzip},
      {".zz", Compression::kZlib},       {".zlib", Compression::kZlib},
      {".snappy", Compression::kSnappy}, {".sz", Compression::kSnappy},
      {".zst", Compression::kZstd},      {".zstd", Compression::kZstd},
  };
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  // A name that is nothing but an ending is a hidden file.
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view ending = name.substr(dot);
  for (const auto& [known, compression] : kEndings) {
    if (EqualsIgnoringCase(ending, known)) return compression;
  }
  return std::nullopt;
}

}  // namespace headrace
