// Cells is shared by all ways to take entries (entry_reader-inl.h). It has the
// plan, the columns and the order of keys in earlier records; it stores values.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_CELLS_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_CELLS_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_CELLS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/entry_order.h"
#include "src/decode/example/value_reader-inl.h"
#include "src/plan/compile/entry_template.h"
#include "src/plan/compile/program.h"
#include "wire/cursor.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace kernel = wire::HWY_NAMESPACE;

struct Cells {
  Cells(const plan::Program& plan, bool skips_unselected,
        column::ColumnSet* column_set, EntryOrder* entry_order)
      : program(plan),
        skip_unselected(skips_unselected),
        columns(column_set),
        lists(column_set),
        order(entry_order) {}

  template <Kind kKind>
  static HWY_INLINE void StoreValue(uint8_t* values, size_t at,
                                    const uint8_t* payload, size_t size) {
    if constexpr (kKind == Kind::kFloat) {
      std::memcpy(values + at * 4, payload, 4);
    } else if constexpr (kKind == Kind::kBytes) {
      reinterpret_cast<std::string_view*>(values)[at] = {
          reinterpret_cast<const char*>(payload), size};
    } else {
      reinterpret_cast<uint64_t*>(values)[at] =
          kernel::FoldWord(wire::LoadFixed64(payload), size);
    }
  }

  // Returns false if the row already has the cell or there is no memory.
  template <Kind kKind>
  HWY_INLINE bool StoreCell(uint32_t slot, const uint8_t* payload, size_t size,
                            uint32_t row, column::Builder* builders,
                            size_t* filled) {
    column::Builder* const builder = builders + slot;
    if (HWY_UNLIKELY(!builder->IsOpen(row)) && !columns->Prepare(slot, 1)) {
      return false;
    }
    StoreValue<kKind>(builder->values, builder->count, payload, size);
    builder->Close(builder->count + 1, column::CellState::kTyped, row, filled);
    return true;
  }

  // Takes a run of numbers of a slot whose template has matched. Returns its
  // end, or null if it is left to the walk.
  HWY_NOINLINE const uint8_t* TakeList(uint32_t slot,
                                       const plan::EntryTemplate& entry,
                                       const uint8_t* payload, size_t size) {
    if (size == 0) return nullptr;
    return entry.kind == Kind::kFloat ? lists.TakeFloats(slot, payload, size)
                                      : lists.TakeInts(slot, payload, size);
  }

  // Steps over an entry of `size` bytes whose key is not in the plan, and
  // counts it. Returns the end of the entry, never null. All ways to take
  // entries step over them here.
  HWY_INLINE const uint8_t* StepOver(const uint8_t* entry, size_t size,
                                     uint64_t* skipped) {
    ++*skipped;
    return entry + size;
  }

  const plan::Program& program;
  // Skip entries whose key is not in the plan.
  const bool skip_unselected;
  column::ColumnSet* const columns;
  ValueReader lists;  // takes lists of values
  EntryOrder* const order;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_CELLS_INL_H_
