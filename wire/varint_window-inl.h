// The values of one window of a run of varints, for the SIMD target it is
// compiled for. Included by packed_varint-inl.h alone, which says how windows
// are made.
//
// A window's continuation bits tell where every value begins and ends, so the
// first eight bytes of several values are put side by side in the lanes of a
// vector, and each lane is finished without a look at its length:
//
//   stop = ~x & 0x80..80         the top bits of bytes that end a value
//   x &= (stop - 1) & 0x7F..7F   groups up to the first of them
//
// Subtracting one turns all bits below the lowest set bit on; what is above
// has only top bits, which the mask drops. Without any stop everything stays:
// then the value has nine or ten bytes, whose last two are added. Groups of 7
// bits become one number by multiplying: 8 to 16 to 32 bits, then a shift.

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
#undef HEADRACE_VARINT_LANES
#define HEADRACE_VARINT_AVX512 0
#define HEADRACE_VARINT_LANES 0
#if HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX3_DL
#undef HEADRACE_VARINT_AVX512
#define HEADRACE_VARINT_AVX512 1
#elif HWY_ARCH_X86_64 && (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2)
#undef HEADRACE_VARINT_LANES
#define HEADRACE_VARINT_LANES 4
#elif HWY_ARCH_X86_64 && HWY_TARGET == HWY_SSE4
#undef HEADRACE_VARINT_LANES
#define HEADRACE_VARINT_LANES 2
#endif
#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace headrace::wire {
namespace HWY_NAMESPACE {

#if HEADRACE_VARINT_AVX512

// Values are found in the 64 bytes by permuting them: the places of the bytes
// that begin a value, compressed, are the indices.
class WindowDecoder {
 public:
  // The window at `p`; bit i of `ends` is set where byte i ends a value.
  HWY_INLINE WindowDecoder(const uint8_t* p, uint64_t ends)
      : ends_(ends),
        window_(_mm512_loadu_si512(p)),
        places_(_mm512_maskz_compress_epi8(ends << 1 | 1, Iota())) {}

  // Each writes the `count` values of the window, and up to 64 in all.
  // Values of up to four bytes:
  HWY_INLINE void DecodeShort(size_t count, int64_t* HWY_RESTRICT out) const {
    // A round more costs less than to guess wrong whether there is one: two
    // where one might do, and three where there are about 32; but for values of
    // two bytes there never is a third.
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
  // Of up to eight bytes:
  HWY_INLINE void DecodeMedium(size_t count, int64_t* HWY_RESTRICT out) const {
    for (size_t i = 0; i < count; i += 8) {
      __m512i stop;
      _mm512_storeu_si512(out + i, Low56(i, &stop));
    }
  }
  // Of up to ten bytes:
  HWY_INLINE void DecodeLong(size_t count, int64_t* HWY_RESTRICT out) const {
    for (size_t i = 0; i < count; i += 8) {
      __m512i stop;
      const __m512i low = Low56(i, &stop);
      // Bytes 8 and 9 in the lowest of each lane.
      const __m512i last = Place(Eighths(), i, _mm512_set1_epi64(0x0908));
      const __mmask8 has_more = _mm512_testn_epi64_mask(stop, stop);
      const __m512i ninth = _mm512_slli_epi64(
          _mm512_and_si512(last, _mm512_set1_epi64(0x7F)), 56);
      // The tenth counts where the ninth has its continuation bit.
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
  // Byte i / 4, and byte i / 8, of a vector.
  static HWY_INLINE __m512i Quarters() {
    return _mm512_and_si512(_mm512_srli_epi32(Iota(), 2),
                            _mm512_set1_epi8(0x0F));
  }
  static HWY_INLINE __m512i Eighths() {
    return _mm512_and_si512(_mm512_srli_epi32(Iota(), 3),
                            _mm512_set1_epi8(0x07));
  }

  // Bytes of the window, from the place of value first + spread[i] on.
  HWY_INLINE __m512i Place(__m512i spread, size_t first,
                           __m512i offsets) const {
    const __m512i values =
        _mm512_add_epi8(spread, _mm512_set1_epi8(static_cast<char>(first)));
    const __m512i places = _mm512_permutexvar_epi8(values, places_);
    return _mm512_permutexvar_epi8(_mm512_add_epi8(places, offsets), window_);
  }

  static HWY_INLINE __m512i Fold32(__m512i groups) {
    // The groups are the signed factor, for 128 is none.
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
    // The upper 28 bits lie four too high.
    return _mm512_or_si512(
        _mm512_and_si512(halves, _mm512_set1_epi64(0x0FFFFFFF)),
        _mm512_srli_epi64(
            _mm512_andnot_si512(_mm512_set1_epi64(0xFFFFFFFF), halves), 4));
  }

  const uint64_t ends_;
  const __m512i window_;
  const __m512i places_;
};

#elif HEADRACE_VARINT_LANES > 0

// Values are found by walking over the bits of `ends`, and loaded one a lane.
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
  static constexpr size_t kLanes = HEADRACE_VARINT_LANES;

  // Of the lowest bit. Behind the last value there is none: then the first
  // byte, which may always be read. No branch, which could not be predicted.
  static HWY_INLINE size_t PlaceOfFirst(uint64_t starts) {
#if HEADRACE_VARINT_LANES == 4
    return _tzcnt_u64(starts) & 63;
#else
    return static_cast<size_t>(__builtin_ctzll(starts | uint64_t{starts == 0}));
#endif
  }

  static HWY_INLINE __m128i Load2(const uint8_t* const* values, size_t offset) {
    const __m128d low = _mm_castsi128_pd(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(values[0] + offset)));
    return _mm_castpd_si128(
        _mm_loadh_pd(low, reinterpret_cast<const double*>(values[1] + offset)));
  }

  template <bool kLong>
  HWY_INLINE void Decode(size_t count, int64_t* HWY_RESTRICT out) const {
    uint64_t starts = ends_ << 1 | 1;
    for (size_t i = 0; i < count; i += kLanes) {
      const uint8_t* values[kLanes];
      for (size_t lane = 0; lane < kLanes; ++lane) {
        values[lane] = p_ + PlaceOfFirst(starts);
        starts &= starts - 1;
      }
      Finish<kLong>(values, out + i);
    }
  }

#if HEADRACE_VARINT_LANES == 4
  template <bool kLong>
  static HWY_INLINE void Finish(const uint8_t* const* values, int64_t* out) {
    const __m256i x = Gather(values, 0);
    const __m256i stop =
        _mm256_andnot_si256(x, _mm256_set1_epi8(static_cast<char>(0x80)));
    const __m256i keep = _mm256_and_si256(
        _mm256_sub_epi64(stop, _mm256_set1_epi64x(1)), _mm256_set1_epi8(0x7F));
    const __m256i pairs =
        _mm256_maddubs_epi16(_mm256_set1_epi16(static_cast<int16_t>(0x8001)),
                             _mm256_and_si256(x, keep));
    const __m256i halves =
        _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x40000001));
    // The upper 28 bits lie four too high.
    __m256i value = _mm256_or_si256(
        _mm256_and_si256(halves, _mm256_set1_epi64x(0x0FFFFFFF)),
        _mm256_srli_epi64(
            _mm256_andnot_si256(_mm256_set1_epi64x(0xFFFFFFFF), halves), 4));
    if constexpr (kLong) {
      const __m256i rest = Gather(values, 8);
      const __m256i ninth = _mm256_slli_epi64(
          _mm256_and_si256(rest, _mm256_set1_epi64x(0x7F)), 56);
      const __m256i tenth =
          _mm256_slli_epi64(_mm256_and_si256(_mm256_srli_epi64(rest, 8),
                                             _mm256_srli_epi64(rest, 7)),
                            63);
      const __m256i has_more = _mm256_cmpeq_epi64(stop, _mm256_setzero_si256());
      value = _mm256_or_si256(
          value, _mm256_and_si256(has_more, _mm256_or_si256(ninth, tenth)));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), value);
  }
  // Eight bytes of each value, from `offset` on.
  static HWY_INLINE __m256i Gather(const uint8_t* const* values,
                                   size_t offset) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(Load2(values, offset)),
        Load2(values + 2, offset), 1);
  }
#else
  template <bool kLong>
  static HWY_INLINE void Finish(const uint8_t* const* values, int64_t* out) {
    const __m128i x = Gather(values, 0);
    const __m128i stop =
        _mm_andnot_si128(x, _mm_set1_epi8(static_cast<char>(0x80)));
    const __m128i keep = _mm_and_si128(_mm_sub_epi64(stop, _mm_set1_epi64x(1)),
                                       _mm_set1_epi8(0x7F));
    const __m128i pairs = _mm_maddubs_epi16(
        _mm_set1_epi16(static_cast<int16_t>(0x8001)), _mm_and_si128(x, keep));
    const __m128i halves = _mm_madd_epi16(pairs, _mm_set1_epi32(0x40000001));
    __m128i value = _mm_or_si128(
        _mm_and_si128(halves, _mm_set1_epi64x(0x0FFFFFFF)),
        _mm_srli_epi64(_mm_andnot_si128(_mm_set1_epi64x(0xFFFFFFFF), halves),
                       4));
    if constexpr (kLong) {
      const __m128i rest = Gather(values, 8);
      const __m128i ninth =
          _mm_slli_epi64(_mm_and_si128(rest, _mm_set1_epi64x(0x7F)), 56);
      const __m128i tenth = _mm_slli_epi64(
          _mm_and_si128(_mm_srli_epi64(rest, 8), _mm_srli_epi64(rest, 7)), 63);
      const __m128i has_more = _mm_cmpeq_epi64(stop, _mm_setzero_si128());
      value = _mm_or_si128(value,
                           _mm_and_si128(has_more, _mm_or_si128(ninth, tenth)));
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), value);
  }
  static HWY_INLINE __m128i Gather(const uint8_t* const* values,
                                   size_t offset) {
    return Load2(values, offset);
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
