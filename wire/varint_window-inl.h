// Decodes one window of a run of varints, for the SIMD target it is compiled
// for. Only packed_varint-inl.h includes this file; its head explains windows.
//
// Continuation bits show where every value begins and ends. So the first eight
// bytes of several values are loaded side by side into the lanes of a vector,
// and each lane is finished whatever its length:
//
//   stop = ~x & 0x80..80         the top bits of bytes that end a value
//   x &= (stop - 1) & 0x7F..7F   groups up to the first of them
//
// Subtracting one sets all bits below the lowest set bit and clears that bit;
// the bits above it are top bits, which the mask drops. Without a stop all
// groups stay: the value has nine or ten bytes, and the last two are added.
// Groups of 7 bits become one number in three steps: 8 to 16 to 32 to 64 bits.

#if defined(HEADRACE_WIRE_VARINT_WINDOW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_WIRE_VARINT_WINDOW_INL_H_
#undef HEADRACE_WIRE_VARINT_WINDOW_INL_H_
#else
#define HEADRACE_WIRE_VARINT_WINDOW_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "wire/cursor.h"

#undef HEADRACE_VARINT_AVX512
#undef HEADRACE_VARINT_MADD
#undef HEADRACE_VARINT_VECTORS
#define HEADRACE_VARINT_AVX512 (HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX3_DL)
// Vectors that Highway emulates are three times slower than words.
#define HEADRACE_VARINT_VECTORS \
  (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)
#define HEADRACE_VARINT_MADD (HWY_ARCH_X86_64 && HWY_TARGET <= HWY_SSSE3)
#if HWY_ARCH_X86
#include <immintrin.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace headrace::wire {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HEADRACE_VARINT_AVX512

// Permutes the window's 64 bytes; the indices are the compressed places of the
// bytes that begin a value. This takes 0.47 of the other decoder's time where
// values have one or two bytes, and 0.85 where all have ten (Zen 4).
class WindowDecoder {
 public:
  // Bit i of `ends` is set if byte i of the window at `p` ends a value.
  HWY_INLINE WindowDecoder(const uint8_t* p, uint64_t ends)
      : ends_(ends),
        window_(_mm512_loadu_si512(p)),
        places_(_mm512_maskz_compress_epi8(ends << 1 | 1, Iota())) {}

  // These functions write the `count` values of the window, and may write up to
  // 64. DecodeShort is for values of up to four bytes.
  HWY_INLINE void DecodeShort(size_t count, int64_t* HWY_RESTRICT out) const {
    // An extra round costs less than a mispredicted branch on `count`: so up to
    // 24 values take two rounds even if one would do, and up to 47 take three.
    // Values of two bytes, of which there are 32, never need the third.
    const bool is_pairs = ends_ == 0xAAAAAAAAAAAAAAAAu;
    if (count < 48 && !is_pairs) count = count > 24 ? 48 : 32;
    for (size_t i = 0; i < count; i += 16) {
      const __m512i x = Place(Quarters(), i, _mm512_set1_epi32(0x03020100));
      const __m512i stop = _mm512_andnot_si512(x, _mm512_set1_epi32(kStop32));
      const __m512i keep =
          _mm512_and_si512(_mm512_sub_epi32(stop, _mm512_set1_epi32(1)),
                           _mm512_set1_epi32(kGroups32));
      const __m512i folded = Fold32(_mm512_and_si512(x, keep));
      _mm512_storeu_si512(
          out + i, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(folded)));
      _mm512_storeu_si512(
          out + i + 8,
          _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(folded, 1)));
    }
  }
  // For values of up to eight bytes.
  HWY_INLINE void DecodeMedium(size_t count, int64_t* HWY_RESTRICT out) const {
    for (size_t i = 0; i < count; i += 8) {
      __m512i stop;
      _mm512_storeu_si512(out + i, Low56(i, &stop));
    }
  }
  // For values of up to ten bytes.
  HWY_INLINE void DecodeLong(size_t count, int64_t* HWY_RESTRICT out) const {
    for (size_t i = 0; i < count; i += 8) {
      __m512i stop;
      const __m512i low = Low56(i, &stop);
      // Each lane begins with bytes 8 and 9 of its value.
      const __m512i last = Place(Eighths(), i, _mm512_set1_epi64(0x0908));
      const __mmask8 has_more = _mm512_testn_epi64_mask(stop, stop);
      const __m512i ninth = _mm512_slli_epi64(
          _mm512_and_si512(last, _mm512_set1_epi64(0x7F)), 56);
      // The tenth byte counts where the ninth has its continuation bit.
      const __m512i tenth =
          _mm512_slli_epi64(_mm512_and_si512(_mm512_srli_epi64(last, 8),
                                             _mm512_srli_epi64(last, 7)),
                            63);
      _mm512_storeu_si512(out + i,
                          _mm512_mask_or_epi64(low, has_more, low,
                                               _mm512_or_si512(ninth, tenth)));
    }
  }

 private:
  static constexpr int kStop32 = static_cast<int>(0x80808080u);
  static constexpr int kGroups32 = 0x7F7F7F7F;

  static HWY_INLINE __m512i Iota() {
    alignas(64) static constexpr uint8_t kIota[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    return _mm512_load_si512(kIota);
  }
  // Byte i is i / 4 in Quarters, i / 8 in Eighths.
  static HWY_INLINE __m512i Quarters() {
    return _mm512_and_si512(_mm512_srli_epi32(Iota(), 2),
                            _mm512_set1_epi8(0x0F));
  }
  static HWY_INLINE __m512i Eighths() {
    return _mm512_and_si512(_mm512_srli_epi32(Iota(), 3),
                            _mm512_set1_epi8(0x07));
  }

  // Byte i of the result is the window's byte at offsets[i] from the place of
  // value first + spread[i].
  HWY_INLINE __m512i Place(__m512i spread, size_t first,
                           __m512i offsets) const {
    const __m512i values =
        _mm512_add_epi8(spread, _mm512_set1_epi8(static_cast<char>(first)));
    const __m512i places = _mm512_permutexvar_epi8(values, places_);
    return _mm512_permutexvar_epi8(_mm512_add_epi8(places, offsets), window_);
  }

  static HWY_INLINE __m512i Fold32(__m512i groups) {
    // The groups are the signed factor, as 128 does not fit a signed byte.
    const __m512i pairs = _mm512_maddubs_epi16(
        _mm512_set1_epi16(static_cast<int16_t>(0x8001)), groups);
    return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x40000001));
  }

  HWY_INLINE __m512i Low56(size_t first, __m512i* stop) const {
    const __m512i x =
        Place(Eighths(), first, _mm512_set1_epi64(0x0706050403020100));
    *stop = _mm512_andnot_si512(x, _mm512_set1_epi32(kStop32));
    const __m512i keep =
        _mm512_and_si512(_mm512_sub_epi64(*stop, _mm512_set1_epi64(1)),
                         _mm512_set1_epi32(kGroups32));
    const __m512i halves = Fold32(_mm512_and_si512(x, keep));
    // The upper 28 bits are four places too high.
    return _mm512_or_si512(
        _mm512_and_si512(halves, _mm512_set1_epi64(0x0FFFFFFF)),
        _mm512_srli_epi64(
            _mm512_andnot_si512(_mm512_set1_epi64(0xFFFFFFFF), halves), 4));
  }

  const uint64_t ends_;
  const __m512i window_;
  const __m512i places_;
};

#elif HEADRACE_VARINT_VECTORS

// Finds values by walking over the bits of `ends`, and loads one per lane.
class WindowDecoder {
 public:
  HWY_INLINE WindowDecoder(const uint8_t* p, uint64_t ends)
      : p_(p), ends_(ends) {}

  HWY_INLINE void DecodeShort(size_t count, int64_t* HWY_RESTRICT out) const {
    Decode</*kLong=*/false>(count, out);
  }
  HWY_INLINE void DecodeMedium(size_t count, int64_t* HWY_RESTRICT out) const {
    Decode</*kLong=*/false>(count, out);
  }
  HWY_INLINE void DecodeLong(size_t count, int64_t* HWY_RESTRICT out) const {
    Decode</*kLong=*/true>(count, out);
  }

 private:
  static constexpr size_t kLanes =
      HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 ? 4 : 2;
  using D = hn::FixedTag<uint64_t, kLanes>;
  using V = hn::Vec<D>;

  template <bool kLong>
  HWY_INLINE void Decode(size_t count, int64_t* HWY_RESTRICT out) const {
    const D d;
    uint64_t starts = ends_ << 1 | 1;
    for (size_t i = 0; i < count; i += kLanes) {
      const uint8_t* values[kLanes];
      for (size_t lane = 0; lane < kLanes; ++lane) {
        values[lane] = p_ + PlaceOfFirst(starts);
        starts &= starts - 1;
      }
      const V x = Gather(values, 0);
      const V stop = hn::AndNot(x, Bytes(0x80));
      const V keep = hn::And(hn::Sub(stop, hn::Set(d, 1)), Bytes(0x7F));
      V value = FoldGroups(hn::And(x, keep));
      if constexpr (kLong) {
        const V rest = Gather(values, 8);
        const V ninth =
            hn::ShiftLeft<56>(hn::And(rest, hn::Set(d, uint64_t{0x7F})));
        // The tenth byte counts where the ninth has its continuation bit.
        const V tenth = hn::ShiftLeft<63>(
            hn::And(hn::ShiftRight<8>(rest), hn::ShiftRight<7>(rest)));
        const auto has_more = hn::Eq(stop, hn::Zero(d));
        value =
            hn::Or(value, hn::IfThenElseZero(has_more, hn::Or(ninth, tenth)));
      }
      hn::StoreU(hn::BitCast(hn::RebindToSigned<D>(), value),
                 hn::RebindToSigned<D>(), out + i);
    }
  }

  // Returns the place of the lowest bit. After the last value no bit is set;
  // the result is then 0, a byte that may always be read, without a branch that
  // nothing could predict.
  static HWY_INLINE size_t PlaceOfFirst(uint64_t starts) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
    // Values of one to four bytes take 11 % longer with std::countr_zero.
    return _tzcnt_u64(starts) & 63;
#else
    return static_cast<size_t>(std::countr_zero(starts) & 63);
#endif
  }

  static HWY_INLINE V Bytes(uint64_t byte) {
    return hn::Set(D(), byte * 0x0101010101010101u);
  }

  // Loads eight bytes of a value into each lane, from `offset` on.
  static HWY_INLINE V Gather(const uint8_t* const* values, size_t offset) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    // Two of the loads are part of moves; through Combine a decode takes 5 %
    // more instructions.
    const auto load2 = [=](size_t i) HWY_ATTR {
      const __m128d low = _mm_castsi128_pd(_mm_loadl_epi64(
          reinterpret_cast<const __m128i*>(values[i] + offset)));
      return _mm_castpd_si128(_mm_loadh_pd(
          low, reinterpret_cast<const double*>(values[i + 1] + offset)));
    };
    return V{
        _mm256_inserti128_si256(_mm256_castsi128_si256(load2(0)), load2(2), 1)};
#else
    const hn::Half<D> half;
    const hn::Repartition<uint8_t, decltype(half)> bytes;
    const auto low = hn::LoadU(bytes, values[0] + offset);
    const auto high = hn::LoadU(bytes, values[1] + offset);
    return hn::Combine(D(), hn::BitCast(half, high), hn::BitCast(half, low));
#endif
  }

  // Joins eight bytes of 7 bits each to one number of 56 bits.
  static HWY_INLINE V FoldGroups(V groups) {
#if HEADRACE_VARINT_MADD
    const V halves = FoldHalves(groups);
#else
    const V halves =
        Close<2>(Close<1>(groups, 0x007F007F007F007Fu), 0x00003FFF00003FFFu);
#endif
    return Close<4>(halves, 0x0FFFFFFFu);
  }

  // Closes a gap: bits that are not in `low` move down by kGap.
  template <int kGap>
  static HWY_INLINE V Close(V x, uint64_t low) {
    const V mask = hn::Set(D(), low);
    return hn::Or(hn::And(x, mask), hn::ShiftRight<kGap>(hn::AndNot(mask, x)));
  }

#if HEADRACE_VARINT_MADD
  // Multiplying is a tenth faster than closing gaps (SSE4 and AVX2, Zen 4).
  static HWY_INLINE V FoldHalves(V groups) {
    // The groups are the signed factor, as 128 does not fit a signed byte.
#if HWY_TARGET > HWY_AVX2
    const __m128i pairs = _mm_maddubs_epi16(
        _mm_set1_epi16(static_cast<int16_t>(0x8001)), groups.raw);
    return V{_mm_madd_epi16(pairs, _mm_set1_epi32(0x40000001))};
#else
    const __m256i pairs = _mm256_maddubs_epi16(
        _mm256_set1_epi16(static_cast<int16_t>(0x8001)), groups.raw);
    return V{_mm256_madd_epi16(pairs, _mm256_set1_epi32(0x40000001))};
#endif
  }
#endif

  const uint8_t* p_;
  const uint64_t ends_;
};

#endif

}  // namespace HWY_NAMESPACE
}  // namespace headrace::wire
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_WIRE_VARINT_WINDOW_INL_H_
