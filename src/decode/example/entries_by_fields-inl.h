// EntriesByFields takes entries of the usual form that no template matches, one
// field at a time: entries of 128 bytes and more, lists of several strings,
// absent values, and keys that are too long for a template or not in the plan.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_FIELDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_FIELDS_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_FIELDS_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_FIELDS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/cells-inl.h"
#include "src/decode/example/entry_match-inl.h"
#include "src/plan/compile/entry_template.h"
#include "src/plan/compile/key_table.h"
#include "src/plan/compile/program.h"
#include "wire/cursor.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {

class EntriesByFields {
 public:
  // `next` is the end of the entry, or null if it is left to the walk.
  struct Taken {
    const uint8_t* next = nullptr;
    uint32_t slot = plan::kNoSlot;
  };

  explicit EntriesByFields(Cells& cells) : cells_(cells) {}

  // Takes the entry at `p`. `slot` is the only slot that may have the key, or
  // kEmpty if none does; a key that is too long for templates is looked up in
  // any case.
  HWY_INLINE Taken Take(uint32_t slot, const uint8_t* p, const uint8_t* end) {
    const size_t length = p[1], key_size = p[3];
    if (HWY_UNLIKELY(!HasShortHead(p) ||
                     length + 2 > static_cast<size_t>(end - p) ||
                     key_size + 2 > length)) {
      return TakeLong(p, end);
    }
    const uint8_t* const key = p + 4;
    const bool is_known =
        slot != plan::KeyProbe::kEmpty || key_size > plan::kTemplateBytes;
    slot = is_known ? cells_.program.Find(key, key_size) : plan::kNoSlot;
    if (slot != plan::kNoSlot) {
      return {TakeValue(slot, key + key_size, p + 2 + length, end), slot};
    }
    return {SkipShort(p, length, key_size)};
  }

  // True if the entry at `p` is skipped. The caller must know that no slot has
  // its key, that its L has one byte, and that the entry does not reach beyond
  // the record.
  HWY_INLINE bool SkipsShort(const uint8_t* p, size_t length) {
    const size_t key_size = p[3];
    return HasShortHead(p) && key_size <= plan::kTemplateBytes &&
           key_size + 2 <= length && SkipShort(p, length, key_size) != nullptr;
  }

  // Does what Take does, but is not inlined, so that loops that seldom need it
  // keep their registers.
  HWY_NOINLINE Taken TakeApart(uint32_t slot, const uint8_t* p,
                               const uint8_t* end) {
    return Take(slot, p, end);
  }

  // Takes the value of an entry of the plan: 12 V kind F list.
  HWY_NOINLINE const uint8_t* TakeValue(uint32_t slot, const uint8_t* p,
                                        const uint8_t* entry_end,
                                        const uint8_t* end) {
    const Kind kind = cells_.program.kind(slot);
    if (entry_end > end || p > entry_end || kind == Kind::kNull) {
      return nullptr;
    }
    p = ReadWhole(p, entry_end, 0x12);
    if (p == nullptr) return nullptr;
    if (p == entry_end) return TakeEmpty(slot, CellState::kUnset, p);
    p = ReadWhole(p, entry_end,
                  static_cast<uint8_t>(static_cast<int>(kind) << 3 | 2));
    if (p == nullptr) return nullptr;
    if (p == entry_end) return TakeEmpty(slot, CellState::kTyped, p);
    ++cells_.order->trace.by_shape;
    if (kind == Kind::kBytes)
      return cells_.lists.TakeStrings(slot, p, entry_end);
    p = ReadWhole(p, entry_end, 0x0A);
    if (p == nullptr || p == entry_end) return nullptr;
    const auto size = static_cast<size_t>(entry_end - p);
    return kind == Kind::kFloat ? cells_.lists.TakeFloats(slot, p, size)
                                : cells_.lists.TakeInts(slot, p, size);
  }

 private:
  using CellState = column::CellState;

  // Skips an entry 0A L 0A K key 12 V value without other fields, where each
  // length has one byte (V always does if L does). Returns its end, or null.
  HWY_INLINE const uint8_t* SkipShort(const uint8_t* p, size_t length,
                                      size_t key_size) {
    const size_t value = wire::LoadFixed32(p + 4 + key_size) & 0xFFFF;
    if (HWY_UNLIKELY(!cells_.skip_unselected ||
                     value != (0x12 | (length - key_size - 4) << 8) ||
                     !IsKeyText(p + 4, key_size))) {
      return nullptr;
    }
    return cells_.StepOver(p, length + 2, &cells_.order->trace.skipped);
  }

  // Takes an entry whose lengths have up to three bytes.
  HWY_NOINLINE Taken TakeLong(const uint8_t* p, const uint8_t* end) {
    const uint8_t* const entry = p;
    size_t length, key_size;
    if (*p != 0x0A) return {};
    p = ReadShortLength(p + 1, end, &length);
    if (p == nullptr || length > static_cast<size_t>(end - p)) return {};
    const uint8_t* const entry_end = p + length;
    if (p == entry_end || *p != 0x0A) return {};
    p = ReadShortLength(p + 1, entry_end, &key_size);
    if (p == nullptr || key_size > static_cast<size_t>(entry_end - p)) {
      return {};
    }
    const uint8_t* const value = p + key_size;
    const uint32_t slot = cells_.program.Find(p, key_size);
    if (slot != plan::kNoSlot) {
      return {TakeValue(slot, value, entry_end, end), slot};
    }
    if (!cells_.skip_unselected ||
        ReadWhole(value, entry_end, 0x12) == nullptr ||
        !IsKeyText(p, key_size)) {
      return {};
    }
    return {cells_.StepOver(entry, static_cast<size_t>(entry_end - entry),
                            &cells_.order->trace.skipped)};
  }

  const uint8_t* TakeEmpty(uint32_t slot, CellState state,
                           const uint8_t* entry_end) {
    entry_end = cells_.lists.TakeEmpty(slot, state, entry_end);
    cells_.order->trace.by_shape += entry_end != nullptr;
    return entry_end;
  }

  Cells& cells_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_FIELDS_INL_H_
