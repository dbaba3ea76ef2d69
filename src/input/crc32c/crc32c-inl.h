// HWY_NAMESPACE::Crc32c(data, n) and its parts compute CRC32C for one SIMD
// target, without a dispatch, to be inlined into loops that are compiled per
// target.
//
// There are four ways, depending on the target:
// - x86 with VPCLMULQDQ: carry-less folding of 64 bytes at a time;
// - x86 with SSE4.2 and PCLMUL: the crc32 instruction, for long runs together
//   with carry-less folding, which uses another port;
// - 64-bit ARM with the CRC extension: its instruction, in a function that is
//   not inlined, because other code must run without the extension, too;
// - everything else: slice-by-8 tables.

#if defined(HEADRACE_SRC_INPUT_CRC32C_CRC32C_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_SRC_INPUT_CRC32C_CRC32C_INL_H_
#undef HEADRACE_SRC_INPUT_CRC32C_CRC32C_INL_H_
#else
#define HEADRACE_SRC_INPUT_CRC32C_CRC32C_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c_math.h"

#undef HEADRACE_CRC_WIDE
#undef HEADRACE_CRC_X86
#undef HEADRACE_CRC_ARM
#define HEADRACE_CRC_WIDE 0
#define HEADRACE_CRC_X86 0
#define HEADRACE_CRC_ARM 0
// Highway's SSE4 means SSE4.2 with PCLMUL and AES; better targets have smaller
// numbers.
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_SSE4 && \
    !defined(HWY_DISABLE_PCLMUL_AES)
#undef HEADRACE_CRC_X86
#define HEADRACE_CRC_X86 1
#include <immintrin.h>
#if HWY_TARGET <= HWY_AVX3_DL
#undef HEADRACE_CRC_WIDE
#define HEADRACE_CRC_WIDE 1
#endif
#elif HWY_ARCH_ARM_A64
#undef HEADRACE_CRC_ARM
#define HEADRACE_CRC_ARM 1
#include "src/input/crc32c/crc32c_arm.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace headrace::record {
namespace HWY_NAMESPACE {

// A step adds one, four or eight bytes, the first in the lowest bits.

#if HEADRACE_CRC_X86

HWY_INLINE uint32_t CrcStep1(uint32_t state, uint8_t byte) {
  return _mm_crc32_u8(state, byte);
}
HWY_INLINE uint32_t CrcStep4(uint32_t state, uint32_t bytes) {
  return _mm_crc32_u32(state, bytes);
}
HWY_INLINE uint32_t CrcStep8(uint32_t state, uint64_t bytes) {
  return static_cast<uint32_t>(_mm_crc32_u64(state, bytes));
}

#else

HWY_INLINE uint32_t CrcStep1(uint32_t state, uint8_t byte) {
  return (state >> 8) ^ kCrcTables[0][(state ^ byte) & 0xFF];
}
HWY_INLINE uint32_t CrcStep4(uint32_t state, uint32_t bytes) {
  const uint32_t x = state ^ bytes;
  return kCrcTables[3][x & 0xFF] ^ kCrcTables[2][(x >> 8) & 0xFF] ^
         kCrcTables[1][(x >> 16) & 0xFF] ^ kCrcTables[0][x >> 24];
}
HWY_INLINE uint32_t CrcStep8(uint32_t state, uint64_t bytes) {
  const uint64_t x = state ^ bytes;
  uint32_t next = 0;
  for (size_t i = 0; i < 8; ++i) {
    next ^= kCrcTables[7 - i][(x >> (8 * i)) & 0xFF];
  }
  return next;
}

#endif

HWY_INLINE uint32_t CrcStep8(uint32_t state, const uint8_t* p) {
  return CrcStep8(state, LoadLittle64(p));
}

// A chain is limited by the latency of its steps, but best for a short run.
HWY_INLINE uint32_t CrcChain(uint32_t state, const uint8_t* p, size_t n) {
  for (; n >= 8; n -= 8, p += 8) state = CrcStep8(state, p);
  if ((n & 4) != 0) {
    state = CrcStep4(state, LoadLittle32(p));
    p += 4;
  }
  if ((n & 2) != 0) {
    state = CrcStep1(CrcStep1(state, p[0]), p[1]);
    p += 2;
  }
  if ((n & 1) != 0) state = CrcStep1(state, *p);
  return state;
}

#if HEADRACE_CRC_X86

// Multiplies by the factor from which CrcReducedFactor makes `reduced_factor`.
HWY_INLINE uint32_t CrcProduct(uint32_t state, uint32_t reduced_factor) {
  const __m128i product = _mm_clmulepi64_si128(
      _mm_cvtsi32_si128(static_cast<int>(state)),
      _mm_cvtsi32_si128(static_cast<int>(reduced_factor)), 0x00);
  return CrcStep8(0, static_cast<uint64_t>(_mm_cvtsi128_si64(product)));
}

template <size_t kBytes>
HWY_INLINE uint32_t CrcSkip(uint32_t state) {
  constexpr uint32_t kFactor = CrcReducedFactor(CrcPowerOfX(8 * kBytes));
  return CrcProduct(state, kFactor);
}

#else

template <size_t kBytes>
HWY_INLINE uint32_t CrcSkip(uint32_t state) {
  constexpr uint32_t kFactor = CrcPowerOfX(8 * kBytes);
  return CrcMultiply(state, kFactor);
}

#endif

HWY_INLINE uint32_t CrcSkip(uint32_t state, uint64_t n) {
  for (size_t i = 0; n != 0; ++i, n >>= 8) {
#if HEADRACE_CRC_X86
    state = CrcProduct(state, kCrcZeroBytesReduced[i][n & 0xFF]);
#else
    state = CrcMultiply(state, kCrcZeroBytes[i][n & 0xFF]);
#endif
  }
  return state;
}

#if HEADRACE_CRC_X86

// Processes as many whole blocks of 3 * kPart bytes as there are, each as three
// chains side by side: a step has a latency of three cycles and a throughput of
// one.
template <size_t kPart>
HWY_INLINE uint32_t CrcThreeChains(uint32_t state, const uint8_t*& p,
                                   size_t& n) {
  for (; n >= 3 * kPart; n -= 3 * kPart, p += 3 * kPart) {
    uint32_t a = state, b = 0, c = 0;
    for (size_t i = 0; i < kPart; i += 8) {
      a = CrcStep8(a, p + i);
      b = CrcStep8(b, p + kPart + i);
      c = CrcStep8(c, p + 2 * kPart + i);
    }
    state = CrcSkip<2 * kPart>(a) ^ CrcSkip<kPart>(b) ^ c;
  }
  return state;
}

HWY_INLINE __m128i CrcLoad16(const uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}

// Returns factors that move 16 bytes by kBytes. Their low half is 64 bits
// further from the end than their high half, and the register has 32 bits.
template <size_t kBytes>
HWY_INLINE __m128i CrcFoldFactors() {
  constexpr uint64_t kLow = uint64_t{CrcPowerOfX(8 * kBytes + 32)} << 1;
  constexpr uint64_t kHigh = uint64_t{CrcPowerOfX(8 * kBytes - 32)} << 1;
  return _mm_set_epi64x(int64_t{kHigh}, int64_t{kLow});
}

// Moves `bytes` by the distance of the factors and adds them to `to`.
HWY_INLINE __m128i CrcFold(__m128i bytes, __m128i factors, __m128i to) {
  const __m128i low = _mm_clmulepi64_si128(bytes, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(bytes, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), to);
}

inline constexpr size_t kCrcPrefetchDistance = size_t{8} << 10;

// Prefetches two cache lines, `distance` bytes ahead. They may be after the end
// of the run: a prefetch never faults, but a pointer must not go there.
HWY_INLINE void CrcPrefetch(const uint8_t* p, size_t distance) {
  const uintptr_t ahead = reinterpret_cast<uintptr_t>(p) + distance;
  _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
  _mm_prefetch(reinterpret_cast<const char*>(ahead + 64), _MM_HINT_T0);
}

// Processes as many whole blocks of 112 * kRounds bytes as there are. The first
// part of a block is folded 64 bytes per round, the rest goes through three
// chains of 16 bytes per round: the two use different ports. (corsix'
// fast-crc32 calls this shape v4s3x2; it measured best of the 128-bit ones.)
template <size_t kRounds>
HWY_INLINE uint32_t CrcFused(uint32_t state, const uint8_t*& p, size_t& n) {
  constexpr size_t kFolded = 64 * kRounds;
  constexpr size_t kChained = 16 * kRounds;
  constexpr size_t kBlock = kFolded + 3 * kChained;
  const __m128i by64 = CrcFoldFactors<64>();
  const __m128i by16 = CrcFoldFactors<16>();
  for (; n >= kBlock; n -= kBlock, p += kBlock) {
    uint32_t a = 0, b = 0, c = 0;
    __m128i x0 =
        _mm_xor_si128(CrcLoad16(p), _mm_cvtsi32_si128(static_cast<int>(state)));
    __m128i x1 = CrcLoad16(p + 16);
    __m128i x2 = CrcLoad16(p + 32);
    __m128i x3 = CrcLoad16(p + 48);
    const uint8_t* chain = p + kFolded;
    for (size_t round = 0;; chain += 16) {
      // A processor does not follow four streams by itself: this adds a third
      // to the speed from memory and a tenth to that from L2.
      CrcPrefetch(p + 112 * round, kCrcPrefetchDistance);
      for (size_t i = 0; i < 16; i += 8) {
        a = CrcStep8(a, chain + i);
        b = CrcStep8(b, chain + kChained + i);
        c = CrcStep8(c, chain + 2 * kChained + i);
      }
      if (++round == kRounds) break;
      const uint8_t* fold = p + 64 * round;
      x0 = CrcFold(x0, by64, CrcLoad16(fold));
      x1 = CrcFold(x1, by64, CrcLoad16(fold + 16));
      x2 = CrcFold(x2, by64, CrcLoad16(fold + 32));
      x3 = CrcFold(x3, by64, CrcLoad16(fold + 48));
    }
    x3 = CrcFold(CrcFold(CrcFold(x0, by16, x1), by16, x2), by16, x3);
    const uint32_t folded =
        CrcStep8(CrcStep8(0, static_cast<uint64_t>(_mm_extract_epi64(x3, 0))),
                 static_cast<uint64_t>(_mm_extract_epi64(x3, 1)));
    state = CrcSkip<3 * kChained>(folded) ^ CrcSkip<2 * kChained>(a) ^
            CrcSkip<kChained>(b) ^ c;
  }
  return state;
}

#endif

#if HEADRACE_CRC_WIDE

// GCC 12 warns about the intrinsics without a mask, whose results begin as
// undefined vectors (its bug 105593); a mask of all lanes costs nothing.

HWY_INLINE __m512i CrcLoad64(const uint8_t* p) { return _mm512_loadu_si512(p); }

// Folds each of four times 16 bytes.
HWY_INLINE __m512i CrcFold(__m512i bytes, __m512i factors, __m512i to) {
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(
      _mm512_clmulepi64_epi128(bytes, factors, 0x00),
      _mm512_clmulepi64_epi128(bytes, factors, 0x11), to, kXorOfThree);
}

template <size_t kBytes>
HWY_INLINE __m512i CrcWideFactors() {
  return _mm512_maskz_broadcast_i32x4(0xFFFF, CrcFoldFactors<kBytes>());
}

HWY_INLINE uint32_t CrcOfWide(__m512i x) {
  // Moves all lanes except the last to the position of the last one.
  __m512i factors = _mm512_castsi128_si512(CrcFoldFactors<48>());
  factors = _mm512_inserti32x4(factors, CrcFoldFactors<32>(), 1);
  factors = _mm512_inserti32x4(factors, CrcFoldFactors<16>(), 2);
  factors = _mm512_inserti32x4(factors, _mm_setzero_si128(), 3);
  const __m512i last = _mm512_maskz_mov_epi64(0xC0, x);
  const __m512i moved = CrcFold(x, factors, last);
  const __m256i half =
      _mm256_xor_si256(_mm512_maskz_extracti64x4_epi64(0xF, moved, 0),
                       _mm512_maskz_extracti64x4_epi64(0xF, moved, 1));
  const __m128i sum = _mm_xor_si128(_mm256_castsi256_si128(half),
                                    _mm256_extracti128_si256(half, 1));
  return CrcStep8(CrcStep8(0, static_cast<uint64_t>(_mm_extract_epi64(sum, 0))),
                  static_cast<uint64_t>(_mm_extract_epi64(sum, 1)));
}

// Processes as many whole blocks of 64 bytes as there are, at least one. While
// there are enough, four streams of blocks hide the latency of the products.
HWY_INLINE uint32_t CrcWide(uint32_t state, const uint8_t*& p, size_t& n) {
  __m512i x = _mm512_xor_si512(
      CrcLoad64(p),
      _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(state))));
  p += 64;
  n -= 64;
  if (n >= 448) {
    const __m512i by256 = CrcWideFactors<256>();
    __m512i x1 = CrcLoad64(p);
    __m512i x2 = CrcLoad64(p + 64);
    __m512i x3 = CrcLoad64(p + 128);
    p += 192;
    n -= 192;
    for (; n >= 256; n -= 256, p += 256) {
      CrcPrefetch(p, kCrcPrefetchDistance);
      CrcPrefetch(p + 128, kCrcPrefetchDistance);
      x = CrcFold(x, by256, CrcLoad64(p));
      x1 = CrcFold(x1, by256, CrcLoad64(p + 64));
      x2 = CrcFold(x2, by256, CrcLoad64(p + 128));
      x3 = CrcFold(x3, by256, CrcLoad64(p + 192));
    }
    x2 = CrcFold(x, CrcWideFactors<128>(), x2);
    x3 = CrcFold(x1, CrcWideFactors<128>(), x3);
    x = CrcFold(x2, CrcWideFactors<64>(), x3);
  }
  const __m512i by64 = CrcWideFactors<64>();
  for (; n >= 64; n -= 64, p += 64) x = CrcFold(x, by64, CrcLoad64(p));
  return CrcOfWide(x);
}

#endif

// Runs of at least this many bytes are summed out of line, so that short runs
// stay cheap.
inline constexpr size_t kCrcLong = HEADRACE_CRC_WIDE ? 128 : 192;

static HWY_NOINLINE HWY_MAYBE_UNUSED uint32_t CrcLong(uint32_t state,
                                                      const uint8_t* p,
                                                      size_t n) {
#if HEADRACE_CRC_WIDE
  state = CrcWide(state, p, n);
#elif HEADRACE_CRC_X86
  state = CrcFused<64>(state, p, n);
  state = CrcFused<8>(state, p, n);
  state = CrcThreeChains<64>(state, p, n);
#endif
  return CrcChain(state, p, n);
}

HWY_INLINE uint32_t CrcRegister(uint32_t state, const uint8_t* p, size_t n) {
#if HEADRACE_CRC_ARM
  if (kArmHasCrc) return ArmCrcRegister(state, p, n);
#endif
  return n < kCrcLong ? CrcChain(state, p, n) : CrcLong(state, p, n);
}

HWY_INLINE uint32_t Crc32c(const uint8_t* p, size_t n) {
  return ~CrcRegister(kCrc32cInit, p, n);
}

HWY_INLINE uint32_t Crc32cOfLength(uint64_t length) {
#if HEADRACE_CRC_ARM
  uint8_t bytes[8];
  StoreLittle64(bytes, length);
  return Crc32c(bytes, sizeof(bytes));
#else
  return ~CrcStep8(kCrc32cInit, length);
#endif
}

// Whether the four bytes after the payload are its masked CRC.
HWY_INLINE bool PayloadIsRight(const uint8_t* payload, size_t size) {
  return LoadLittle32(payload + size) == MaskCrc32c(Crc32c(payload, size));
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::record
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
