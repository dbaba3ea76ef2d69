// The vocabulary of protobuf's wire format, and the faults that libprotobuf
// rejects.
//
// This folder is a small library that knows tags, varints, lengths, groups and
// packed runs, but no message types. It accepts exactly what libprotobuf (C++)
// accepts; docs/semantics.md lists the rules.

#ifndef HEADRACE_WIRE_WIRE_H_
#define HEADRACE_WIRE_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace::wire {

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kLen = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

constexpr uint32_t Tag(uint32_t field, WireType type) {
  return field << 3 | type;
}

// The reason why bytes are not a valid message.
enum class Fault : uint8_t {
  kNone = 0,
  kTruncated,   // a value or a length runs past the end
  kLongVarint,  // more than ten bytes
  kLongTag,     // more than five bytes
  kLongLength,  // more than five bytes, or 2^31 and above
  kFieldZero,   // field number 0
  kWireType,    // wire type 6 or 7
  kGroup,       // stray, mismatched or unterminated group
  kDepth,       // groups nested too deep
  kPackedSize,  // packed 32-bit values, but not a multiple of four bytes
  kUtf8,        // a string that is not UTF-8
  kChanged,     // the bytes changed while they were read
};

const char* FaultText(Fault fault);

// Maximum depth of nested messages and groups that libprotobuf allows by
// default, not counting the outermost message.
inline constexpr int kMaxDepth = 100;

// Bytes after the input that kernels may read, but never use.
inline constexpr size_t kSlackBytes = 64;

struct Span {
  const uint8_t* data = nullptr;
  size_t size = 0;

  const uint8_t* end() const { return data + size; }
};

inline Span SpanOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

inline std::string_view TextOf(Span span) {
  return {reinterpret_cast<const char*>(span.data), span.size};
}

struct WalkEnd {
  Fault fault = Fault::kNone;
  const uint8_t* position = nullptr;  // of the fault
  bool stopped = false;
};

}  // namespace headrace::wire

#endif  // HEADRACE_WIRE_WIRE_H_
