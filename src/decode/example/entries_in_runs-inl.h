// EntriesInRuns takes many entries together if a record has the shape of
// earlier records.
//
// A run begins at an entry of the shape (entry_shape.h). From there on the
// bytes of the record, except the payloads, are compared with the bytes of the
// shape, a vector at a time. The run ends before the entry with the first byte
// that differs. All entries of the run are then known to be right: tags,
// lengths, keys, kinds, and the sizes of varints. Their values are stored one
// after another; the shape knows where they are, so no value waits for the
// length of the previous one.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_RUNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_RUNS_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_RUNS_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_RUNS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/cells-inl.h"
#include "src/decode/example/entry_match-inl.h"
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

class EntriesInRuns {
 public:
  using Shape = EntryShape;

  explicit EntriesInRuns(Cells& cells)
      : cells_(cells), first_row_(cells.columns->num_rows()) {}

  // Returns the entry at which a run that begins at `p` with entry `first`
  // ends: the entry of the first byte that differs, size() if none differs, or
  // the first entry that reaches beyond `end`. Reads less than a vector after
  // `end`.
  static HWY_INLINE size_t FindEnd(const Shape& shape, size_t first,
                                   const uint8_t* p, const uint8_t* end) {
    const hn::CappedTag<uint8_t, Shape::kSlack> d;
    const size_t offset = shape.entries()[first].start;
    const uint8_t* const bytes = shape.bytes() + offset;
    const uint8_t* const mask = shape.mask() + offset;
    const size_t size = std::min<size_t>(
        shape.entries()[first].run_end - offset, static_cast<size_t>(end - p));
    size_t same = size;
    for (size_t i = 0; i < size; i += hn::Lanes(d)) {
      const auto differs =
          hn::And(hn::Xor(hn::LoadU(d, p + i), hn::LoadU(d, bytes + i)),
                  hn::LoadU(d, mask + i));
      const intptr_t at = hn::FindFirstTrue(d, hn::Ne(differs, hn::Zero(d)));
      if (at >= 0) {
        same = std::min(size, i + static_cast<size_t>(at));
        break;
      }
    }
    // The first byte after the record or the shape counts as one that differs:
    // the entry that it is in, or that begins there, is not whole.
    return shape.entry_of()[offset + same];
  }

  // Stores the payloads of the entries [i, last), whose other bytes are right;
  // offsets count from `base`. Returns the first entry whose cell is not open
  // and cannot be opened, or `last`.
  HWY_INLINE size_t StorePayloads(const Shape& shape, size_t i, size_t last,
                                  const uint8_t* base, uint32_t row,
                                  column::Builder* builders, size_t* filled,
                                  uint64_t* skipped) {
    const Shape::Entry* const entries = shape.entries();
    while (i < last) {
      const size_t number = entries[i].chunk;
      if (HWY_LIKELY(HasGroup(shape, number, i, last, row))) {
        StoreGroup(entries, shape.chunks()[number], base,
                   cells_.columns->groups() + number, filled);
        i = shape.chunks()[number].end;
        continue;
      }
      size_t next = number + 1;
      size_t end = shape.chunks()[number].end;
      while (end < last && !HasGroup(shape, next, end, last, row)) {
        end = shape.chunks()[next++].end;
      }
      end = std::min(end, last);
      const size_t stored =
          StoreEach(entries, i, end, base, row, builders, filled, skipped);
      if (HWY_UNLIKELY(stored != end)) return stored;
      if ((row - first_row_) % kRowsOfGroups == 0) {
        Gather(shape, number, next, i, end);
      }
      i = end;
    }
    return last;
  }

  // Makes the shape from a record whose entries were all taken in order.
  HWY_NOINLINE void MakeShape(const uint8_t* p, const uint8_t* end) {
    Shape& shape = cells_.order->shape;
    shape.Begin(p);
    while (p < end) {
      size_t length;
      const uint8_t* const content = ReadShortLength(p + 1, end, &length);
      if (content == nullptr || length > static_cast<size_t>(end - content)) {
        break;
      }
      const uint8_t* const next = content + length;
      if (!AddToShape(p, next, &shape)) break;
      p = next;
    }
    shape.Finish();
  }

 private:
  // True if the chunk begins at entry i and ends by `last`, and its cells are a
  // group that lacks this row.
  HWY_INLINE bool HasGroup(const Shape& shape, size_t number, size_t i,
                           size_t last, uint32_t row) {
    const column::CellGroup& group = cells_.columns->groups()[number];
    const Shape::Chunk& chunk = shape.chunks()[number];
    return group.row == row && row < group.end && chunk.begin == i &&
           chunk.end <= last;
  }

  // Stores the payloads of a chunk whose cells are a group.
  HWY_INLINE void StoreGroup(const Shape::Entry* entries,
                             const Shape::Chunk& chunk, const uint8_t* base,
                             column::CellGroup* group, size_t* filled) {
    const uint32_t row = group->row;
    for (size_t i = chunk.begin; i < chunk.end;) {
      const size_t alike = std::min<size_t>(entries[i].alike, chunk.end);
      uint8_t* const* const values = cells_.columns->group_values() + i;
      switch (entries[i].kind) {
        case Kind::kNull:
          break;
        case Kind::kFloat:
          StoreAlike<Kind::kFloat>(entries + i, alike - i, base, row, values);
          break;
        case Kind::kBytes:
          StoreAlike<Kind::kBytes>(entries + i, alike - i, base, row, values);
          break;
        case Kind::kInt64:
          StoreAlike<Kind::kInt64>(entries + i, alike - i, base, row, values);
          break;
      }
      i = alike;
    }
    ++group->row;
    *filled += group->num_dense;
  }

  // Stores the payloads of `count` entries of one kind.
  template <Kind kKind>
  HWY_INLINE void StoreAlike(const Shape::Entry* entries, size_t count,
                             const uint8_t* base, uint32_t row,
                             uint8_t* const* values) {
    const auto store = [&](size_t i) HWY_ATTR {
      Cells::StoreValue<kKind>(values[i], row, base + entries[i].payload,
                               entries[i].size);
    };
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      store(i);
      store(i + 1);
      store(i + 2);
      store(i + 3);
    }
    for (; i < count; ++i) store(i);
  }

  // The contract is that of StorePayloads.
  HWY_NOINLINE size_t StoreEach(const Shape::Entry* entries, size_t i,
                                size_t last, const uint8_t* base, uint32_t row,
                                column::Builder* builders, size_t* filled,
                                uint64_t* skipped) {
    size_t more = 0;
    while (i < last) {
      // Entries of one kind are mostly adjacent.
      const size_t alike = std::min<size_t>(entries[i].alike, last);
      size_t stored = alike;
      switch (entries[i].kind) {
        case Kind::kNull:
          stored = StepOverAll(entries, i, alike, base, skipped);
          break;
        case Kind::kFloat:
          stored = StoreCells<Kind::kFloat>(entries, i, alike, base, row,
                                            builders, &more);
          break;
        case Kind::kBytes:
          stored = StoreCells<Kind::kBytes>(entries, i, alike, base, row,
                                            builders, &more);
          break;
        case Kind::kInt64:
          stored = StoreCells<Kind::kInt64>(entries, i, alike, base, row,
                                            builders, &more);
          break;
      }
      i = stored;
      if (HWY_UNLIKELY(stored != alike)) break;
    }
    *filled += more;
    return i;
  }

  HWY_INLINE size_t StepOverAll(const Shape::Entry* entries, size_t i,
                                size_t last, const uint8_t* base,
                                uint64_t* skipped) {
    for (; i < last; ++i) {
      const uint8_t* const entry = base + entries[i].start;
      const size_t size = size_t{entries[i].end} - entries[i].start;
      // Comparing with the end costs nothing, as the compiler knows both.
      if (cells_.StepOver(entry, size, skipped) != entry + size) break;
    }
    return i;
  }

  template <Kind kKind>
  HWY_INLINE size_t StoreCells(const Shape::Entry* entries, size_t i,
                               size_t last, const uint8_t* base, uint32_t row,
                               column::Builder* builders, size_t* filled) {
    while (i < last &&
           cells_.StoreCell<kKind>(entries[i].index, base + entries[i].payload,
                                   entries[i].size, row, builders, filled)) {
      ++i;
    }
    return i;
  }

  // Makes groups of the chunks [number, end) that are wholly within the entries
  // [i, last).
  HWY_NOINLINE void Gather(const Shape& shape, size_t number, size_t end,
                           size_t i, size_t last) {
    for (; number < end; ++number) {
      const Shape::Chunk& chunk = shape.chunks()[number];
      if (!chunk.is_group || chunk.begin < i || chunk.end > last) continue;
      std::array<uint32_t, column::CellGroup::kMaxCells> slots;
      for (size_t k = chunk.begin; k < chunk.end; ++k) {
        slots[k - chunk.begin] = shape.entries()[k].index;
      }
      cells_.columns->Gather(static_cast<uint32_t>(number), chunk.begin,
                             std::span(slots).first(chunk.end - chunk.begin));
    }
  }

  // Returns the template that the entry at `p` matches, or kNoSlot.
  HWY_INLINE uint32_t FindTemplate(const uint8_t* p) {
    if (!HasShortHead(p)) return plan::kNoSlot;
    const uint32_t slot = SlotOf(p, cells_.program.probe());
    if (slot != plan::KeyProbe::kEmpty &&
        Matches(cells_.order->templates()[slot], p)) {
      return slot;
    }
    const uint32_t learnt = cells_.skip_unselected
                                ? cells_.order->Learn(p + 4, p[3])
                                : plan::kNoSlot;
    return learnt != plan::kNoSlot &&
                   Matches(cells_.order->templates()[learnt], p)
               ? learnt
               : plan::kNoSlot;
  }

  HWY_INLINE bool AddToShape(const uint8_t* p, const uint8_t* next,
                             Shape* shape) {
    using Payload = Shape::Payload;
    const uint32_t index = FindTemplate(p);
    if (index == plan::kNoSlot) {
      return shape->Add(0, p, next, 0, next, Kind::kNull, Payload::kCut);
    }
    const plan::EntryTemplate& entry = cells_.order->templates()[index];
    const uint8_t* const payload = p + entry.size;
    const size_t size = payload[-1];
    Payload verified = Payload::kAny;
    if (payload + size != next || (entry.kind == Kind::kFloat && size != 4)) {
      verified = Payload::kCut;
    } else if (entry.kind == Kind::kInt64) {
      verified = IsOneVarint(wire::LoadFixed64(payload), size)
                     ? Payload::kVarint
                     : Payload::kCut;
    }
    return shape->Add(index, p, std::min(payload, next), size, next, entry.kind,
                      verified);
  }

  // Rows per attempt to make groups, because making a group costs as much as it
  // saves in a few rows.
  static constexpr uint32_t kRowsOfGroups = 32;

  Cells& cells_;
  const uint32_t first_row_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRIES_IN_RUNS_INL_H_
