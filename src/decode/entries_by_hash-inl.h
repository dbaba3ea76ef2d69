// EntriesByHash takes entries of records that have their keys in any order, by
// looking their slots up.
//
// A block of entries is looked up before the first of them is taken: loads
// limit how much a processor can begin, and one loop for both tasks has twice
// as many, and waits twice as long. Values that stand alone are then stored
// without a branch on their kind or width, since the next may have any.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_ENTRIES_BY_HASH_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_ENTRIES_BY_HASH_INL_H_
#undef HEADRACE_SRC_DECODE_ENTRIES_BY_HASH_INL_H_
#else
#define HEADRACE_SRC_DECODE_ENTRIES_BY_HASH_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "hwy/highway.h"
#include "src/column/column_set.h"
#include "src/decode/entries_by_fields-inl.h"
#include "src/decode/entry_match-inl.h"
#include "src/decode/entry_order.h"
#include "src/plan/entry_template.h"
#include "src/plan/program.h"
#include "wire/cursor.h"
#include "wire/packed_varint-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace kernel = wire::HWY_NAMESPACE;

class EntriesByHash : protected EntriesByFields {
 protected:
  using EntriesByFields::EntriesByFields;

  // The contract is that of EntryReader::Take.
  template <bool kHasDense>
  HWY_INLINE const uint8_t* TakeByHash(const uint8_t* p, const uint8_t* end) {
    uint16_t slots[kBlock + 1];
    const uint8_t* next;
    for (; p < end; p = next) {
      const uint8_t* block_end = p;
      const size_t size = LookUp(end, slots, &block_end);
      if (size == 0) {
        next = TakeByFields(plan::KeyProbe::kEmpty, p, end).next;
        if (HWY_UNLIKELY(next == nullptr)) return p;
        continue;
      }
      for (size_t i = 0; i != size; p = next, ++i) {
        if (slots[i] != plan::KeyProbe::kEmpty) {
          i += TakeBlock<kHasDense>(slots + i, block_end, &p);
          next = p;
          if (i == size || p >= block_end) break;
        }
        next = TakeByFields(slots[i], p, end).next;
        if (HWY_UNLIKELY(next == nullptr)) return p;
      }
    }
    return p;
  }

 private:
  using Template = plan::EntryTemplate;
  using Builder = column::Builder;

  static constexpr size_t kBlock = 32;

  // Gives the slots of the entries from `*block_end` on whose lengths have one
  // byte, then kEmpty. `*block_end` becomes the end of the last one.
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

  // Takes entries that have these slots, from `begin` up to `block_end`, while
  // they match their templates and hold one value or a run of numbers. Returns
  // how many. If the bytes have changed since LookUp, the last may end behind
  // `block_end`.
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
      // Kinds come in no order, so a branch on the kind would often be wrong.
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
      if (HWY_UNLIKELY(!builder->IsOpen(row)) && !columns_->Prepare(slot, 1)) {
        break;
      }
      // A string_view's size is written even for a number, which needs less:
      // every array has slack behind it.
      const std::string_view text(reinterpret_cast<const char*>(payload), size);
      uint64_t value[2] = {};
      std::memcpy(value, &text, sizeof(text));
      const uint64_t bits = entry.value_bits;
      value[0] =
          (value[0] & ((bits & 1) - 1)) | kernel::ExtractBits(word, size, bits);
      const size_t count = builder->count;
      std::memcpy(builder->values + (count << entry.size_log2), value,
                  sizeof(value));
      size_t is_filled = 0;
      builder->Close<column::Closing::kBlindly>(count + 1, CellState::kTyped,
                                                row, &is_filled);
      if (kHasDense) filled += is_filled;
      p = payload + size;
    }
    columns_->AddFilled(filled);
    order_->trace.by_template += i;
    *begin = p;
    return i;
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_ENTRIES_BY_HASH_INL_H_
