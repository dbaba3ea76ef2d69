// EntryReader takes map entries of Features, and decodes the entries in the
// form that writers use straight into the columns.
//
// A record of "age" = 48 and "name" = "Ada" is a run of two such entries:
//
//   0A 0C  0A 03 61 67 65     12 05  1A 03  0A 01  30
//   0A 0F  0A 04 6E 61 6D 65  12 07  0A 05  0A 03  41 64 61
//
//   0A L   0A K  key          12 V   kind F  0A P  payload
//
// An entry of L bytes holds a key of K bytes and a Feature of V bytes. The
// Feature holds one list of F bytes, whose tag shows the kind (0A bytes, 12
// float, 1A int64). The list holds one run of numbers, or one string, of P
// bytes.
//
// Nothing follows the Feature, the list or the run. So for one key and kind,
// every byte before the payload is known except for P, and for L, V and F,
// which are P plus a constant. These bytes are the template of a slot
// (src/plan/compile/entry_template.h). One comparison of vectors with the
// template of "age" verifies the 13 bytes before its payload: tags, key, kind
// and lengths. Only the payload is left to store.
//
// There are four ways to find the value of an entry, each in its own file:
//
//   entries_in_runs-inl.h    compares all bytes between the payloads of many
//                            entries with those of an earlier record that had
//                            the same keys and sizes
//   entries_in_order-inl.h   guesses the entry from earlier records, whose
//                            writer put the keys in the same order
//   entries_by_hash-inl.h    looks the entry up by a hash of its key, where
//                            guesses fail because the order of the keys varies
//   entries_by_fields-inl.h  reads an entry without a template field by field:
//                            long ones, lists of several strings, keys that
//                            are not in the plan
//
// EntryReader owns these four, and the Cells (cells-inl.h) through which they
// store values.
//
// Every other entry is left to the walk of walk-inl.h: fields in another order,
// repeated, unpacked or unknown; keys that the record already had; kinds that
// the plan does not expect; anything malformed. The walk is the specification:
// with and without EntryReader the rows are the same.
//
// Bytes of a mapped file may change between two loads. So a number that decides
// where or how much is written is loaded once and then used; and the end of an
// entry is compared with the end of the record every time, whatever an earlier
// load showed.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_READER_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_READER_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_READER_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_READER_INL_H_
#endif

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/cells-inl.h"
#include "src/decode/example/entries_by_fields-inl.h"
#include "src/decode/example/entries_by_hash-inl.h"
#include "src/decode/example/entries_in_order-inl.h"
#include "src/decode/example/entries_in_runs-inl.h"
#include "src/decode/example/entry_order.h"
#include "src/decode/example/entry_places.h"
#include "src/plan/compile/program.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {

class EntryReader {
 public:
  // With `skip_unselected`, entries whose key is not in the plan are skipped
  // without a look at their values, unless the program collects late features.
  EntryReader(const plan::Program& program, bool skip_unselected,
              column::ColumnSet* columns, EntryOrder* order)
      : cells_(program, skip_unselected && !program.collect_late(), columns,
               order),
        has_places_(program.slots().size() <= EntryPlaces::kMaxSlots) {}
  // The parts of an EntryReader refer to one another.
  EntryReader(const EntryReader&) = delete;
  EntryReader& operator=(const EntryReader&) = delete;

  void StartRecord() {
    cells_.order->StartRecord();
    look_ups_left_ = has_places_ ? kMaxLookUps : 0;
  }

  // Takes entries from `p` on. Returns the first entry that is left to the
  // walk, or `end`. A result after `end` means that bytes have changed during
  // the call, and the row is invalid. Needs 64 readable bytes after `end`.
  const uint8_t* Take(const uint8_t* p, const uint8_t* const end) {
    const bool looks_up = !EntryOrder::MayGuess(cells_.order->position) ||
                          cells_.order->shape.is_scattered();
    const uint8_t* next;
    if (!looks_up || look_ups_left_ == 0) {
      next = in_order_.Take(p, end);
    } else {
      --look_ups_left_;
      if (cells_.order->shape.is_scattered()) cells_.order->shape.NoteLookUp();
      next = by_hash_.Take(p, end);
      if (HWY_UNLIKELY(next == nullptr)) {
        look_ups_left_ = 0;
        next = p;
      }
    }
    cells_.order->trace.general += next != end;
    return next;
  }

  // Takes steps of a feature list, whose values have the column's kind. Each
  // step is `0A S kind F list`: S is its length, the rest is as above. Returns
  // the first step that is left to the walk, or `end`.
  const uint8_t* TakeSteps(column::Builder* builder, const uint8_t* p,
                           const uint8_t* const end) {
    switch (builder->kind) {
      case Kind::kBytes:
        return TakeStepsOf<Kind::kBytes>(builder, p, end);
      case Kind::kFloat:
        return TakeStepsOf<Kind::kFloat>(builder, p, end);
      default:
        assert(builder->kind == Kind::kInt64);
        return TakeStepsOf<Kind::kInt64>(builder, p, end);
    }
  }

 private:
  template <Kind kKind>
  HWY_INLINE const uint8_t* TakeStepsOf(column::Builder* builder,
                                        const uint8_t* p,
                                        const uint8_t* const end) {
    while (true) {
      const size_t steps = builder->steps;
      p = cells_.lists.TakeShortSteps<kKind>(builder, p, end);
      cells_.order->trace.short_steps += builder->steps - steps;
      if (p == end) return p;
      const uint8_t* const next = cells_.lists.TakeStep(builder, p, end);
      if (next == nullptr) return p;
      p = next;
    }
  }

  // Maximum calls of EntriesByHash per record. Each call ends with a look at
  // all slots, so it must not be called for every entry.
  static constexpr int kMaxLookUps = 4;

  Cells cells_;
  EntriesByFields by_fields_{cells_};
  EntriesByHash by_hash_{cells_, by_fields_};
  EntriesInRuns in_runs_{cells_};
  EntriesInOrder in_order_{cells_, by_fields_, in_runs_};
  const bool has_places_;
  int look_ups_left_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_READER_INL_H_
