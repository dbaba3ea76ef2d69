#include "headrace/types.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"

namespace headrace {

namespace {

constexpr EnumName<Kind> kKindNames[] = {{Kind::kNull, "null"},
                                         {Kind::kBytes, "bytes"},
                                         {Kind::kFloat, "float"},
                                         {Kind::kInt64, "int64"}};

constexpr EnumName<DType> kDTypeNames[] = {
    {DType::kBytes, "bytes"},     {DType::kFloat, "float"},
    {DType::kInt64, "int64"},     {DType::kInt32, "int32"},
    {DType::kInt16, "int16"},     {DType::kInt8, "int8"},
    {DType::kUint64, "uint64"},   {DType::kUint32, "uint32"},
    {DType::kUint16, "uint16"},   {DType::kUint8, "uint8"},
    {DType::kFloat16, "float16"}, {DType::kBfloat16, "bfloat16"},
    {DType::kFloat64, "float64"}, {DType::kBool, "bool"}};

constexpr EnumName<MessageType> kMessageNames[] = {
    {MessageType::kAuto, "auto"},
    {MessageType::kExample, "example"},
    {MessageType::kSequence, "sequence"},
    {MessageType::kRaw, "raw"},
    {MessageType::kElwc, "elwc"},
    {MessageType::kExampleInExample, "example_in_example"},
    {MessageType::kSequence, "sequence_example"}};

constexpr EnumName<Compression> kCompressionNames[] = {
    {Compression::kAuto, "auto"},     {Compression::kNone, "none"},
    {Compression::kGzip, "gzip"},     {Compression::kZlib, "zlib"},
    {Compression::kSnappy, "snappy"}, {Compression::kZstd, "zstd"}};

constexpr EnumName<OnCorrupt> kOnCorruptNames[] = {
    {OnCorrupt::kFail, "fail"},
    {OnCorrupt::kSkip, "skip"},
    {OnCorrupt::kRescan, "rescan"}};

constexpr EnumName<OnRowError> kOnRowErrorNames[] = {
    {OnRowError::kFail, "fail"}, {OnRowError::kSkip, "skip"}};

constexpr EnumName<OnAbsent> kOnAbsentNames[] = {{OnAbsent::kWarn, "warn"},
                                                 {OnAbsent::kError, "error"},
                                                 {OnAbsent::kIgnore, "ignore"}};

}  // namespace

template <>
std::span<const EnumName<Kind>> EnumNames() {
  return kKindNames;
}

template <>
std::span<const EnumName<DType>> EnumNames() {
  return kDTypeNames;
}

template <>
std::span<const EnumName<MessageType>> EnumNames() {
  return kMessageNames;
}

template <>
std::span<const EnumName<Compression>> EnumNames() {
  return kCompressionNames;
}

template <>
std::span<const EnumName<OnCorrupt>> EnumNames() {
  return kOnCorruptNames;
}

template <>
std::span<const EnumName<OnRowError>> EnumNames() {
  return kOnRowErrorNames;
}

template <>
std::span<const EnumName<OnAbsent>> EnumNames() {
  return kOnAbsentNames;
}

size_t DTypeSize(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kUint8:
    case DType::kBool:
      return 1;
    case DType::kInt16:
    case DType::kUint16:
    case DType::kFloat16:
    case DType::kBfloat16:
      return 2;
    case DType::kInt32:
    case DType::kUint32:
    case DType::kFloat:
      return 4;
    case DType::kInt64:
    case DType::kUint64:
    case DType::kFloat64:
      return 8;
    case DType::kBytes:
      return sizeof(std::string_view);
  }
  return 0;
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
  // A name that is only an ending is a hidden file.
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view ending = name.substr(dot);
  for (const auto& [known, compression] : kEndings) {
    if (std::ranges::equal(ending, known, {}, absl::ascii_tolower)) {
      return compression;
    }
  }
  return std::nullopt;
}

}  // namespace headrace
