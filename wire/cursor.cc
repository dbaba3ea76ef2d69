#include "wire/cursor.h"

namespace headrace::wire {

const char* FaultText(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "no fault";
    case Fault::kTruncated:
      return "a field runs past the end of its message";
    case Fault::kLongVarint:
      return "a varint of more than 10 bytes";
    case Fault::kLongTag:
      return "a tag of more than 5 bytes";
    case Fault::kLongLength:
      return "a length of 2^31 or more";
    case Fault::kFieldZero:
      return "field number 0";
    case Fault::kWireType:
      return "a wire type that does not exist";
    case Fault::kGroup:
      return "a group that is not closed or was not opened";
    case Fault::kDepth:
      return "groups nested too deep";
    case Fault::kPackedSize:
      return "packed 32-bit values whose size is not a multiple of 4";
    case Fault::kUtf8:
      return "a key that is not UTF-8";
    case Fault::kChanged:
      return "bytes that changed while they were read";
  }
  return "unknown fault";
}

bool Cursor::ReadLongTag(uint32_t* tag) {
  uint64_t value = 0;
  for (int i = 0; i < 5; ++i) {
    if (end_ - p_ <= i) return Fail(Fault::kTruncated);
    const uint64_t byte = p_[i];
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *tag = static_cast<uint32_t>(value);
      if (*tag < 8) return Fail(Fault::kFieldZero);
      p_ += i + 1;
      return true;
    }
  }
  return Fail(Fault::kLongTag);
}

bool Cursor::ReadLongVarint(uint64_t* value) {
  uint64_t result = 0;
  for (int i = 0; i < 10; ++i) {
    if (end_ - p_ <= i) return Fail(Fault::kTruncated);
    const uint64_t byte = p_[i];
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *value = result;
      p_ += i + 1;
      return true;
    }
  }
  return Fail(Fault::kLongVarint);
}

bool Cursor::ReadLongLength(uint64_t* length) {
  uint64_t result = 0;
  for (int i = 0; i < 5; ++i) {
    if (end_ - p_ <= i) return Fail(Fault::kTruncated);
    const uint64_t byte = p_[i];
    if (i == 4 && byte > 7) break;
    result |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *length = result;
      p_ += i + 1;
      return true;
    }
  }
  return Fail(Fault::kLongLength);
}

bool Cursor::SkipFixed(size_t size) {
  if (static_cast<size_t>(end_ - p_) < size) return Fail(Fault::kTruncated);
  p_ += size;
  return true;
}

bool Cursor::SkipValue(uint32_t tag, int depth) {
  uint64_t ignored_value;
  Span ignored_span;
  switch (tag & 7) {
    case kVarint:
      return ReadVarint(&ignored_value);
    case kFixed64:
      return SkipFixed(8);
    case kLen:
      return ReadLen(&ignored_span);
    case kStartGroup:
      return SkipGroup(tag, depth);
    case kEndGroup:
      return Fail(Fault::kGroup);
    case kFixed32:
      return SkipFixed(4);
    default:
      return Fail(Fault::kWireType);
  }
}

// Groups nest, but the input causes no recursion: the depth is bounded, so the
// field numbers of open groups fit a small array.
bool Cursor::SkipGroup(uint32_t tag, int depth) {
  uint32_t open[kMaxDepth];
  int count = 0;
  for (;;) {
    if ((tag & 7) == kStartGroup) {
      if (depth + count >= kMaxDepth) return Fail(Fault::kDepth);
      open[count++] = tag >> 3;
    } else if ((tag & 7) == kEndGroup) {
      if (open[--count] != tag >> 3) return Fail(Fault::kGroup);
      if (count == 0) return true;
    } else if (!SkipValue(tag, depth)) {
      return false;
    }
    if (done()) return Fail(Fault::kGroup);
    if (!ReadTag(&tag)) return false;
  }
}

}  // namespace headrace::wire
