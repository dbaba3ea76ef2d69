// Cursor is a position in the fields of one message.
//
// It never reads past the end. A Read function returns false on a fault; then
// fault() and position() say what is wrong and where, and the cursor must not
// be read again.

#ifndef HEADRACE_WIRE_CURSOR_H_
#define HEADRACE_WIRE_CURSOR_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "wire/wire.h"

namespace headrace::wire {

// Numbers of fixed size may have any address. They are little-endian, and the
// machine must be little-endian, too, because packed numbers are copied into
// columns unchanged.
static_assert(std::endian::native == std::endian::little,
              "headrace needs a little-endian machine");
inline uint32_t LoadFixed32(const uint8_t* p) {
  uint32_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

inline uint64_t LoadFixed64(const uint8_t* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

class Cursor {
 public:
  explicit Cursor(Span span) : p_(span.data), end_(span.end()) {}

  bool done() const { return p_ == end_; }
  const uint8_t* position() const { return p_; }
  // Moves to `position`, where a field begins, or to the end.
  void MoveTo(const uint8_t* position) { p_ = position; }
  Fault fault() const { return fault_; }

  // A tag has 1 to 5 bytes. Like libprotobuf, drops bits above 31, which only
  // the fifth byte can have. Field number 0 is a fault.
  bool ReadTag(uint32_t* tag) {
    if (p_ == end_) return Fail(Fault::kTruncated);
    *tag = *p_;
    if (*tag < 0x80) {
      if (*tag < 8) return Fail(Fault::kFieldZero);
      ++p_;
      return true;
    }
    return ReadLongTag(tag);
  }

  // A varint has 1 to 10 bytes. Drops bits above 63, which only the tenth byte
  // can have.
  bool ReadVarint(uint64_t* value) {
    if (p_ == end_) return Fail(Fault::kTruncated);
    *value = *p_;
    if (*value < 0x80) {
      ++p_;
      return true;
    }
    return ReadLongVarint(value);
  }

  bool ReadFixed32(uint32_t* value) {
    if (end_ - p_ < 4) return Fail(Fault::kTruncated);
    *value = LoadFixed32(p_);
    p_ += 4;
    return true;
  }

  // The length has 1 to 5 bytes and is below 2^31.
  bool ReadLen(Span* span) {
    uint64_t length;
    if (p_ != end_ && *p_ < 0x80) {
      length = *p_++;
    } else if (!ReadLongLength(&length)) {
      return false;
    }
    if (length > static_cast<size_t>(end_ - p_)) {
      return Fail(Fault::kTruncated);
    }
    *span = {p_, static_cast<size_t>(length)};
    p_ += length;
    return true;
  }

  // Skips the value of a field whose tag the caller has just read. `depth` is
  // the number of messages around this one.
  bool SkipValue(uint32_t tag, int depth);

 private:
  bool ReadLongTag(uint32_t* tag);
  bool ReadLongVarint(uint64_t* value);
  bool ReadLongLength(uint64_t* length);
  bool SkipFixed(size_t size);
  bool SkipGroup(uint32_t tag, int depth);
  bool Fail(Fault fault) {
    fault_ = fault;
    return false;
  }

  const uint8_t* p_;
  const uint8_t* end_;
  Fault fault_ = Fault::kNone;
};

// Calls on_part(number, span) for each LEN field with number 1 or 2, and skips
// the others; the message has no messages around it. Returns false after a
// fault of the cursor, and if on_part returns false.
template <class OnPart>
bool ForEachPart(Cursor* cursor, OnPart&& on_part) {
  while (!cursor->done()) {
    uint32_t tag;
    if (!cursor->ReadTag(&tag)) return false;
    if (tag != Tag(1, kLen) && tag != Tag(2, kLen)) {
      if (!cursor->SkipValue(tag, 0)) return false;
      continue;
    }
    Span part;
    if (!cursor->ReadLen(&part) || !on_part(tag >> 3, part)) return false;
  }
  return true;
}

}  // namespace headrace::wire

#endif  // HEADRACE_WIRE_CURSOR_H_
