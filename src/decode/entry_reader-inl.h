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
    State state{.position = order_->position,
                .builders = columns_->builders(),
                .row = columns_->num_rows()};
    while (p != end) {
      const uint8_t* const next = TakeOne(p, end, &state);
      if (HWY_UNLIKELY(next == nullptr)) break;
      p = next;
    }
    order_->position = state.position;
    columns_->AddFilled(state.filled);
    order_->trace.by_template += state.trace.by_template;
    order_->trace.by_shape += state.trace.by_shape;
    order_->trace.skipped += state.trace.skipped;
    order_->trace.general += p != end;
    return p;
  }

  // Takes steps of a feature list: each 0A S kind F list, with values of the
  // column's kind. Returns where the first begins that it leaves to the walk,
  // or `end`.
  const uint8_t* TakeSteps(column::Builder* builder, const uint8_t* p,
                           const uint8_t* const end) {
    if (std::endian::native == std::endian::big ||
        builder->kind == Kind::kNull) {
      return p;
    }
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

  // Of one call of Take. Stores through byte pointers may change any object
  // that has an address; what is copied here stays in registers.
  struct State {
    EntryOrder::Position position;
    Builder* const builders;
    const uint32_t row;
    size_t filled = 0;
    EntryOrder::Trace trace = {};
  };

  // Each returns where the entry ends, or null when it is for the walk.
  HWY_INLINE const uint8_t* TakeOne(const uint8_t* p, const uint8_t* end,
                                    State* state) {
    const uint32_t guess = order_->Guess(state->position);
    if (guess != plan::kNoSlot) {
      const Template& entry = program_.entry_template(guess);
      if (HWY_LIKELY(Matches(entry, p))) {
        EntryOrder::Hit(guess, &state->position);
        return TakeMatching(guess, entry, p, end, state);
      }
      const uint32_t behind = order_->GuessBehind(guess);
      if (behind != plan::kNoSlot) {
        const Template& next = program_.entry_template(behind);
        if (Matches(next, p)) {
          EntryOrder::Hit(behind, &state->position);
          return TakeMatching(behind, next, p, end, state);
        }
      }
    }
    return LookUp(p, end, guess, state);
  }

  HWY_INLINE const uint8_t* LookUp(const uint8_t* p, const uint8_t* end,
                                   uint32_t guess, State* state) {
    // 0A L 0A K key, with one byte for L.
    const size_t key_size = p[3];
    if (HWY_UNLIKELY(static_cast<size_t>(end - p) < 4 + key_size ||
                     p[0] != 0x0A || p[1] >= 0x80 || p[2] != 0x0A)) {
      return TakeLong(p, end, guess, state);
    }
    const uint32_t slot = program_.FindLikely(p + 4, key_size);
    if (slot == plan::kNoSlot) return SkipShort(p, end, guess, state);
    const Template& entry = program_.entry_template(slot);
    if (HWY_LIKELY(Matches(entry, p))) {
      order_->Found(slot, guess, &state->position);
      return TakeMatching(slot, entry, p, end, state);
    }
    // Another key may have the same hash.
    if (program_.Find(p + 4, key_size) != slot) return nullptr;
    order_->Found(slot, guess, &state->position);
    return TakeValue(slot, p + 4 + key_size, p + 2 + p[1], end, state);
  }

  HWY_INLINE const uint8_t* TakeMatching(uint32_t slot, const Template& entry,
                                         const uint8_t* p, const uint8_t* end,
                                         State* state) {
    const uint8_t* const payload = p + entry.size;
    const size_t inner = payload[-1];
    // The same as payload + inner, but known before the slot is.
    const uint8_t* const next = p + 2 + p[1];
    if (HWY_UNLIKELY(inner > entry.max_inner || next > end)) return nullptr;
    ++state->trace.by_template;
    // A value alone is the common case, and stored without a branch on its
    // kind: where records differ in the order of their keys, the kind of the
    // next one is anybody's guess.
    const uint64_t word = wire::LoadFixed64(payload);
    const uint64_t ends = ~word & 0x8080808080808080u;
    const uint64_t is_int =
        uint64_t{static_cast<size_t>(std::countr_zero(ends)) + 1 == inner * 8};
    const uint64_t is_float = uint64_t{inner == 4};
    if (HWY_LIKELY(((entry.is_bytes & 1) | (entry.is_float & is_float) |
                    (entry.is_int & is_int)) != 0)) {
      Builder* const builder = Open(slot, 1, state);
      if (HWY_UNLIKELY(builder == nullptr)) return nullptr;
      // As many bytes as a string_view has, of which a number needs fewer;
      // there is slack behind every array.
      const std::string_view text(reinterpret_cast<const char*>(payload),
                                  inner);
      uint64_t value[2] = {};
      std::memcpy(value, &text, sizeof(text));
      value[0] = (value[0] & entry.is_bytes) | (word & entry.is_float) |
                 (kernel::FoldWord(word, inner) & entry.is_int);
      std::memcpy(builder->values + (builder->count << entry.size_log2), value,
                  sizeof(value));
      Close(builder, builder->count + 1, state);
      return next;
    }
    if (inner == 0) return nullptr;
    return entry.is_float != 0 ? TakeFloats(slot, payload, inner, state)
                               : TakeInts(slot, payload, inner, state);
  }

  // A cell that the row does not have yet, with room; null where that is not
  // so.
  HWY_INLINE Builder* Open(uint32_t slot, size_t more, State* state) {
    Builder* const builder = state->builders + slot;
    if (HWY_LIKELY(builder->next_row == state->row &&
                   more <= builder->capacity - builder->count)) {
      return builder;
    }
    return columns_->Prepare(slot, more) ? builder : nullptr;
  }

  HWY_INLINE void Close(Builder* builder, size_t count, State* state) {
    builder->count = count;
    builder->next_row = state->row + 1;
    builder->state = column::CellState::kTyped;
    if (builder->offsets != nullptr) {
      builder->offsets[state->row + 1] = static_cast<int32_t>(count);
      if (builder->valid != nullptr) builder->valid[state->row] = 1;
    } else {
      state->filled += count == (size_t{state->row} + 1) * builder->elements;
    }
  }

  const uint8_t* TakeFloats(uint32_t slot, const uint8_t* payload, size_t size,
                            State* state) {
    if (size % 4 != 0) return nullptr;
    Builder* const builder = Open(slot, size / 4, state);
    if (builder == nullptr) return nullptr;
    std::memcpy(builder->values + builder->count * 4, payload, size);
    Close(builder, builder->count + size / 4, state);
    return payload + size;
  }

  const uint8_t* TakeInts(uint32_t slot, const uint8_t* payload, size_t size,
                          State* state) {
    const wire::Span run{payload, size};
    // Where there is room for a value a byte the run need not be counted.
    Builder* const builder = state->builders + slot;
    size_t count;
    if (builder->next_row != state->row ||
        size > builder->capacity - builder->count) {
      if (kernel::CountVarints(run, &count) != wire::Fault::kNone ||
          Open(slot, count, state) == nullptr) {
        return nullptr;
      }
    }
    int64_t* const out =
        reinterpret_cast<int64_t*>(builder->values) + builder->count;
    if (kernel::DecodeVarints(run, out, &count) != wire::Fault::kNone) {
      return nullptr;
    }
    Close(builder, builder->count + count, state);
    return payload + size;
  }

  // 0A L 0A K key 12 V value, nothing else, with one byte for each length.
  HWY_INLINE const uint8_t* SkipShort(const uint8_t* p, const uint8_t* end,
                                      uint32_t guess, State* state) {
    const size_t length = p[1];
    const size_t key_size = p[3];
    // V is one byte where L is; all are within the slack.
    const size_t value_size = p[5 + key_size];
    if (HWY_UNLIKELY(!skip_unselected_ || p[4 + key_size] != 0x12 ||
                     length != key_size + value_size + 4 ||
                     length + 2 > static_cast<size_t>(end - p) ||
                     !IsKeyText(p + 4, key_size))) {
      return nullptr;
    }
    EntryOrder::Skipped(guess, &state->position);
    ++state->trace.skipped;
    return p + 2 + length;
  }

  // As the above with lengths of up to three bytes.
  const uint8_t* TakeLong(const uint8_t* p, const uint8_t* end, uint32_t guess,
                          State* state) {
    size_t length, key_size;
    if (*p != 0x0A) return nullptr;
    p = ReadShortLength(p + 1, end, &length);
    if (p == nullptr || length > static_cast<size_t>(end - p)) return nullptr;
    const uint8_t* const entry_end = p + length;
    if (p == entry_end || *p != 0x0A) return nullptr;
    p = ReadShortLength(p + 1, entry_end, &key_size);
    if (p == nullptr || key_size > static_cast<size_t>(entry_end - p)) {
      return nullptr;
    }
    const uint8_t* const value = p + key_size;
    const uint32_t slot = program_.Find(p, key_size);
    if (slot != plan::kNoSlot) {
      order_->Found(slot, guess, &state->position);
      return TakeValue(slot, value, entry_end, end, state);
    }
    if (!skip_unselected_ || ReadWhole(value, entry_end, 0x12) == nullptr ||
        !IsKeyText(p, key_size)) {
      return nullptr;
    }
    EntryOrder::Skipped(guess, &state->position);
    ++state->trace.skipped;
    return entry_end;
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

  // The one run of a list, 0A P payload.
  HWY_INLINE bool AppendNumbers(Builder* builder, const uint8_t* p,
                                const uint8_t* end) {
    p = ReadWhole(p, end, 0x0A);
    if (p == nullptr) return false;
    const auto size = static_cast<size_t>(end - p);
    if (builder->kind == Kind::kFloat) {
      if (size % 4 != 0 || !columns_->Reserve(builder, size / 4)) return false;
      if (size > 0) std::memcpy(builder->values + builder->count * 4, p, size);
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
                           const uint8_t* entry_end, const uint8_t* end,
                           State* state) {
    const Kind kind = program_.kind(slot);
    if (entry_end > end || p > entry_end || kind == Kind::kNull) {
      return nullptr;
    }
    p = ReadWhole(p, entry_end, 0x12);
    if (p == nullptr) return nullptr;
    p = ReadWhole(p, entry_end,
                  static_cast<uint8_t>(static_cast<int>(kind) << 3 | 2));
    if (p == nullptr) return nullptr;
    ++state->trace.by_shape;
    if (kind == Kind::kBytes) return TakeStrings(slot, p, entry_end, state);
    p = ReadWhole(p, entry_end, 0x0A);
    if (p == nullptr || p == entry_end) return nullptr;
    const auto size = static_cast<size_t>(entry_end - p);
    return kind == Kind::kFloat ? TakeFloats(slot, p, size, state)
                                : TakeInts(slot, p, size, state);
  }

  const uint8_t* TakeStrings(uint32_t slot, const uint8_t* p,
                             const uint8_t* end, State* state) {
    Builder* const builder = Open(slot, 1, state);
    if (builder == nullptr) return nullptr;
    const size_t before = builder->count;
    if (!AppendStrings(builder, p, end)) {
      builder->count = before;
      return nullptr;
    }
    Close(builder, builder->count, state);
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
