// EntryReader: map entries of Features in the form that writers use, straight
// into the columns.
//
// Of each entry one of three things is done. Short entries are compared with
// the template of their slot (plan/entry_template.h), which is guessed from the
// order of earlier records, or looked up; other entries of the usual shape are
// taken apart field by field, and those whose key the plan does not have are
// stepped over. Every other entry (fields in another order,
// repeated, unpacked or unknown; keys that the record had before; kinds that
// the plan does not expect; anything malformed) is left to the walk of
// walk-inl.h, which is the specification: both must give the same rows.
//
// Bytes of a mapped file may change between two looks at them. What decides
// where something is written or how much is looked at once, and then used as it
// was; and where an entry ends is compared with the end of the record before or
// after it is taken, never believed because of what a look before said.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_ENTRY_READER_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_ENTRY_READER_INL_H_
#undef HEADRACE_SRC_DECODE_ENTRY_READER_INL_H_
#else
#define HEADRACE_SRC_DECODE_ENTRY_READER_INL_H_
#endif

#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/column/column_set.h"
#include "src/decode/entry_match-inl.h"
#include "src/decode/entry_order.h"
#include "src/decode/value_reader-inl.h"
#include "src/plan/entry_template.h"
#include "src/plan/program.h"
#include "wire/cursor.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace kernel = wire::HWY_NAMESPACE;

class EntryReader {
 public:
  // Entries whose key the plan does not have are stepped over only where
  // nobody wants to know more of them.
  EntryReader(const plan::Program& program, bool skip_unselected,
              column::ColumnSet* columns, EntryOrder* order)
      : program_(program),
        skip_unselected_(skip_unselected && !program.collect_late()),
        columns_(columns),
        values_(columns),
        order_(order) {}

  void StartRecord() { order_->StartRecord(); }

  // Takes entries from `p` on. Returns where the first begins that it leaves
  // to the walk, or `end`; behind `end` where the bytes have changed meanwhile,
  // and then the row is nothing. There are 64 readable bytes after `end`.
  const uint8_t* Take(const uint8_t* p, const uint8_t* const end) {
    // Values are stored as they are loaded.
    if constexpr (std::endian::native == std::endian::big) return p;
    p = EntryOrder::MayGuess(order_->position) ? TakeInOrder(p, end)
        : program_.dense_slots().empty()
            ? TakeInAnyOrder</*kHasDense=*/false>(p, end)
            : TakeInAnyOrder</*kHasDense=*/true>(p, end);
    order_->trace.general += p != end;
    return p;
  }

  // Takes steps of a feature list: each 0A S kind F list, with values of the
  // column's kind. Returns where the first begins that it leaves to the walk,
  // or `end`.
  const uint8_t* TakeSteps(column::Builder* builder, const uint8_t* p,
                           const uint8_t* const end) {
    if constexpr (std::endian::native == std::endian::big) return p;
    assert(builder->kind != Kind::kNull);
    while (p != end) {
      const uint8_t* const next = values_.TakeStep(builder, p, end);
      if (next == nullptr) break;
      p = next;
    }
    return p;
  }

 private:
  using Template = plan::EntryTemplate;
  using Builder = column::Builder;
  using CellState = column::CellState;

  // Where an entry ends, or null when it is for the walk; and its slot.
  struct Taken {
    const uint8_t* next = nullptr;
    uint32_t slot = plan::kNoSlot;
  };

  // --- Where records have their keys in one order.

  // Of one call of TakeInOrder. Stores through byte pointers may change any
  // object that has an address; what is copied here stays in registers, since
  // only functions that are inlined get to see it.
  struct State {
    EntryOrder::Position at;
    Builder* const builders;
    const Template* const templates;
    EntryOrder::Follower* const followers;
    const uint32_t row;
    int hits;  // of `at`, as far as they are in `taken`
    size_t filled = 0;
    uint64_t taken = 0;    // by their templates
    uint64_t skipped = 0;  // of these, with keys that are not in the plan
  };

  HWY_INLINE const uint8_t* TakeInOrder(const uint8_t* p, const uint8_t* end) {
    State state{.at = order_->position,
                .builders = columns_->builders(),
                .templates = order_->templates(),
                .followers = order_->followers(),
                .row = columns_->num_rows(),
                .hits = order_->position.hits};
    while (p < end) {
      const uint8_t* const next = TakeNext(p, end, &state);
      if (HWY_UNLIKELY(next == nullptr)) break;
      p = next;
    }
    CountHits(&state);
    order_->position = state.at;
    columns_->AddFilled(state.filled);
    order_->trace.by_template += state.taken - state.skipped;
    order_->trace.skipped += state.skipped;
    return p;
  }

  static HWY_INLINE void CountHits(State* state) {
    state->taken += static_cast<unsigned>(state->at.hits - state->hits);
  }

  // Each returns where the entry ends, or null when it is for the walk.
  HWY_INLINE const uint8_t* TakeNext(const uint8_t* p, const uint8_t* end,
                                     State* state) {
    const EntryOrder::Follower guess = *state->at.place;
    if (HWY_LIKELY(guess.skipped == state->at.skipped)) {
      const Template& entry = state->templates[guess.index];
      if (HWY_LIKELY(Matches(entry, p))) {
        return TakeGuessed(guess.index, entry, p, end, state);
      }
      if (!order_->MatchesNone(guess.index)) {
        if (p[1] >= 0x80) {
          const uint8_t* const next =
              TakeGuessedLong(guess.index, entry, p, end);
          if (HWY_LIKELY(next != nullptr)) {
            GuessedRight(guess.index, state);
            ++state->hits;  // not by its template
            return next;
          }
        }
        // The record may lack the entry that was guessed.
        const EntryOrder::Follower next = state->followers[guess.index + 1];
        const Template& behind = state->templates[next.index];
        if (next.skipped == 0 && Matches(behind, p)) {
          return TakeGuessed(next.index, behind, p, end, state);
        }
        CountHits(state);
        EntryOrder::Miss(&state->at);
        state->hits = 0;
      }
    }
    return TakeUnguessed(p, end, state);
  }

  HWY_INLINE const uint8_t* TakeUnguessed(const uint8_t* p, const uint8_t* end,
                                          State* state) {
    const uint32_t slot = HasShortHead(p) ? SlotOf(p, program_.probe())
                                          : uint32_t{plan::KeyProbe::kEmpty};
    if (slot != plan::KeyProbe::kEmpty) {
      const Template& entry = state->templates[slot];
      if (HWY_LIKELY(Matches(entry, p))) {
        order_->Found(slot, &state->at);
        ++state->taken;
        return TakeMatching(slot, entry, p, end, state);
      }
    }
    const Taken taken = TakeUnlikeApart(slot, p, end);
    uint32_t index = taken.slot;
    if (taken.next != nullptr && index == plan::kNoSlot && HasShortHead(p)) {
      index = order_->Learn(p + 4, p[3]);
    }
    if (index != plan::kNoSlot) {
      order_->Found(index, &state->at);
    } else if (taken.next != nullptr) {
      ++state->at.skipped;
    }
    return taken.next;
  }

  static HWY_INLINE void GuessedRight(uint32_t index, State* state) {
    ++state->at.hits;
    state->at.place = state->followers + index + 1;
    state->at.skipped = 0;
  }

  HWY_INLINE const uint8_t* TakeGuessed(uint32_t index, const Template& entry,
                                        const uint8_t* p, const uint8_t* end,
                                        State* state) {
    GuessedRight(index, state);
    return TakeMatching(index, entry, p, end, state);
  }

  // The index of a template is a slot, but for keys that are skipped. Where the
  // order of keys is known, so is the kind of the next value.
  HWY_INLINE const uint8_t* TakeMatching(uint32_t slot, const Template& entry,
                                         const uint8_t* p, const uint8_t* end,
                                         State* state) {
    const uint8_t* const payload = p + entry.size;
    const size_t size = payload[-1];
    // The same as payload + size, but known before the slot is. Where it is not
    // the same after all, the bytes have changed, and it may lie behind `end`.
    const uint8_t* const next = p + 2 + p[1];
    if (HWY_UNLIKELY(p[1] >= 0x80 || payload + size > end)) return nullptr;
    if (entry.kind == Kind::kNull) {
      ++state->skipped;
      return next;
    }
    if (entry.kind == Kind::kFloat) {
      if (size != 4) return TakeList(slot, entry, payload, size);
      Builder* const builder = Open(slot, state);
      if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
      std::memcpy(builder->values + builder->count * 4, payload, 4);
      Close(builder, state);
    } else if (entry.kind == Kind::kBytes) {
      Builder* const builder = Open(slot, state);
      if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
      reinterpret_cast<std::string_view*>(builder->values)[builder->count] = {
          reinterpret_cast<const char*>(payload), size};
      Close(builder, state);
    } else {
      const uint64_t word = wire::LoadFixed64(payload);
      if (!IsOneVarint(word, size)) {
        return TakeList(slot, entry, payload, size);
      }
      Builder* const builder = Open(slot, state);
      if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
      reinterpret_cast<uint64_t*>(builder->values)[builder->count] =
          kernel::FoldWord(word, size);
      Close(builder, state);
    }
    return next;
  }

  HWY_INLINE Builder* Open(uint32_t slot, State* state) {
    Builder* const builder = state->builders + slot;
    if (HWY_LIKELY(IsOpen(*builder, state->row))) return builder;
    return columns_->Prepare(slot, 1) ? builder : nullptr;
  }

  HWY_INLINE void Close(Builder* builder, State* state) {
    state->filled += builder->Close<column::Closing::kByForm>(
        builder->count + 1, CellState::kTyped, state->row);
  }

  // A cell that the row does not have yet, with room for one value.
  static HWY_INLINE bool IsOpen(const Builder& builder, uint32_t row) {
    return HWY_LIKELY(builder.next_row == row &&
                      builder.count != builder.capacity);
  }

  HWY_NOINLINE const uint8_t* TakeList(uint32_t slot, const Template& entry,
                                       const uint8_t* payload, size_t size) {
    if (size == 0) return nullptr;
    return entry.kind == Kind::kFloat ? values_.TakeFloats(slot, payload, size)
                                      : values_.TakeInts(slot, payload, size);
  }

  // An entry with two bytes for L, which no template has: of that which is
  // guessed it has the key.
  HWY_NOINLINE const uint8_t* TakeGuessedLong(uint32_t index,
                                              const Template& entry,
                                              const uint8_t* p,
                                              const uint8_t* end) {
    const size_t length = (p[1] & 0x7F) | size_t{p[2]} << 7;
    if (p[0] != 0x0A || p[2] >= 0x80 ||
        length + 3 > static_cast<size_t>(end - p) || !HasKeyOf(entry, p + 3)) {
      return nullptr;
    }
    const uint8_t* const entry_end = p + 3 + length;
    const uint8_t* const value = p + 5 + entry.head[3];
    if (entry.kind != Kind::kNull) {
      return TakeValue(index, value, entry_end, end);
    }
    if (value > entry_end || ReadWhole(value, entry_end, 0x12) == nullptr) {
      return nullptr;
    }
    ++order_->trace.skipped;
    return entry_end;
  }

  // --- Where they have them in any order. So many entries are looked up before
  // the first of them is taken: what a processor has begun is limited by its
  // loads, and one loop for both has twice as many, and twice as long to wait.

  static constexpr size_t kBlock = 32;

  template <bool kHasDense>
  HWY_INLINE const uint8_t* TakeInAnyOrder(const uint8_t* p,
                                           const uint8_t* end) {
    uint16_t slots[kBlock + 1];
    const uint8_t* next;
    for (; p < end; p = next) {
      const uint8_t* block_end = p;
      const size_t size = LookUp(end, slots, &block_end);
      if (size == 0) {
        next = TakeUnlike(plan::KeyProbe::kEmpty, p, end).next;
        if (HWY_UNLIKELY(next == nullptr)) return p;
        continue;
      }
      for (size_t i = 0; i != size; p = next, ++i) {
        if (slots[i] != plan::KeyProbe::kEmpty) {
          i += TakeBlock<kHasDense>(slots + i, block_end, &p);
          next = p;
          if (i == size || p >= block_end) break;
        }
        next = TakeUnlike(slots[i], p, end).next;
        if (HWY_UNLIKELY(next == nullptr)) return p;
      }
    }
    return p;
  }

  // The slots of entries from `*block_end` on, as far as their lengths have one
  // byte, and kEmpty behind them; where the last one ends.
  HWY_NOINLINE size_t LookUp(const uint8_t* end, uint16_t* slots,
                             const uint8_t** block_end) const {
    const plan::KeyProbe probe = program_.probe();
    const uint8_t* p = *block_end;
    size_t size = 0;
    while (p != end && size != kBlock) {
      const size_t length = p[1];
      const uint8_t* const next = p + 2 + length;
      if (HWY_UNLIKELY(length >= 0x80 || next > end)) break;
      slots[size++] = static_cast<uint16_t>(SlotOf(p, probe));
      p = next;
    }
    slots[size] = plan::KeyProbe::kEmpty;
    *block_end = p;
    return size;
  }

  // What the slot of the entry at `p` must be where it is one that a template
  // may match; otherwise anything.
  static HWY_INLINE uint32_t SlotOf(const uint8_t* p,
                                    const plan::KeyProbe& probe) {
    const size_t key_size = p[3];
    return HWY_LIKELY(key_size <= plan::kTemplateBytes)
               ? probe.FindLikely(p + 4, key_size)
               : plan::KeyProbe::kEmpty;
  }

  // Takes entries that have these slots, from `begin` up to `block_end`, as far
  // as they match their templates and hold one value or some numbers. Returns
  // how many. Where they are others than those looked up, one may end behind.
  template <bool kHasDense>
  HWY_NOINLINE size_t TakeBlock(const uint16_t* slots, const uint8_t* block_end,
                                const uint8_t** begin) {
    Builder* const builders = columns_->builders();
    const Template* const templates = order_->templates();
    const uint32_t row = columns_->num_rows();
    const uint8_t* p = *begin;
    size_t filled = 0, i = 0;
    for (; p < block_end; ++i) {
      const uint32_t slot = slots[i];
      if (HWY_UNLIKELY(slot == plan::KeyProbe::kEmpty)) break;
      const Template& entry = templates[slot];
      const uint8_t* const payload = p + entry.size;
      const size_t size = payload[-1];
      if (HWY_UNLIKELY(!Matches(entry, p, size))) break;
      // The kind of the value is anybody's guess: there is no branch on it.
      const uint64_t word = wire::LoadFixed64(payload);
      if (HWY_UNLIKELY(!IsOneNumber(entry, word, size))) {
        const uint8_t* const next = payload + size;
        if (next > block_end ||
            TakeList(slot, entry, payload, size) == nullptr) {
          break;
        }
        p = next;
        continue;
      }
      Builder* const builder = builders + slot;
      if (HWY_UNLIKELY(!IsOpen(*builder, row)) && !columns_->Prepare(slot, 1)) {
        break;
      }
      // As many bytes as a string_view has, of which a number needs fewer;
      // there is slack behind every array.
      const std::string_view text(reinterpret_cast<const char*>(payload), size);
      uint64_t value[2] = {};
      std::memcpy(value, &text, sizeof(text));
      const uint64_t bits = entry.value_bits;
      value[0] =
          (value[0] & ((bits & 1) - 1)) | kernel::ExtractBits(word, size, bits);
      const size_t count = builder->count;
      std::memcpy(builder->values + (count << entry.size_log2), value,
                  sizeof(value));
      const size_t is_filled = builder->Close<column::Closing::kBlindly>(
          count + 1, CellState::kTyped, row);
      if (kHasDense) filled += is_filled;
      p = payload + size;
    }
    columns_->AddFilled(filled);
    order_->trace.by_template += i;
    *begin = p;
    return i;
  }

  // --- What follows is for entries that no template has taken.

  // For the slot that SlotOf says.
  HWY_INLINE Taken TakeUnlike(uint32_t slot, const uint8_t* p,
                              const uint8_t* end) {
    const size_t length = p[1], key_size = p[3];
    if (HWY_UNLIKELY(!HasShortHead(p) ||
                     length + 2 > static_cast<size_t>(end - p) ||
                     key_size + 2 > length)) {
      return TakeLong(p, end);
    }
    const uint8_t* const key = p + 4;
    const bool is_known =
        slot != plan::KeyProbe::kEmpty || key_size > plan::kTemplateBytes;
    slot = is_known ? program_.Find(key, key_size) : plan::kNoSlot;
    if (slot != plan::kNoSlot) {
      return {TakeValue(slot, key + key_size, p + 2 + length, end), slot};
    }
    return {SkipShort(p, length, key_size)};
  }

  // As the above, where it is rare: the loop around it keeps its registers.
  HWY_NOINLINE Taken TakeUnlikeApart(uint32_t slot, const uint8_t* p,
                                     const uint8_t* end) {
    return TakeUnlike(slot, p, end);
  }

  // 0A L 0A K key 12 V value, nothing else, with one byte for each length; V
  // has one where L has.
  HWY_INLINE const uint8_t* SkipShort(const uint8_t* p, size_t length,
                                      size_t key_size) {
    const size_t value = wire::LoadFixed32(p + 4 + key_size) & 0xFFFF;
    if (HWY_UNLIKELY(!skip_unselected_ ||
                     value != (0x12 | (length - key_size - 4) << 8) ||
                     !IsKeyText(p + 4, key_size))) {
      return nullptr;
    }
    ++order_->trace.skipped;
    return p + 2 + length;
  }

  // As the above with lengths of up to three bytes.
  HWY_NOINLINE Taken TakeLong(const uint8_t* p, const uint8_t* end) {
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
    const uint32_t slot = program_.Find(p, key_size);
    if (slot != plan::kNoSlot) {
      return {TakeValue(slot, value, entry_end, end), slot};
    }
    if (!skip_unselected_ || ReadWhole(value, entry_end, 0x12) == nullptr ||
        !IsKeyText(p, key_size)) {
      return {};
    }
    ++order_->trace.skipped;
    return {entry_end};
  }

  // The value of an entry of the plan: 12 V kind F list.
  HWY_NOINLINE const uint8_t* TakeValue(uint32_t slot, const uint8_t* p,
                                        const uint8_t* entry_end,
                                        const uint8_t* end) {
    const Kind kind = program_.kind(slot);
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
    ++order_->trace.by_shape;
    if (kind == Kind::kBytes) return values_.TakeStrings(slot, p, entry_end);
    p = ReadWhole(p, entry_end, 0x0A);
    if (p == nullptr || p == entry_end) return nullptr;
    const auto size = static_cast<size_t>(entry_end - p);
    return kind == Kind::kFloat ? values_.TakeFloats(slot, p, size)
                                : values_.TakeInts(slot, p, size);
  }

  const uint8_t* TakeEmpty(uint32_t slot, CellState state,
                           const uint8_t* entry_end) {
    entry_end = values_.TakeEmpty(slot, state, entry_end);
    order_->trace.by_shape += entry_end != nullptr;
    return entry_end;
  }

  const plan::Program& program_;
  const bool skip_unselected_;
  column::ColumnSet* const columns_;
  ValueReader values_;
  EntryOrder* const order_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_ENTRY_READER_INL_H_
