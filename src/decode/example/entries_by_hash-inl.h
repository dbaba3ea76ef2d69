// EntriesByHash takes entries of records whose keys are in any order, by
// looking up their slots.
//
// All entries are looked up and compared with their templates before the first
// value is stored. Then values are stored in the order of the slots, which is
// the same in every record. So the branch predictor can learn the order of
// kinds, and cells that are present in the same rows can form a group, as in
// entries_in_runs-inl.h.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_HASH_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_HASH_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_HASH_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_HASH_INL_H_
#endif

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/cells-inl.h"
#include "src/decode/example/entries_by_fields-inl.h"
#include "src/decode/example/entry_match-inl.h"
#include "src/decode/example/entry_order.h"
#include "src/decode/example/entry_places.h"
#include "src/decode/example/entry_shape.h"
#include "src/plan/compile/entry_template.h"
#include "src/plan/compile/program.h"
#include "wire/cursor.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace kernel = wire::HWY_NAMESPACE;

class EntriesByHash {
 public:
  EntriesByHash(Cells& cells, EntriesByFields& by_fields)
      : cells_(cells), by_fields_(by_fields) {}

  // Returns the first entry that is left to the walk, or `end`. Returns null if
  // a key occurs twice or a value cannot be stored: then `begin` is the first
  // entry left, and some of the entries may already have their cells. The plan
  // must have at most EntryPlaces::kMaxSlots slots.
  HWY_INLINE const uint8_t* Take(const uint8_t* begin, const uint8_t* end) {
    cells_.order->places.Begin();
    const uint8_t* p = begin;
    size_t count = 0;
    while (true) {
      const Found found = LookUp(begin, p, end);
      count += found.count;
      p = found.end;
      if (p == end) break;
      const uint8_t* const next = by_fields_.Take(found.slot, p, end).next;
      if (next == nullptr) break;
      p = next;
    }
    return StorePlaces(begin, count) ? p : nullptr;
  }

 private:
  using Template = plan::EntryTemplate;
  using Place = EntryPlaces::Place;
  using Group = column::CellGroup;

  struct Found {
    const uint8_t* end;
    uint32_t slot;  // of the entry at `end`, if it has one
    uint32_t count;
  };

  // The state of a call of StorePlaces, to be kept in registers.
  struct Store {
    const uint8_t* const begin;  // places are offsets from here
    const EntryPlaces& at;
    const Template* const templates;
    column::Builder* const builders;
    const uint32_t row;
    size_t filled = 0;
  };

  // Finds the places of entries, from `p` up to the first one that neither
  // matches a template nor is skipped.
  HWY_NOINLINE Found LookUp(const uint8_t* begin, const uint8_t* p,
                            const uint8_t* end) {
    const plan::KeyProbe probe = cells_.program.probe();
    const Template* const templates = cells_.order->templates();
    EntryPlaces& at = cells_.order->places;
    const uint8_t mark = at.mark;
    uint32_t slot = plan::KeyProbe::kEmpty, count = 0;
    while (p != end) {
      // Bytes may change, so the length is loaded once. If it differs from the
      // length in the head, the entry does not match.
      const size_t length = p[1];
      const uint8_t* const next = p + 2 + length;
      slot = SlotOf(p, probe);
      if (HWY_UNLIKELY(length >= 0x80 || next > end)) break;
      if (HWY_UNLIKELY(slot == plan::KeyProbe::kEmpty)) {
        if (!by_fields_.SkipsShort(p, length)) break;
        p = next;
        continue;
      }
      const Template& entry = templates[slot];
      const size_t size = length + 2 - entry.size;
      if (HWY_UNLIKELY(length + 2 < entry.size || !Matches(entry, p, size))) {
        break;
      }
      at.places[slot] = {static_cast<uint32_t>(p - begin) + entry.size,
                         static_cast<uint32_t>(size)};
      at.marks[slot] = mark;
      ++count;
      p = next;
    }
    return {p, slot, count};
  }

  // Returns a mask whose bit i says whether slot i of a chunk has a place.
  static HWY_INLINE uint32_t FindMarks(const EntryPlaces& at, size_t chunk) {
    static_assert(EntryPlaces::kChunk == 16);
    const uint8_t* const marks = at.marks.data() + chunk * EntryPlaces::kChunk;
#if HWY_TARGET == HWY_SCALAR
    uint32_t found = 0;
    for (size_t i = 0; i < EntryPlaces::kChunk; ++i) {
      found |= uint32_t{marks[i] == at.mark} << i;
    }
    return found;
#else
    const hn::FixedTag<uint8_t, EntryPlaces::kChunk> d;
    uint8_t bits[8];
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, marks), hn::Set(d, at.mark)),
                      bits);
    return static_cast<uint32_t>(wire::LoadFixed32(bits) & 0xFFFF);
#endif
  }

  // Stores the values of all slots that have places. Returns false if a value
  // cannot be stored. Also returns false, without storing any value, if there
  // are fewer places than the `count` entries that were looked up.
  HWY_NOINLINE bool StorePlaces(const uint8_t* begin, size_t count) {
    const size_t num_chunks =
        (cells_.program.slots().size() + EntryPlaces::kChunk - 1) /
        EntryPlaces::kChunk;
    std::array<uint16_t, EntryPlaces::kMaxChunks> cells;
    size_t found = 0;
    for (size_t i = 0; i < num_chunks; ++i) {
      cells[i] = static_cast<uint16_t>(FindMarks(cells_.order->places, i));
      found += static_cast<size_t>(std::popcount(cells[i]));
    }
    if (HWY_UNLIKELY(found != count)) return false;
    Store store{.begin = begin,
                .at = cells_.order->places,
                .templates = cells_.order->templates(),
                .builders = cells_.columns->builders(),
                .row = cells_.columns->num_rows()};
    bool is_stored = true;
    for (size_t i = 0; i < num_chunks && is_stored; ++i) {
      if (cells[i] != 0) is_stored = StoreChunk(i, cells[i], &store);
    }
    cells_.columns->AddFilled(store.filled);
    cells_.order->trace.by_template += is_stored ? count : 0;
    return is_stored;
  }

  // Stores the values of these cells, the only ones of the chunk with places.
  HWY_INLINE bool StoreChunk(size_t number, uint32_t cells, Store* store) {
    Group* const group = cells_.columns->groups() + kFirstGroup + number;
    EntryPlaces::Chunk& chunk = cells_.order->places.chunks[number];
    uint32_t rest = cells;
    bool gathers = store->row % kRowsOfGroups == 0;
    if (HWY_LIKELY(group->row == store->row && group->row < group->end)) {
      const uint32_t lacking = chunk.cells & ~cells;
      if (HWY_UNLIKELY(lacking != 0)) {
        chunk.often = static_cast<uint16_t>(chunk.often & ~lacking);
        gathers = true;
      } else if (HWY_LIKELY(StoreGroup(chunk, group, store))) {
        rest &= ~uint32_t{chunk.cells};
        gathers = false;
      }
    }
    const size_t first = number * EntryPlaces::kChunk;
    for (; rest != 0; rest &= rest - 1) {
      const size_t slot = first + static_cast<size_t>(std::countr_zero(rest));
      if (!StoreSlot(static_cast<uint32_t>(slot), store)) return false;
    }
    if (HWY_UNLIKELY(gathers)) GatherChunk(number, cells & chunk.often);
    return true;
  }

  // Stores the values of a group that lacks this row. Returns false if a
  // payload is not exactly one value; then no cell is closed.
  HWY_INLINE bool StoreGroup(const EntryPlaces::Chunk& chunk, Group* group,
                             Store* store) {
    size_t i = group->first;
    if (!StoreAlike<Kind::kBytes>(chunk.num_bytes, *store, &i) ||
        !StoreAlike<Kind::kFloat>(chunk.num_floats, *store, &i) ||
        !StoreAlike<Kind::kInt64>(chunk.num_ints, *store, &i)) {
      return false;
    }
    ++group->row;
    store->filled += group->num_dense;
    return true;
  }

  // Stores the values of `count` cells of one kind, from `*i` on.
  template <Kind kKind>
  HWY_INLINE bool StoreAlike(size_t count, const Store& store, size_t* i) {
    const uint32_t* const slots = cells_.columns->group_slots();
    uint8_t* const* const values = cells_.columns->group_values();
    const size_t end = *i + count;
    for (; *i != end; ++*i) {
      const Place place = store.at.places[slots[*i]];
      const uint8_t* const payload = store.begin + place.payload;
      if (HWY_UNLIKELY(!IsAlone<kKind>(payload, place.size))) return false;
      Cells::StoreValue<kKind>(values[*i], store.row, payload, place.size);
    }
    return true;
  }

  template <Kind kKind>
  static HWY_INLINE bool IsAlone(const uint8_t* payload, size_t size) {
    if constexpr (kKind == Kind::kBytes) return true;
    if constexpr (kKind == Kind::kFloat) return size == 4;
    return IsOneVarint(wire::LoadFixed64(payload), size);
  }

  HWY_INLINE bool StoreSlot(uint32_t slot, Store* store) {
    switch (store->templates[slot].kind) {
      case Kind::kNull:
        break;
      case Kind::kFloat:
        return StoreAny<Kind::kFloat>(slot, store);
      case Kind::kBytes:
        return StoreAny<Kind::kBytes>(slot, store);
      case Kind::kInt64:
        return StoreAny<Kind::kInt64>(slot, store);
    }
    return false;
  }

  template <Kind kKind>
  HWY_INLINE bool StoreAny(uint32_t slot, Store* store) {
    const Place place = store->at.places[slot];
    const uint8_t* const payload = store->begin + place.payload;
    if (HWY_LIKELY(IsAlone<kKind>(payload, place.size))) {
      return cells_.StoreCell<kKind>(slot, payload, place.size, store->row,
                                     store->builders, &store->filled);
    }
    return cells_.TakeList(slot, store->templates[slot], payload, place.size) !=
           nullptr;
  }

  // Makes a group of the cells that have had one value in every row.
  HWY_NOINLINE void GatherChunk(size_t number, uint32_t cells) {
    const size_t first = number * EntryPlaces::kChunk;
    const uint32_t num_rows = cells_.columns->num_rows() + 1;
    EntryPlaces::Chunk& chunk = cells_.order->places.chunks[number];
    std::array<uint32_t, EntryPlaces::kChunk> slots;
    size_t count = 0;
    uint32_t gathered = 0;
    const auto add = [&](Kind kind) HWY_ATTR {
      const size_t before = count;
      for (uint32_t rest = cells; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(rest));
        const auto slot = static_cast<uint32_t>(first + i);
        const column::Builder& builder = cells_.columns->builder(slot);
        if (builder.kind != kind || !builder.IsRegular(num_rows)) continue;
        slots[count++] = slot;
        gathered |= 1u << i;
      }
      return static_cast<uint8_t>(count - before);
    };
    const uint8_t num_bytes = add(Kind::kBytes);
    const uint8_t num_floats = add(Kind::kFloat);
    const uint8_t num_ints = add(Kind::kInt64);
    // Cells that records lacked for a while may have come back.
    if (++chunk.num_tries % kTriesOfOften == 0) chunk.often = 0xFFFF;
    // If no new group is made, the chunk still describes the previous one,
    // which may still exist.
    if (count < kMinGroup) return;
    chunk.cells = static_cast<uint16_t>(gathered);
    chunk.num_bytes = num_bytes;
    chunk.num_floats = num_floats;
    chunk.num_ints = num_ints;
    cells_.columns->Gather(static_cast<uint32_t>(kFirstGroup + number),
                           static_cast<uint32_t>(kFirstCell + first),
                           std::span(slots).first(count));
  }

  // Rows per attempt to make groups, because making a group costs as much as it
  // saves in a few rows.
  static constexpr uint32_t kRowsOfGroups = 16;
  static constexpr uint32_t kTriesOfOften = 32;
  static constexpr size_t kMinGroup = 4;
  // Groups with lower numbers belong to runs.
  static constexpr size_t kFirstGroup = EntryShape::kMaxGroups;
  static_assert(column::ColumnSet::kMaxGroups ==
                kFirstGroup + EntryPlaces::kMaxChunks);
  static constexpr size_t kFirstCell = EntryShape::kMaxEntries;
  static_assert(column::ColumnSet::kMaxGroupCells ==
                kFirstCell + EntryPlaces::kMaxSlots);

  Cells& cells_;
  EntriesByFields& by_fields_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_BY_HASH_INL_H_
