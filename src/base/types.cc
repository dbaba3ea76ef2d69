#include "headrace/types.h"

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

}  // namespace headrace
