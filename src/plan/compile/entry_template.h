// EntryTemplate is the head of a map entry of Features, as writers write it.
//
//   0A L  0A K key  12 V  kind F  0A P  payload
//
// A map entry of L bytes holds a key and a Feature of V bytes; the Feature
// holds one list of F bytes; the list holds one run (or string) of P bytes, and
// nothing else follows at any level. For one key and kind only P varies: while
// every length takes one byte, L, V and F differ from P by constants. So one
// vector comparison with the template verifies the whole entry.

#ifndef HEADRACE_SRC_PLAN_COMPILE_ENTRY_TEMPLATE_H_
#define HEADRACE_SRC_PLAN_COMPILE_ENTRY_TEMPLATE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "headrace/types.h"

namespace headrace::plan {

inline constexpr size_t kTemplateBytes = 32;
// The size of a head without its key.
inline constexpr size_t kHeadBytes = 10;

// Returns which bytes of a head of `size` bytes are lengths to which P is
// added: bit i is for byte i. L is the second byte; P is the last, with F and V
// before it, two bytes apart. In a head that ends with V, V itself is P.
constexpr uint32_t LengthBits(size_t size, bool ends_with_v) {
  return 2 | (ends_with_v ? 0x10u : 0x15u) << (size - 5);
}

// EntryMask has the bits of a template as bytes. They depend only on the size
// of the head, so templates share them: a template then fits one cache line,
// which makes a decode with a hundred templates a tenth faster.
struct alignas(64) EntryMask {
  uint8_t care[kTemplateBytes];     // 0xFF for bytes of the head
  uint8_t lengths[kTemplateBytes];  // 0xFF where P is added
};
struct EntryMasks {
  // Indexed by the size of the head; heads that end with V come last.
  EntryMask of[2 * (kTemplateBytes + 1)] = {};
  constexpr EntryMasks() {
    for (size_t size = 0; size <= kTemplateBytes; ++size) {
      EntryMask& whole = of[size];
      EntryMask& skip = of[kTemplateBytes + 1 + size];
      // A template that matches nothing has P as its second byte.
      const bool is_none = size < 5;
      const uint32_t to_whole = is_none ? 2 : LengthBits(size, false);
      const uint32_t to_skip = is_none ? 2 : LengthBits(size, true);
      for (size_t i = 0; i < size; ++i) {
        whole.care[i] = skip.care[i] = 0xFF;
        whole.lengths[i] = (to_whole >> i & 1) != 0 ? 0xFF : 0;
        skip.lengths[i] = (to_skip >> i & 1) != 0 ? 0xFF : 0;
      }
    }
  }
};
[[gnu::visibility("hidden")]] inline constexpr EntryMasks kEntryMasks;

struct alignas(64) EntryTemplate {
  uint8_t head[kTemplateBytes] = {};  // for P = 0
  // Bit i is for byte i of the head.
  uint32_t care_bits = 3;    // bytes that are compared
  uint32_t length_bits = 2;  // bytes to which P is added
  // Bytes of the head, of which P is the last.
  uint8_t size = 2;
  uint8_t mask = 2;       // index in kEntryMasks
  uint8_t size_log2 = 0;  // size of one value in memory
  Kind kind = Kind::kNull;

  // Matches nothing: no field has number 0, and the second byte, which is P
  // here, would have to equal P + 1.
  EntryTemplate() { head[1] = 1; }
  // Matches nothing if the key is too long for a vector, or if `of` is kNull.
  EntryTemplate(std::string_view key, Kind of);
  // Returns a template that matches entries of `key` with any value: its head
  // ends with the Feature's length V, which is P. Requires CanSkip(key).
  static EntryTemplate ToSkip(std::string_view key);
  static bool CanSkip(std::string_view key);
  bool IsForKey(std::string_view key) const;

 private:
  void PutKey(std::string_view key);
};

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_ENTRY_TEMPLATE_H_
