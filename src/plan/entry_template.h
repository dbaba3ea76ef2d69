// EntryTemplate: the head of a map entry of Features, as writers write it.
//
//   0A L  0A K key  12 V  kind F  0A P  payload
//
// A map entry of L bytes holds a key and a Feature of V bytes; the Feature
// holds one list of F bytes; the list holds one run (or string) of P bytes, and
// nothing follows anywhere. For one key and kind all is known but P, and while
// every length takes one byte L, V and F differ from P by constants. So one
// vector of the entry, compared with the template, verifies all of it.

#ifndef HEADRACE_SRC_PLAN_ENTRY_TEMPLATE_H_
#define HEADRACE_SRC_PLAN_ENTRY_TEMPLATE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "headrace/types.h"

namespace headrace::plan {

inline constexpr size_t kTemplateBytes = 32;
// Of the head, besides the key.
inline constexpr size_t kHeadBytes = 10;

struct alignas(32) EntryTemplate {
  uint8_t head[kTemplateBytes] = {};     // for P = 0
  uint8_t lengths[kTemplateBytes] = {};  // 0xFF where P is added
  uint8_t care[kTemplateBytes] = {};     // 0xFF for bytes of the head
  // Bytes of the head, the last of which is P.
  uint8_t size = 1;
  // The largest P that leaves L one byte.
  uint8_t max_inner = 0;
  uint8_t size_log2 = 0;  // of one value in memory
  Kind kind = Kind::kNull;
  // Of a number that is alone its payload: it ends with the lowest bit that is
  // in varint_ends and not in the payload, or in fixed_end, and consists of the
  // bits in value_bits.
  uint32_t fixed_end = 0;
  uint64_t varint_ends = 0;
  uint64_t value_bits = 0;
  uint64_t is_number = 0;  // all ones

  // One that no entry matches: none begins with field number 0.
  EntryTemplate() {
    head[0] = 1;
    care[0] = 0xFF;
  }
  // One that matches none either where the key is too long for a vector, or
  // `of` is kNull.
  EntryTemplate(std::string_view key, Kind of);
  // One for entries of `key` whatever their value: the head ends with the
  // length of the Feature, and that is P. The key fits a vector.
  static EntryTemplate ToSkip(std::string_view key);
  static bool CanSkip(std::string_view key);
  bool IsForKey(std::string_view key) const;

 private:
  void Put(size_t i, size_t byte, bool is_length);
  void PutKey(std::string_view key);
};

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_ENTRY_TEMPLATE_H_
