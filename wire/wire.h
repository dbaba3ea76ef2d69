// protobuf's wire format has these words, and libprotobuf rejects these faults.
//
// This folder is a small library of its own: it knows tags, varints, lengths,
// groups and packed runs, and nothing of any message type. It accepts exactly
// what libprotobuf (C++) accepts; docs/semantics.md lists the rules.

#ifndef HEADRACE_WIRE_WIRE_H_
#define HEADRACE_WIRE_WIRE_H_

#include <cstddef>
#include <cstdint>

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

// Bytes with a fault are no message.
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
  kPackedSize,  // packed 32-bit values, and not a multiple of four bytes
  kUtf8,        // a string that is not UTF-8
  kChanged,     // the bytes were different a moment ago
};

const char* FaultText(Fault fault);

// libprotobuf allows so many messages and groups inside one another by default,
// the outermost message not counted.
inline constexpr int kMaxDepth = 100;

// Kernels may read, but never use, so many bytes after the input.
inline constexpr size_t kSlackBytes = 64;

struct Span {
  const uint8_t* data = nullptr;
  size_t size = 0;

  const uint8_t* end() const { return data + size; }
};

struct WalkEnd {
  Fault fault = Fault::kNone;
  const uint8_t* position = nullptr;  // the fault's place
  bool stopped = false;
};

}  // namespace headrace::wire

#endif  // HEADRACE_WIRE_WIRE_H_
