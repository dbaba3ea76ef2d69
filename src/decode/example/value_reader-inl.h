// ValueReader decodes lists of values, in the form that writers use, into a
// column. It is for lists that are large or rare; entries_in_order-inl.h and
// entries_by_hash-inl.h take single values themselves. Its functions return the
// end of the list. If they leave the list to the walk, they return null, and
// the column has no new values.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_VALUE_READER_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_VALUE_READER_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_VALUE_READER_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_VALUE_READER_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "headrace/types.h"
#include "hwy/highway.h"
#include "src/decode/column/column_set.h"
#include "src/decode/example/entry_match-inl.h"
#include "wire/packed_varint-inl.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace kernel = wire::HWY_NAMESPACE;

// Copies `size` bytes; may read and write up to a chunk more. So one branch on
// the number of chunks is enough for most lists, whereas memcpy has a branch
// for each class of sizes.
HWY_INLINE void CopyWithSlack(uint8_t* HWY_RESTRICT to,
                              const uint8_t* HWY_RESTRICT from, size_t size) {
  constexpr size_t kChunk = 64;  // at most the slack of `to` and of `from`
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

class ValueReader {
 public:
  using Builder = column::Builder;
  using CellState = column::CellState;

  explicit ValueReader(column::ColumnSet* columns) : columns_(columns) {}

  // These functions take the list of a cell: one run of numbers, or strings up
  // to `end`.
  const uint8_t* TakeFloats(uint32_t slot, const uint8_t* payload,
                            size_t size) {
    if (size % 4 != 0) return nullptr;
    Builder* const builder = OpenFor(slot, size / 4);
    if (builder == nullptr) return nullptr;
    std::memcpy(builder->values + builder->count * 4, payload, size);
    columns_->ClosePrepared(builder, builder->count + size / 4);
    return payload + size;
  }

  const uint8_t* TakeInts(uint32_t slot, const uint8_t* payload, size_t size) {
    Builder* const builder = columns_->builders() + slot;
    const wire::Span run{payload, size};
    const bool is_taken =
        HWY_LIKELY(builder->next_row == columns_->num_rows() &&
                   size < builder->capacity - builder->count)
            ? AppendFitting(builder, run)
            : columns_->Prepare(slot, 0) && AppendCounted(builder, run);
    if (!is_taken) return nullptr;
    columns_->ClosePrepared(builder, builder->count);
    return payload + size;
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
    columns_->ClosePrepared(builder, builder->count);
    return end;
  }

  // Takes a Feature that has no list, or whose list has no values.
  const uint8_t* TakeEmpty(uint32_t slot, CellState state,
                           const uint8_t* entry_end) {
    if (columns_->HasCell(columns_->builder(slot))) return nullptr;
    Builder* const builder = columns_->EnterCell(slot);
    if (builder == nullptr) return nullptr;
    columns_->LeaveCell(builder, state);
    return entry_end;
  }

  // Takes steps whose lengths have one byte and that hold one string, one
  // number of up to eight bytes, or floats, while the column has room. Returns
  // where the first other step begins, or `end`.
  //
  // Such a step is 0A P+4 kind P+2 0A P payload, so one comparison verifies
  // everything before the payload.
  template <Kind kKind>
  HWY_INLINE const uint8_t* TakeShortSteps(Builder* builder, const uint8_t* p,
                                           const uint8_t* end) {
    constexpr uint64_t kTag = static_cast<uint64_t>(kKind) << 3 | 2;
    constexpr uint64_t kHead =
        0x0A | 0x04 << 8 | kTag << 16 | 0x02 << 24 | uint64_t{0x0A} << 32;
    constexpr uint64_t kLengths = 1 << 8 | 1 << 24 | uint64_t{1} << 40;
    constexpr size_t kHeadBytes = 6;
    constexpr uint64_t kMaxPayload = 0x7F - 4;
    const size_t first = builder->steps;
    size_t count = builder->count, steps = first;
    for (; steps < builder->step_capacity; ++steps) {
      const uint64_t head = wire::LoadFixed64(p) & 0xFFFFFFFFFFFF;
      const size_t size = head >> 40;
      const uint8_t* const payload = p + kHeadBytes;
      if (size > kMaxPayload || head != kHead + size * kLengths ||
          payload + size > end ||
          !TakeShort<kKind>(builder, payload, size, &count)) {
        break;
      }
      builder->step_offsets[steps + 1] = static_cast<int32_t>(count);
      p = payload + size;
    }
    if (steps == first) return p;
    std::memset(builder->step_valid + first, 1, steps - first);
    builder->count = count;
    builder->steps = steps;
    return p;
  }

  // Takes one step and returns its end; null if the walk must take it.
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

 private:
  // Returns null if the row already has the cell or there is no room for its
  // values.
  Builder* OpenFor(uint32_t slot, size_t more) {
    Builder* const builder = columns_->builders() + slot;
    if (builder->next_row == columns_->num_rows() &&
        more <= builder->capacity - builder->count) {
      return builder;
    }
    return columns_->Prepare(slot, more) ? builder : nullptr;
  }

  template <Kind kKind>
  HWY_INLINE bool TakeShort(Builder* builder, const uint8_t* payload,
                            size_t size, size_t* count) {
    const size_t values = kKind == Kind::kFloat ? size / 4 : 1;
    if (values > builder->capacity - *count) return false;
    if constexpr (kKind == Kind::kFloat) {
      if (size % 4 != 0) return false;
      CopyWithSlack(builder->values + *count * 4, payload, size);
    } else if constexpr (kKind == Kind::kBytes) {
      reinterpret_cast<std::string_view*>(builder->values)[*count] = {
          reinterpret_cast<const char*>(payload), size};
    } else {
      const uint64_t word = wire::LoadFixed64(payload);
      if (!IsOneVarint(word, size)) return false;
      reinterpret_cast<uint64_t*>(builder->values)[*count] =
          kernel::FoldWord(word, size);
    }
    *count += values;
    return true;
  }

  // Appends a list that is one run, 0A P payload, or empty.
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
    const uint64_t word = wire::LoadFixed64(p);
    if (IsOneVarint(word, size)) {
      if (!columns_->Reserve(builder, 1)) return false;
      reinterpret_cast<uint64_t*>(builder->values)[builder->count++] =
          kernel::FoldWord(word, size);
      return true;
    }
    return HWY_LIKELY(size <= builder->capacity - builder->count)
               ? AppendFitting(builder, {p, size})
               : AppendCounted(builder, {p, size});
  }

  // If there is room for one value per byte, the values need not be counted.
  HWY_INLINE bool AppendFitting(Builder* builder, wire::Span run) {
    size_t count;
    if (kernel::DecodeVarints(run, NextInt(builder), &count) !=
        wire::Fault::kNone) {
      return false;
    }
    builder->count += count;
    return true;
  }
  HWY_NOINLINE bool AppendCounted(Builder* builder, wire::Span run) {
    size_t count;
    if (kernel::CountVarints(run, &count) != wire::Fault::kNone ||
        !columns_->Reserve(builder, count) ||
        kernel::DecodeCounted(run, builder->capacity - builder->count,
                              NextInt(builder), &count) != wire::Fault::kNone) {
      return false;
    }
    builder->count += count;
    return true;
  }
  static int64_t* NextInt(Builder* builder) {
    return reinterpret_cast<int64_t*>(builder->values) + builder->count;
  }

  // Appends strings, each of them 0A n bytes.
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

  column::ColumnSet* const columns_;
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_VALUE_READER_INL_H_
