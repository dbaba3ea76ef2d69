// The enums that the other headers share, and the names of their values.

#ifndef HEADRACE_TYPES_H_
#define HEADRACE_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "headrace/export.h"

namespace headrace {

// A value of an enum and its name in the program, Python and JSON.
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

// Returns all names of an enum's values. If a value has two names, the usual
// one is first.
template <class Enum>
std::span<const EnumName<Enum>> EnumNames();

// Returns the usual name of a value; "unknown" for a number that is not a
// value.
template <class Enum>
std::string_view NameOf(Enum value) {
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    if (known.value == value) return known.name;
  }
  return "unknown";
}

// Returns the value of that name; empty if there is none.
template <class Enum>
std::optional<Enum> ParseName(std::string_view name) {
  for (const EnumName<Enum>& known : EnumNames<Enum>()) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

// The kind of a tf.train.Feature; kNull means that no list is set ("unset").
enum class Kind : uint8_t { kNull = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

// The names are "null", "bytes" and so on.
template <>
HEADRACE_EXPORT std::span<const EnumName<Kind>> EnumNames();
inline std::string_view KindName(Kind kind) { return NameOf(kind); }
inline std::optional<Kind> ParseKind(std::string_view name) {
  return ParseName<Kind>(name);
}

// The type of a tensor's values. Records hold only the first three. In memory,
// values of kBytes are std::string_view, the two 16-bit floats are uint16_t,
// and values of kBool are the bytes 0 and 1.
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
  kBool,
};

// The names are "bytes", "float" and so on.
template <>
HEADRACE_EXPORT std::span<const EnumName<DType>> EnumNames();
inline std::string_view DTypeName(DType dtype) { return NameOf(dtype); }
inline std::optional<DType> ParseDType(std::string_view name) {
  return ParseName<DType>(name);
}
HEADRACE_EXPORT size_t DTypeSize(DType dtype);  // bytes of one value in memory

// The content of a record's payload. kAuto goes by the first records, and
// chooses kExample, kSequence or kElwc (rule M7 of docs/semantics.md). kRaw is
// any bytes, which are not parsed. kElwc is a list of Examples with a context,
// tensorflow.serving.ExampleListWithContext; kExampleInExample is the same list
// in the bytes of one Example.
enum class MessageType : uint8_t {
  kAuto,
  kExample,
  kSequence,
  kRaw,
  kElwc,
  kExampleInExample,
};
// Returns whether a record of this type is a list of Examples with a context.
constexpr bool IsListOfExamples(MessageType type) {
  return type == MessageType::kElwc || type == MessageType::kExampleInExample;
}

// The names are "auto", "example", "sequence" or "sequence_example", "raw",
// "elwc" and "example_in_example".
template <>
HEADRACE_EXPORT std::span<const EnumName<MessageType>> EnumNames();

// The compression of a whole file. kSnappy is TensorFlow's framing: a u32
// big-endian size, then one raw snappy block, repeated.
enum class Compression : uint8_t { kAuto, kNone, kGzip, kZlib, kSnappy, kZstd };

// The names are "auto", "none", "gzip", "zlib", "snappy" and "zstd".
template <>
HEADRACE_EXPORT std::span<const EnumName<Compression>> EnumNames();
inline std::string_view CompressionName(Compression compression) {
  return NameOf(compression);
}
// Returns the compression that a file's extension means, in upper or lower
// case: .gz or .gzip, .zz or .zlib, .snappy or .sz, .zst or .zstd; empty for
// other names. Use it to choose how to write; readers go by the bytes.
HEADRACE_EXPORT std::optional<Compression> CompressionOfName(
    std::string_view path);

// How to treat damaged bytes of a file; docs/formats/tfrecord.md.
enum class OnCorrupt : uint8_t { kFail, kSkip, kRescan };
// Returns whether reading goes on where framing is lost. After such a place,
// the numbers of records may differ from those in an index or in a walk of the
// headers, and payloads are checked as they are found.
constexpr bool MayLoseFraming(OnCorrupt policy) {
  return policy == OnCorrupt::kRescan;
}

// The names are "fail", "skip", "rescan".
template <>
HEADRACE_EXPORT std::span<const EnumName<OnCorrupt>> EnumNames();

// What happens to a record that does not fit the plan.
enum class OnRowError : uint8_t { kFail, kSkip };

// The names are "fail", "skip".
template <>
HEADRACE_EXPORT std::span<const EnumName<OnRowError>> EnumNames();

// What happens if the records lack a feature that a plan names.
enum class OnAbsent : uint8_t { kWarn, kError, kIgnore };

// The names are "warn", "error", "ignore".
template <>
HEADRACE_EXPORT std::span<const EnumName<OnAbsent>> EnumNames();

// Where a row came from.
struct RowOrigin {
  // The number of the record in the file, from 0. kUnknown if only a part of
  // the file was read and no index has the number of records before that part.
  uint64_t record = 0;
  uint64_t offset = 0;     // of the record in the uncompressed stream
  uint32_t file = 0;       // index into Reader::files(); 0 for a Decoder
  bool recovered = false;  // true if found by rescanning
};

}  // namespace headrace

#endif  // HEADRACE_TYPES_H_
