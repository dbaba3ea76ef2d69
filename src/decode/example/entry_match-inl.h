// These functions compare the bytes of a map entry of Features with a template,
// and find the ends of the entry's fields. They do not use columns.
//
// All of them need 64 readable bytes after the record.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_MATCH_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_MATCH_INL_H_
#undef HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_MATCH_INL_H_
#else
#define HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_MATCH_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "src/plan/compile/entry_template.h"
#include "src/plan/compile/key_table.h"
#include "wire/cursor.h"
#include "wire/utf8.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::decode {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// True if the entry begins with 0A L 0A K, with one byte for each length.
HWY_INLINE bool HasShortHead(const uint8_t* p) {
  return (wire::LoadFixed32(p) & 0x80FF80FF) == 0x000A000A;
}

// True if the entry at `p` begins with the template's head for P = `inner`. The
// caller must check that L is one byte, less than 0x80: `inner` may be any
// number, but sums saturate, so a number that is too large never yields such an
// L. Reads kTemplateBytes.
HWY_INLINE bool Matches(const plan::EntryTemplate& entry, const uint8_t* p,
                        size_t inner) {
  const hn::CappedTag<uint8_t, plan::kTemplateBytes> d;
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  // Loads are the bottleneck of look-ups; masks in mask registers need none.
  const __mmask32 care = _cvtu32_mask32(entry.care_bits);
  const __mmask32 lengths = _cvtu32_mask32(entry.length_bits);
  const __m256i head = hn::Load(d, entry.head).raw;
  const __m256i expected = _mm256_mask_adds_epu8(
      head, lengths, head, _mm256_set1_epi8(static_cast<char>(inner)));
  return _cvtmask32_u32(_mm256_mask_cmpneq_epi8_mask(care, hn::LoadU(d, p).raw,
                                                     expected)) == 0;
#else
  const plan::EntryMask& mask = plan::kEntryMasks.of[entry.mask];
  const auto added = hn::Set(d, static_cast<uint8_t>(inner));
  auto differences = hn::Zero(d);
  for (size_t i = 0; i < plan::kTemplateBytes; i += hn::Lanes(d)) {
    const auto expected =
        hn::SaturatedAdd(hn::Load(d, entry.head + i),
                         hn::And(added, hn::Load(d, mask.lengths + i)));
    const auto differing = hn::Xor(hn::LoadU(d, p + i), expected);
    differences =
        hn::Or(differences, hn::And(differing, hn::Load(d, mask.care + i)));
  }
  return hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)));
#endif
}
HWY_INLINE bool Matches(const plan::EntryTemplate& entry, const uint8_t* p) {
  return Matches(entry, p, p[entry.size - 1]);
}

HWY_INLINE uint64_t LastBytes(const uint8_t* key, size_t size) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
  const size_t begin = size > 8 ? size - 8 : 0;
  return _bzhi_u64(wire::LoadFixed64(key + begin),
                   static_cast<unsigned>(8 * (size - begin)));
#else
  return plan::LastBytes(key, size);
#endif
}

// Returns the only slot that may match the entry at `p`; any value, even
// kEmpty, if no slot matches.
HWY_INLINE uint32_t SlotOf(const uint8_t* p, const plan::KeyProbe& probe) {
  const size_t key_size = p[3];
  if (HWY_UNLIKELY(key_size > plan::kTemplateBytes)) {
    return plan::KeyProbe::kEmpty;
  }
  return HWY_LIKELY(probe.goes_by_last_bytes())
             ? probe.FindByLastBytes(LastBytes(p + 4, key_size))
             : probe.FindByHash(p + 4, key_size);
}

// True if the template is for the key at `p`. Compares its tag and length, too:
// 0A K. Reads kTemplateBytes.
HWY_INLINE bool HasKeyOf(const plan::EntryTemplate& entry, const uint8_t* p) {
  const hn::CappedTag<uint8_t, plan::kTemplateBytes> d;
  // Loads from here also read the template's bytes after its head.
  const uint8_t* const expected = entry.head + 2;
  const size_t size = size_t{2} + entry.head[3];
  bool is_same = true;
  for (size_t i = 0; i < size; i += hn::Lanes(d)) {
    const auto differs =
        hn::Ne(hn::LoadU(d, p + i), hn::LoadU(d, expected + i));
    is_same &= hn::AllFalse(d, hn::And(differs, hn::FirstN(d, size - i)));
  }
  return is_same;
}

// True if the run of `size` bytes is one varint of up to eight bytes.
HWY_INLINE bool IsOneVarint(uint64_t word, size_t size) {
  const uint64_t ends = ~word & 0x8080808080808080u;
  return static_cast<size_t>(std::countr_zero(ends)) + 1 == size * 8;
}

// True if the key is UTF-8. ASCII keys are; only other bytes need the slow
// check.
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

// Reads a length and returns its end; null if the length has more than three
// bytes or is cut. Entries of 2 MiB and more are not worth a fast path.
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

// Returns the content of a field with this tag that ends at `end`; null if the
// bytes are anything else.
HWY_INLINE const uint8_t* ReadWhole(const uint8_t* p, const uint8_t* end,
                                    uint8_t tag) {
  size_t size;
  if (p == end || *p != tag) return nullptr;
  p = ReadShortLength(p + 1, end, &size);
  return p != nullptr && size == static_cast<size_t>(end - p) ? p : nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::decode
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_ENTRY_MATCH_INL_H_
