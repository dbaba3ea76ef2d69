// EntryReader: map entries of Features in the form that writers use, straight
// into the columns.
//
// Of each entry one of three things is done. Short entries are compared with
// the template of their slot (plan/entry_template.h), other entries of the
// usual shape are taken apart field by field, and those whose key the plan does
// not have are stepped over. Every other entry (fields in another order,
// repeated, unpacked or unknown; keys that the record had before; kinds that
// the plan does not expect; anything malformed) is left to the walk of
// walk-inl.h, which is the specification: both must give the same rows.

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
#include "src/decode/entry_order.h"
#include "src/plan/entry_template.h"
#include "src/plan/program.h"
#include "wire/packed_varint-inl.h"
#include "wire/utf8.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace kernel = wire::HWY_NAMESPACE;

// Whether the entry at `p` has the template's head, whatever its P. Reads
// kTemplateBytes.
HWY_INLINE bool Matches(const plan::EntryTemplate& entry, const uint8_t* p) {
  const hn::CappedTag<uint8_t, plan::kTemplateBytes> d;
  const auto inner = hn::Set(d, p[entry.size - 1]);
  auto differences = hn::Zero(d);
  for (size_t i = 0; i < plan::kTemplateBytes; i += hn::Lanes(d)) {
    const auto expected =
        hn::Add(hn::Load(d, entry.head + i),
                hn::And(inner, hn::Load(d, entry.lengths + i)));
    const auto differing = hn::Xor(hn::LoadU(d, p + i), expected);
    differences =
        hn::Or(differences, hn::And(differing, hn::Load(d, entry.care + i)));
  }
  return hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)));
}

// ASCII needs no further look; anything else might still be UTF-8.
HWY_INLINE bool IsKeyText(const uint8_t* key, size_t size) {
  constexpr size_t kVector = 32;
  if (size > kVector) return wire::IsUtf8({key, size});
  const hn::CappedTag<uint8_t, kVector> d;
  const hn::RebindToSigned<decltype(d)> ds;
  bool is_ascii = true;
  for (size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto bytes =
        hn::IfThenElseZero(hn::FirstN(d, size - i), hn::LoadU(d, key + i));
    is_ascii &= hn::AllFalse(ds, hn::Lt(hn::BitCast(ds, bytes), hn::Zero(ds)));
  }
  return is_ascii || wire::IsUtf8({key, size});
}

// memcpy has a branch for each class of sizes. Where some bytes more may be
// read and written, most lists need but one, on the number of vectors.
HWY_INLINE void CopyWithSlack(uint8_t* HWY_RESTRICT to,
                              const uint8_t* HWY_RESTRICT from, size_t size) {
  constexpr size_t kChunk = 64;  // no more than either slack
  const hn::CappedTag<uint8_t, kChunk> d;
  if (size > 8 * kChunk) {
    std::memcpy(to, from, size);
    return;
  }
  for (size_t i = 0; i < size; i += kChunk) {
    for (size_t j = 0; j < kChunk; j += hn::Lanes(d)) {
      hn::StoreU(hn::LoadU(d, from + i + j), d, to + i + j);
    }
  }
}

// A length of one to three bytes; null where it has more, or is cut. Entries of
// 2 MiB are not worth a faster way.
HWY_INLINE const uint8_t* ReadShortLength(const uint8_t* p, const uint8_t* end,
                                          size_t* length) {
  if (end - p < 3) {
    if (p == end || *p >= 0x80) return nullptr;
    *length = *p;
    return p + 1;
  }
  size_t value = p[0];
  if (HWY_LIKELY(value < 0x80)) {
    *length = value;
    return p + 1;
  }
  value = (value & 0x7F) | size_t{p[1]} << 7;
  if (p[1] < 0x80) {
    *length = value;
    return p + 2;
  }
  if (p[2] >= 0x80) return nullptr;
  *length = (value & 0x3FFF) | size_t{p[2]} << 14;
  return p + 3;
}

class EntryReader {
 public:
  // Entries whose key the plan does not have are stepped over only where
  // nobody wants to know more of them.
  EntryReader(const plan::Program& program, bool skip_unselected,
              column::ColumnSet* columns, EntryOrder* order)
      : program_(program),
        skip_unselected_(skip_unselected && !program.collect_late()),
        columns_(columns),
        order_(order) {}

  void StartRecord() { order_->StartRecord(); }

  // Takes entries from `p` on. Returns where the first begins that it leaves
  // to the walk, or `end`. There are 64 readable bytes after `end`.
  const uint8_t* Take(const uint8_t* p, const uint8_t* const end) {
    // Values are stored as they are loaded.
    if constexpr (std::endian::native == std::endian::big) return p;
    State state{.at = order_->position,
                .builders = columns_->builders(),
                .templates = order_->templates(),
                .followers = order_->followers(),
                .probe = program_.probe(),
                .row = columns_->num_rows(),
                .hits = order_->position.hits,
                .has_dense = !program_.dense_slots().empty()};
    if (HWY_LIKELY(EntryOrder::MayGuess(state.at))) {
      while (p != end) {
        const uint8_t* const next = TakeInOrder(p, end, &state);
        if (HWY_UNLIKELY(next == nullptr)) break;
        p = next;
      }
    } else {
      uint32_t slot = p == end ? plan::kNoSlot : SlotOf(p, state);
      while (p != end) {
        // The next entry is looked up before this one is taken: a processor
        // does not see so far ahead while it waits for what this one needs.
        const uint8_t* const ahead = p + 2 + p[1];
        const uint32_t slot_ahead =
            HWY_LIKELY(ahead <= end) ? SlotOf(ahead, state) : plan::kNoSlot;
        const uint8_t* const next =
            TakeFound</*kInOrder=*/false>(slot, p, end, &state);
        if (HWY_UNLIKELY(next == nullptr)) break;
        p = next;
        slot = HWY_LIKELY(next == ahead) ? slot_ahead : SlotOf(next, state);
      }
    }
    CountHits(&state);
    order_->position = state.at;
    columns_->AddFilled(state.filled);
    order_->trace.by_template += state.taken - state.skipped;
    order_->trace.skipped += state.skipped;
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
      const uint8_t* const next = TakeStep(builder, p, end);
      if (next == nullptr) break;
      p = next;
    }
    return p;
  }

 private:
  using Template = plan::EntryTemplate;
  using Builder = column::Builder;
  using CellState = column::CellState;
  using RowForm = column::RowForm;

  // Of one call of Take. Stores through byte pointers may change any object
  // that has an address; what is copied here stays in registers, since only
  // functions that are inlined get to see it.
  struct State {
    EntryOrder::Position at;
    Builder* const builders;
    const Template* const templates;
    EntryOrder::Follower* const followers;
    const plan::KeyProbe probe;
    const uint32_t row;
    int hits;  // of `at`, as far as they are in `taken`
    const bool has_dense;
    size_t filled = 0;
    uint64_t taken = 0;    // by their templates
    uint64_t skipped = 0;  // of these, with keys that are not in the plan
  };
  // Where an entry ends, or null when it is for the walk; and its slot.
  struct Taken {
    const uint8_t* next = nullptr;
    uint32_t slot = plan::kNoSlot;
  };

  // Each returns where the entry ends, or null when it is for the walk.
  HWY_INLINE const uint8_t* TakeInOrder(const uint8_t* p, const uint8_t* end,
                                        State* state) {
    const EntryOrder::Follower guess = *state->at.place;
    if (HWY_LIKELY(guess.skipped == state->at.skipped)) {
      const Template& entry = state->templates[guess.index];
      if (HWY_LIKELY(Matches(entry, p))) {
        return TakeGuessed(guess.index, entry, p, end, state);
      }
      if (!order_->MatchesNone(guess.index)) {
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
    const uint32_t slot =
        HasShortHead(p) ? SlotOf(p, *state) : uint32_t{plan::kNoSlot};
    return TakeFound</*kInOrder=*/true>(slot, p, end, state);
  }

  // 0A L 0A K, with one byte for each length.
  static HWY_INLINE bool HasShortHead(const uint8_t* p) {
    return (wire::LoadFixed32(p) & 0x80FF80FF) == 0x000A000A;
  }

  static HWY_INLINE void CountHits(State* state) {
    state->taken += static_cast<unsigned>(state->at.hits - state->hits);
  }

  // What the slot of the entry at `p` must be where it is one that a template
  // may match; otherwise anything. Reads kTemplateBytes and what a look-up
  // does.
  static HWY_INLINE uint32_t SlotOf(const uint8_t* p, const State& state) {
    const size_t key_size = p[3];
    return HWY_LIKELY(key_size <= plan::kTemplateBytes)
               ? state.probe.FindLikely(p + 4, key_size)
               : plan::kNoSlot;
  }

  // For the slot that SlotOf says.
  template <bool kInOrder>
  HWY_INLINE const uint8_t* TakeFound(uint32_t slot, const uint8_t* p,
                                      const uint8_t* end, State* state) {
    if (HWY_LIKELY(slot != plan::kNoSlot)) {
      const Template& entry = state->templates[slot];
      if (HWY_LIKELY(Matches(entry, p))) {
        if constexpr (kInOrder) order_->Found(slot, &state->at);
        return TakeMatching(slot, entry, p, end, state);
      }
    }
    const size_t length = p[1], key_size = p[3];
    if (HWY_UNLIKELY(!HasShortHead(p) ||
                     length + 2 > static_cast<size_t>(end - p) ||
                     key_size + 2 > length)) {
      return Place(TakeLong(p, end), state);
    }
    if (key_size > plan::kTemplateBytes) {
      slot = state->probe.FindLikely(p + 4, key_size);
    }
    if (slot == plan::kNoSlot) return SkipShort(p, length, key_size, state);
    // Another key may have the same hash.
    if (program_.Find(p + 4, key_size) != slot) return nullptr;
    return Place({TakeValue(slot, p + 4 + key_size, p + 2 + p[1], end), slot},
                 state);
  }

  // An entry has been taken, or not, without guesses.
  HWY_INLINE const uint8_t* Place(const Taken& taken, State* state) {
    if (taken.slot != plan::kNoSlot) {
      order_->Found(taken.slot, &state->at);
    } else if (taken.next != nullptr) {
      ++state->at.skipped;
    }
    return taken.next;
  }

  // An entry of a key that the plan does not have is left behind.
  HWY_INLINE void Skip(const uint8_t* key, size_t size, State* state) {
    const uint32_t index = EntryOrder::MayGuess(state->at)
                               ? order_->Learn(key, size)
                               : plan::kNoSlot;
    if (index != plan::kNoSlot) {
      order_->Found(index, &state->at);
    } else {
      ++state->at.skipped;
    }
  }

  // What stands behind the head of a template that matches.
  struct Payload {
    const uint8_t* begin;
    size_t size;
    const uint8_t* next;  // null: not for this reader
  };
  static HWY_INLINE Payload PayloadOf(const Template& entry, const uint8_t* p,
                                      const uint8_t* end) {
    const uint8_t* const payload = p + entry.size;
    const size_t size = payload[-1];
    // The same as payload + size, but known before the slot is.
    const uint8_t* const next = p + 2 + p[1];
    const bool fits = HWY_LIKELY(size <= entry.max_inner && next <= end);
    return {payload, size, fits ? next : nullptr};
  }

  // Whether the `size` bytes of a run are one varint of up to eight bytes.
  static HWY_INLINE bool IsOneVarint(uint64_t word, size_t size) {
    const uint64_t ends = ~word & 0x8080808080808080u;
    return static_cast<size_t>(std::countr_zero(ends)) + 1 == size * 8;
  }

  // Where the order of keys is known, so is the kind of the next value. The
  // index of a template is a slot, but for keys that are skipped.
  HWY_INLINE const uint8_t* TakeGuessed(uint32_t slot, const Template& entry,
                                        const uint8_t* p, const uint8_t* end,
                                        State* state) {
    ++state->at.hits;
    state->at.place = state->followers + slot + 1;
    state->at.skipped = 0;
    const Payload payload = PayloadOf(entry, p, end);
    if (HWY_UNLIKELY(payload.next == nullptr)) return nullptr;
    if (entry.kind == Kind::kNull) {
      ++state->skipped;
      return payload.next;
    }
    const uint64_t word = wire::LoadFixed64(payload.begin);
    if (entry.kind == Kind::kFloat) {
      if (payload.size != 4) return TakeList(slot, entry, payload);
      Builder* const builder = Open(slot, state);
      if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
      std::memcpy(builder->values + builder->count * 4, payload.begin, 4);
      Close</*kInOrder=*/true>(builder, state);
    } else if (entry.kind == Kind::kBytes) {
      Builder* const builder = Open(slot, state);
      if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
      reinterpret_cast<std::string_view*>(builder->values)[builder->count] = {
          reinterpret_cast<const char*>(payload.begin), payload.size};
      Close</*kInOrder=*/true>(builder, state);
    } else {
      if (!IsOneVarint(word, payload.size)) {
        return TakeList(slot, entry, payload);
      }
      Builder* const builder = Open(slot, state);
      if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
      reinterpret_cast<uint64_t*>(builder->values)[builder->count] =
          kernel::FoldWord(word, payload.size);
      Close</*kInOrder=*/true>(builder, state);
    }
    return payload.next;
  }

  // Where records differ in the order of their keys, the kind of the next value
  // is anybody's guess: one alone is stored without a branch on it.
  HWY_INLINE const uint8_t* TakeMatching(uint32_t slot, const Template& entry,
                                         const uint8_t* p, const uint8_t* end,
                                         State* state) {
    const Payload payload = PayloadOf(entry, p, end);
    if (HWY_UNLIKELY(payload.next == nullptr)) return nullptr;
    ++state->taken;
    const uint64_t word = wire::LoadFixed64(payload.begin);
    const uint64_t ends = (~word & entry.varint_ends) | entry.fixed_end;
    const size_t value_bits = static_cast<size_t>(std::countr_zero(ends)) + 1;
    if (HWY_UNLIKELY(((value_bits ^ payload.size * 8) & entry.is_number) !=
                     0)) {
      return TakeList(slot, entry, payload);
    }
    Builder* const builder = Open(slot, state);
    if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
    // As many bytes as a string_view has, of which a number needs fewer; there
    // is slack behind every array.
    const std::string_view text(reinterpret_cast<const char*>(payload.begin),
                                payload.size);
    uint64_t value[2] = {};
    std::memcpy(value, &text, sizeof(text));
    value[0] = (value[0] & ~entry.is_number) |
               kernel::ExtractBits(word, payload.size, entry.value_bits);
    std::memcpy(builder->values + (builder->count << entry.size_log2), value,
                sizeof(value));
    Close</*kInOrder=*/false>(builder, state);
    return payload.next;
  }

  // A cell that the row does not have yet, with room for one value; null where
  // that is not so.
  HWY_INLINE Builder* Open(uint32_t slot, State* state) {
    Builder* const builder = state->builders + slot;
    if (HWY_LIKELY(builder->next_row == state->row &&
                   builder->count != builder->capacity)) {
      return builder;
    }
    return columns_->Prepare(slot, 1) ? builder : nullptr;
  }

  // Of a cell with one value more.
  template <bool kInOrder>
  HWY_INLINE void Close(Builder* builder, State* state) {
    const size_t count = builder->count + 1;
    CloseRow(builder, count, state->row);
    if constexpr (kInOrder) {
      if (HWY_LIKELY(builder->row_form == RowForm::kRegular)) return;
      if (builder->row_form == RowForm::kDense) {
        state->filled += IsFilled(*builder, state->row);
        return;
      }
    } else if (state->has_dense) {
      state->filled += IsFilled(*builder, state->row);
    }
    WriteRow(builder, state->row);
  }

  static HWY_INLINE void CloseRow(Builder* builder, size_t count,
                                  uint32_t row) {
    builder->count = count;
    builder->next_row = row + 1;
    builder->state = CellState::kTyped;
  }
  static HWY_INLINE void WriteRow(Builder* builder, uint32_t row) {
    builder->rows.offsets[row + 1] = static_cast<int32_t>(builder->count);
    builder->rows.valid[row] = 1;
  }
  // True for a dense cell that holds what it must.
  static HWY_INLINE bool IsFilled(const Builder& builder, uint32_t row) {
    return builder.count == (size_t{row} + 1) * builder.elements;
  }

  // What follows is called for entries that are large or rare.

  // As Open and Close, for any number of values.
  Builder* OpenFor(uint32_t slot, size_t more) {
    Builder* const builder = columns_->builders() + slot;
    if (builder->next_row == columns_->num_rows() &&
        more <= builder->capacity - builder->count) {
      return builder;
    }
    return columns_->Prepare(slot, more) ? builder : nullptr;
  }
  void CloseWith(Builder* builder, size_t count) {
    const uint32_t row = columns_->num_rows();
    if (builder->row_form == RowForm::kRegular && count != size_t{row} + 1) {
      columns_->WriteOffsets(builder);
    }
    CloseRow(builder, count, row);
    WriteRow(builder, row);
    columns_->AddFilled(IsFilled(*builder, row));
  }

  HWY_NOINLINE const uint8_t* TakeList(uint32_t slot, const Template& entry,
                                       const Payload& payload) {
    if (payload.size == 0) return nullptr;
    return entry.kind == Kind::kFloat
               ? TakeFloats(slot, payload.begin, payload.size)
               : TakeInts(slot, payload.begin, payload.size);
  }

  const uint8_t* TakeFloats(uint32_t slot, const uint8_t* payload,
                            size_t size) {
    if (size % 4 != 0) return nullptr;
    Builder* const builder = OpenFor(slot, size / 4);
    if (builder == nullptr) return nullptr;
    std::memcpy(builder->values + builder->count * 4, payload, size);
    CloseWith(builder, builder->count + size / 4);
    return payload + size;
  }

  const uint8_t* TakeInts(uint32_t slot, const uint8_t* payload, size_t size) {
    const wire::Span run{payload, size};
    // Where there is room for a value a byte the run need not be counted.
    Builder* const builder = columns_->builders() + slot;
    size_t count;
    if (builder->next_row != columns_->num_rows() ||
        size > builder->capacity - builder->count) {
      if (kernel::CountVarints(run, &count) != wire::Fault::kNone ||
          OpenFor(slot, count) == nullptr) {
        return nullptr;
      }
    }
    int64_t* const out =
        reinterpret_cast<int64_t*>(builder->values) + builder->count;
    if (kernel::DecodeVarints(run, out, &count) != wire::Fault::kNone) {
      return nullptr;
    }
    CloseWith(builder, builder->count + count);
    return payload + size;
  }

  // 0A L 0A K key 12 V value, nothing else, with one byte for each length; V
  // has one where L has.
  HWY_INLINE const uint8_t* SkipShort(const uint8_t* p, size_t length,
                                      size_t key_size, State* state) {
    const size_t value = wire::LoadFixed32(p + 4 + key_size) & 0xFFFF;
    if (HWY_UNLIKELY(!skip_unselected_ ||
                     value != (0x12 | (length - key_size - 4) << 8) ||
                     !IsKeyText(p + 4, key_size))) {
      return nullptr;
    }
    ++order_->trace.skipped;
    Skip(p + 4, key_size, state);
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

  // One step; null, and nothing written, where it is for the walk.
  HWY_INLINE const uint8_t* TakeStep(Builder* builder, const uint8_t* p,
                                     const uint8_t* end) {
    size_t size;
    if (*p != 0x0A) return nullptr;
    p = ReadShortLength(p + 1, end, &size);
    if (p == nullptr || size > static_cast<size_t>(end - p)) return nullptr;
    const uint8_t* const step_end = p + size;
    const Kind kind = builder->kind;
    p = ReadWhole(p, step_end,
                  static_cast<uint8_t>(static_cast<int>(kind) << 3 | 2));
    if (p == nullptr) return nullptr;
    const size_t before = builder->count;
    const bool is_taken = kind == Kind::kBytes
                              ? AppendStrings(builder, p, step_end)
                              : AppendNumbers(builder, p, step_end);
    if (HWY_LIKELY(is_taken && columns_->EndStep(builder, /*valid=*/true))) {
      return step_end;
    }
    builder->count = before;
    return nullptr;
  }

  // The one run of a list, 0A P payload, or nothing.
  HWY_INLINE bool AppendNumbers(Builder* builder, const uint8_t* p,
                                const uint8_t* end) {
    if (p == end) return true;
    p = ReadWhole(p, end, 0x0A);
    if (p == nullptr) return false;
    const auto size = static_cast<size_t>(end - p);
    if (builder->kind == Kind::kFloat) {
      if (size % 4 != 0 || !columns_->Reserve(builder, size / 4)) return false;
      CopyWithSlack(builder->values + builder->count * 4, p, size);
      builder->count += size / 4;
      return true;
    }
    size_t count = size;
    if (size > builder->capacity - builder->count &&
        (kernel::CountVarints({p, size}, &count) != wire::Fault::kNone ||
         !columns_->Reserve(builder, count))) {
      return false;
    }
    int64_t* const out =
        reinterpret_cast<int64_t*>(builder->values) + builder->count;
    if (kernel::DecodeVarints({p, size}, out, &count) != wire::Fault::kNone) {
      return false;
    }
    builder->count += count;
    return true;
  }

  // 0A n bytes, repeated.
  HWY_INLINE bool AppendStrings(Builder* builder, const uint8_t* p,
                                const uint8_t* end) {
    while (p != end) {
      size_t size;
      const uint8_t* const bytes =
          *p == 0x0A ? ReadShortLength(p + 1, end, &size) : nullptr;
      if (bytes == nullptr || size > static_cast<size_t>(end - bytes) ||
          !columns_->Reserve(builder, 1)) {
        return false;
      }
      reinterpret_cast<std::string_view*>(builder->values)[builder->count++] = {
          reinterpret_cast<const char*>(bytes), size};
      p = bytes + size;
    }
    return true;
  }

  // A field with this tag that fills the rest up to `end`; null if there is
  // something else. Returns its content.
  static HWY_INLINE const uint8_t* ReadWhole(const uint8_t* p,
                                             const uint8_t* end, uint8_t tag) {
    size_t size;
    if (p == end || *p != tag) return nullptr;
    p = ReadShortLength(p + 1, end, &size);
    return p != nullptr && size == static_cast<size_t>(end - p) ? p : nullptr;
  }

  // The value of an entry of the plan: 12 V kind F list.
  const uint8_t* TakeValue(uint32_t slot, const uint8_t* p,
                           const uint8_t* entry_end, const uint8_t* end) {
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
    if (kind == Kind::kBytes) return TakeStrings(slot, p, entry_end);
    p = ReadWhole(p, entry_end, 0x0A);
    if (p == nullptr || p == entry_end) return nullptr;
    const auto size = static_cast<size_t>(entry_end - p);
    return kind == Kind::kFloat ? TakeFloats(slot, p, size)
                                : TakeInts(slot, p, size);
  }

  const uint8_t* TakeEmpty(uint32_t slot, CellState state,
                           const uint8_t* entry_end) {
    if (columns_->HasCell(columns_->builder(slot))) return nullptr;
    Builder* const builder = columns_->EnterCell(slot);
    if (builder == nullptr) return nullptr;
    ++order_->trace.by_shape;
    columns_->LeaveCell(builder, state);
    return entry_end;
  }

  const uint8_t* TakeStrings(uint32_t slot, const uint8_t* p,
                             const uint8_t* end) {
    Builder* const builder = OpenFor(slot, 1);
    if (builder == nullptr) return nullptr;
    const size_t before = builder->count;
    if (!AppendStrings(builder, p, end)) {
      builder->count = before;
      return nullptr;
    }
    CloseWith(builder, builder->count);
    return end;
  }

  const plan::Program& program_;
  const bool skip_unselected_;
  column::ColumnSet* const columns_;
  EntryOrder* const order_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_ENTRY_READER_INL_H_
