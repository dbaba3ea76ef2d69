#include "wire/utf8.h"

#include "wire/cursor.h"

namespace headrace::wire {
namespace {

bool IsContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Returns the size of the character at `p`, where `left` > 0 bytes remain; 0 if
// it is not valid. The second byte's range excludes overlong forms, surrogates
// and code points above U+10FFFF (Unicode Standard, table 3-7).
size_t CharacterLength(const uint8_t* p, size_t left) {
  const uint8_t first = p[0];
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (left < length) return 0;
  const uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (p[1] < low || p[1] > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (!IsContinuation(p[i])) return 0;
  }
  return length;
}

}  // namespace

bool IsUtf8(Span text) {
  const uint8_t* p = text.data;
  size_t left = text.size;
  while (left > 0) {
    if (left >= 8 && (LoadFixed64(p) & 0x8080808080808080u) == 0) {
      p += 8;
      left -= 8;
      continue;
    }
    const size_t length = CharacterLength(p, left);
    if (length == 0) return false;
    p += length;
    left -= length;
  }
  return true;
}

}  // namespace headrace::wire
