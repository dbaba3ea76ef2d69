// The small vocabulary that the other headers share.

#ifndef HEADRACE_TYPES_H_
#define HEADRACE_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headrace {

// A value of an enum with the name that the program, Python and JSON have for
// it.
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

// All names of an enum's values. Where a value has two, its own stands first.
template <class Enum>
std::span<const EnumName<Enum>> EnumNames();

// The value's own name; "unknown" for a number that is no value of the enum.
template <class Enum>
std::string_view NameOf(Enum value) {
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    if (known.value == value) return known.name;
  }
  return "unknown";
}

// The value of that name; empty for other text.
template <class Enum>
std::optional<Enum> ParseName(std::string_view name) {
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

// The kind of a tf.train.Feature. kNull: no list is set ("unset").
enum class Kind : uint8_t { kNull = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

// "null", "bytes", "float", "int64".
template <>
std::span<const EnumName<Kind>> EnumNames();
inline std::string_view KindName(Kind kind) { return NameOf(kind); }
inline std::optional<Kind> ParseKind(std::string_view name) {
  return ParseName<Kind>(name);
}

// Type of the values of a tensor. Records hold the first three; bytes are
// std::string_view in memory, the two halves uint16_t.
enum class DType : uint8_t {
  kBytes = 1,
  kFloat = 2,
  kInt64 = 3,
  kInt32,
  kInt16,
  kInt8,
  kUint64,
  kUint32,
  kUint16,
  kUint8,
  kFloat16,
  kBfloat16,
  kFloat64,
};

// "bytes", "float", "int64", "int32" .. "uint8", "float16", "bfloat16",
// "float64".
template <>
std::span<const EnumName<DType>> EnumNames();
inline std::string_view DTypeName(DType dtype) { return NameOf(dtype); }
inline std::optional<DType> ParseDType(std::string_view name) {
  return ParseName<DType>(name);
}
// Bytes of one value in memory.
size_t DTypeSize(DType dtype);

// What the payload of a record is. kAuto looks at the first records: a feature
// list makes it kSequence, anything else kExample. kRaw is any bytes, which are
// not looked into; it must be asked for.
enum class MessageType : uint8_t { kAuto, kExample, kSequence, kRaw };

// "auto", "example", "sequence" or "sequence_example", "raw".
template <>
std::span<const EnumName<MessageType>> EnumNames();

// Around a whole file. kSnappy is TensorFlow's framing: a u32 big-endian size,
// then one raw snappy block, repeated.
enum class Compression : uint8_t { kAuto, kNone, kGzip, kZlib, kSnappy, kZstd };

// "auto", "none", "gzip", "zlib", "snappy", "zstd".
template <>
std::span<const EnumName<Compression>> EnumNames();
inline std::string_view CompressionName(Compression compression) {
  return NameOf(compression);
}
// What the end of a file's name promises, in small or capital letters: .gz and
// .gzip, .zz and .zlib, .snappy and .sz, .zst and .zstd; empty for other names.
// Readers go by the bytes instead; it is for those who choose how to write.
std::optional<Compression> CompressionOfName(std::string_view path);

// What happens when bytes of a file are damaged; docs/formats/tfrecord.md.
enum class OnCorrupt : uint8_t { kFail, kSkip, kRescan };

// "fail", "skip", "rescan".
template <>
std::span<const EnumName<OnCorrupt>> EnumNames();

// What happens to a record that does not fit the plan.
enum class OnRowError : uint8_t { kFail, kSkip };

// "fail", "skip".
template <>
std::span<const EnumName<OnRowError>> EnumNames();

}  // namespace headrace

#endif  // HEADRACE_TYPES_H_
