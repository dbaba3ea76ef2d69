// EntriesInOrder takes entries of records whose writer puts the keys in one
// order, by guessing the next entry from the previous one.
//
// EntryOrder remembers for each template which one last followed it. So the
// next entry is compared with one template, and nothing is looked up. If that
// fails, the record may lack the guessed entry, so the template after it is
// tried. Otherwise the entry is looked up by its key, or taken by its fields,
// and becomes the guess for next time. A key that is not in the plan gets a
// template when it is first met, so that it is guessed and skipped like any
// other. A wrong guess costs more than a look-up, so it lowers the trust in the
// order by nineteen, and a right guess raises it by one. Without trust, records
// are read by hash.
//
// A run of entries of the common shape is taken as a whole
// (entries_in_runs-inl.h).

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_ORDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_ORDER_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_ORDER_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_ORDER_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/cells-inl.h"
#include "src/decode/example/entries_by_fields-inl.h"
#include "src/decode/example/entries_in_runs-inl.h"
#include "src/decode/example/entry_match-inl.h"
#include "src/decode/example/entry_order.h"
#include "src/plan/compile/entry_template.h"
#include "src/plan/compile/program.h"
#include "wire/cursor.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace kernel = wire::HWY_NAMESPACE;

class EntriesInOrder {
 public:
  EntriesInOrder(Cells& cells, EntriesByFields& by_fields,
                 EntriesInRuns& in_runs)
      : cells_(cells), by_fields_(by_fields), in_runs_(in_runs) {}

  // The contract is that of EntryReader::Take.
  HWY_INLINE const uint8_t* Take(const uint8_t* p, const uint8_t* end) {
    State state{.at = cells_.order->position,
                .builders = cells_.columns->builders(),
                .templates = cells_.order->templates(),
                .followers = cells_.order->followers(),
                .row = cells_.columns->num_rows(),
                .hits = cells_.order->position.hits};
    const uint8_t* const begin = p;
    const bool at_begin = state.at.place == state.followers;
    const bool has_shape =
        cells_.order->shape.is_active() && EntryOrder::MayGuess(state.at);
    // There are two loops, so that the loop without runs does not spend
    // registers on runs.
    while (has_shape && p < end) {
      p = TakeRun(p, end, &state);
      if (p >= end) break;
      const uint8_t* const next = TakeNext(p, end, &state);
      if (HWY_UNLIKELY(next == nullptr)) break;
      p = next;
    }
    while (!has_shape && p < end) {
      const uint8_t* const next = TakeNext(p, end, &state);
      if (HWY_UNLIKELY(next == nullptr)) break;
      p = next;
    }
    CountHits(&state);
    cells_.order->position = state.at;
    cells_.columns->AddFilled(state.filled);
    cells_.order->trace.by_template +=
        state.taken - state.skipped - state.stored_in_runs;
    cells_.order->trace.in_runs += state.stored_in_runs;
    cells_.order->trace.skipped += state.skipped;
    if (at_begin && p == end) {
      const uint32_t version = cells_.order->shape.version();
      if (HWY_UNLIKELY(
              cells_.order->shape.Review(state.taken, state.in_runs))) {
        in_runs_.MakeShape(begin, end);
      }
      // Groups belong to the chunks of the shape's old version.
      if (HWY_UNLIKELY(cells_.order->shape.version() != version)) {
        cells_.columns->Settle();
      }
    }
    return p;
  }

 private:
  using Template = plan::EntryTemplate;
  using Builder = column::Builder;

  // Stores through byte pointers may change any object that has an address. A
  // State stays in registers, as only inlined functions get a pointer to it.
  struct State {
    EntryOrder::Position at;
    Builder* const builders;
    const Template* const templates;
    EntryOrder::Follower* const followers;
    const uint32_t row;
    int hits;  // the hits of `at` that `taken` already counts
    size_t filled = 0;
    uint64_t taken = 0;    // entries that matched a template or the shape
    uint64_t skipped = 0;  // part of `taken`: keys not in the plan
    uint64_t in_runs = 0;  // part of `taken`: taken by runs
    uint64_t stored_in_runs = 0;  // part of `in_runs`: not skipped
  };

  static HWY_INLINE void CountHits(State* state) {
    state->taken += static_cast<unsigned>(state->at.hits - state->hits);
  }

  // Returns where the run of entries that begins at `p` ends, or `p`.
  HWY_INLINE const uint8_t* TakeRun(const uint8_t* p, const uint8_t* end,
                                    State* state) {
    const EntryOrder::Follower guess = *state->at.place;
    EntryShape& shape = cells_.order->shape;
    const size_t first = shape.FindRun(guess.index);
    if (first == shape.size() || guess.skipped != state->at.skipped) return p;
    size_t last = EntriesInRuns::FindEnd(shape, first, p, end);
    if (last != shape.size()) shape.NoteBreak(last);
    const EntryShape::Entry* const entries = shape.entries();
    const uint8_t* const base = p - entries[first].start;
    // Passed by address, which members of the State must not be.
    size_t filled = 0;
    uint64_t skipped = 0;
    last = in_runs_.StorePayloads(shape, first, last, base, state->row,
                                  state->builders, &filled, &skipped);
    if (last == first) return p;
    state->filled += filled;
    state->at.hits += static_cast<int>(last - first);
    state->skipped += skipped;
    state->in_runs += last - first;
    state->stored_in_runs += last - first - skipped;
    state->at.place = state->followers + entries[last - 1].index + 1;
    state->at.skipped = 0;
    return base + entries[last - 1].end;
  }

  // The functions below take one entry and return its end, or null if they
  // leave it to the walk.
  HWY_INLINE const uint8_t* TakeNext(const uint8_t* p, const uint8_t* end,
                                     State* state) {
    const EntryOrder::Follower guess = *state->at.place;
    if (HWY_LIKELY(guess.skipped == state->at.skipped)) {
      const Template& entry = state->templates[guess.index];
      if (HWY_LIKELY(Matches(entry, p))) {
        return TakeGuessed(guess.index, entry, p, end, state);
      }
      if (!cells_.order->MatchesNone(guess.index)) {
        if (p[1] >= 0x80) {
          const uint8_t* const next =
              TakeGuessedLong(guess.index, entry, p, end);
          if (HWY_LIKELY(next != nullptr)) {
            GuessedRight(guess.index, state);
            ++state->hits;  // no template took it
            return next;
          }
        }
        // The record may lack the guessed entry.
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
    const uint32_t slot = HasShortHead(p) ? SlotOf(p, cells_.program.probe())
                                          : uint32_t{plan::KeyProbe::kEmpty};
    if (slot != plan::KeyProbe::kEmpty) {
      const Template& entry = state->templates[slot];
      if (HWY_LIKELY(Matches(entry, p))) {
        cells_.order->Found(slot, &state->at);
        ++state->taken;
        return TakeMatching(slot, entry, p, end, state);
      }
    }
    const EntriesByFields::Taken taken = by_fields_.TakeApart(slot, p, end);
    uint32_t index = taken.slot;
    if (taken.next != nullptr && index == plan::kNoSlot && HasShortHead(p)) {
      index = cells_.order->Learn(p + 4, p[3]);
    }
    if (index != plan::kNoSlot) {
      cells_.order->Found(index, &state->at);
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

  // A template's index is its slot, except for keys that are skipped. The
  // branches on the kind are predicted well: if the order of keys is known, so
  // is the kind of the next value.
  HWY_INLINE const uint8_t* TakeMatching(uint32_t slot, const Template& entry,
                                         const uint8_t* p, const uint8_t* end,
                                         State* state) {
    const uint8_t* const payload = p + entry.size;
    const size_t size = payload[-1];
    // This equals payload + size, but is known before the slot is. If it
    // differs, the bytes have changed, and `next` may be after `end`.
    const uint8_t* const next = p + 2 + p[1];
    if (HWY_UNLIKELY(p[1] >= 0x80 || payload + size > end)) return nullptr;
    if (entry.kind == Kind::kNull) {
      return cells_.StepOver(p, static_cast<size_t>(next - p), &state->skipped);
    }
    if (entry.kind == Kind::kFloat) {
      if (size != 4) return cells_.TakeList(slot, entry, payload, size);
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
        return cells_.TakeList(slot, entry, payload, size);
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
    if (HWY_LIKELY(builder->IsOpen(state->row))) return builder;
    return cells_.columns->Prepare(slot, 1) ? builder : nullptr;
  }

  HWY_INLINE void Close(Builder* builder, State* state) {
    builder->Close(builder->count + 1, column::CellState::kTyped, state->row,
                   &state->filled);
  }

  // Takes an entry whose L has two bytes, which no template matches, if it has
  // the key of the guessed entry.
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
      return by_fields_.TakeValue(index, value, entry_end, end);
    }
    if (value > entry_end || ReadWhole(value, entry_end, 0x12) == nullptr) {
      return nullptr;
    }
    return cells_.StepOver(p, length + 3, &cells_.order->trace.skipped);
  }

  Cells& cells_;
  EntriesByFields& by_fields_;
  EntriesInRuns& in_runs_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_ORDER_INL_H_
