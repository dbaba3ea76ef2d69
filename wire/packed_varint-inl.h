// Decodes packed varints to int64, for the SIMD target it is compiled for.
//
// The continuation bits of a window of 64 bytes become one mask of 64 bits,
// whose zeros are the ends of values. This finds all values of the window
// together: no branch depends on a value's length.
//
// All functions need 64 readable bytes after the run, of any content.

#if defined(HEADRACE_WIRE_PACKED_VARINT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_WIRE_PACKED_VARINT_INL_H_
#undef HEADRACE_WIRE_PACKED_VARINT_INL_H_
#else
#define HEADRACE_WIRE_PACKED_VARINT_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "wire/cursor.h"
#include "wire/varint_window-inl.h"
#include "wire/wire.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::wire {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr size_t kWindow = 64;

// Values that DecodeVarints may write after the last one.
inline constexpr size_t kVarintSlackValues = kWindow;

// Bit i is set if byte i of the 64 at `p` has its continuation bit set.
HWY_INLINE uint64_t ContinuationBits(const uint8_t* p) {
#if HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2
  // movemask takes the signs directly, where Highway would first compare with
  // zero: windows of few long values decode 5 % faster.
  const auto bits = [p](size_t i) HWY_ATTR {
    return static_cast<uint32_t>(_mm256_movemask_epi8(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + i))));
  };
  return bits(0) | uint64_t{bits(32)} << 32;
#elif !HEADRACE_VARINT_VECTORS
  uint64_t bits = 0;
  for (size_t i = 0; i < kWindow; i += 8) {
    // The product gathers the eight top bits in its top byte.
    const uint64_t tops = LoadFixed64(p + i) & 0x8080808080808080u;
    bits |= (tops >> 7) * 0x0102040810204080u >> 56 << i;
  }
  return bits;
#else
  // A scalable vector has at least 16 bytes, and no more than 16 are used.
  constexpr size_t kLanes = HWY_HAVE_SCALABLE ? 16 : HWY_MAX_BYTES;
  const hn::FixedTag<int8_t, kLanes> d;
  uint64_t bits = 0;
  for (size_t i = 0; i < kWindow; i += kLanes) {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const int8_t*>(p + i));
    uint8_t stored[8];
    hn::StoreMaskBits(d, hn::Lt(bytes, hn::Zero(d)), stored);
    hwy::UnsignedFromSize<kLanes / 8> part;
    std::memcpy(&part, stored, sizeof(part));
    bits |= uint64_t{part} << i;
  }
  return bits;
#endif
}

// Returns the lower half of (previous window : this window) << n.
HWY_INLINE uint64_t ShiftIn(uint64_t bits, uint64_t previous, int n) {
  return bits << n | previous >> (64 - n);
}

// Counts the values exactly. Returns a fault if the run is not a sequence of
// varints: a varint has more than ten bytes, or is cut by the end of the run.
HWY_INLINE Fault CountVarints(Span run, size_t* count) {
  *count = 0;
  if (run.size == 0) return Fault::kNone;
  uint64_t previous = 0, previous2 = 0, previous4 = 0;
  size_t terminators = 0;
  bool too_long = false;
  for (size_t i = 0; i < run.size; i += kWindow) {
    uint64_t bits = ContinuationBits(run.data + i);
    const size_t left = run.size - i;
    uint64_t valid = ~uint64_t{0};
    if (left < kWindow) valid >>= kWindow - left;
    bits &= valid;
    terminators += static_cast<size_t>(std::popcount(~bits & valid));
    // Doubling finds runs of 2, 4 and 8 continuation bits; 8 + 2 makes ten.
    const uint64_t run2 = bits & ShiftIn(bits, previous, 1);
    const uint64_t run4 = run2 & ShiftIn(run2, previous2, 2);
    const uint64_t run8 = run4 & ShiftIn(run4, previous4, 4);
    too_long |= (run8 & ShiftIn(run2, previous2, 8)) != 0;
    previous = bits;
    previous2 = run2;
    previous4 = run4;
  }
  if (too_long) return Fault::kLongVarint;
  if (run.data[run.size - 1] >= 0x80) return Fault::kTruncated;
  *count = terminators;
  return Fault::kNone;
}

// Joins the 7-bit groups of a word's first `length` bytes, 1 to 8. Other
// lengths return an unspecified number.
HWY_INLINE uint64_t FoldWord(uint64_t word, size_t length) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  // All processors with AVX-512 have a fast pext; without AVX-512 (Zen 2) it
  // may take hundreds of cycles.
  return _pext_u64(_bzhi_u64(word, static_cast<unsigned>(8 * length)),
                   0x7F7F7F7F7F7F7F7Fu);
#endif
  uint64_t x = word & (~uint64_t{0} >> ((64 - 8 * length) & 63));
  x &= 0x7F7F7F7F7F7F7F7Fu;
  x = (x & 0x7F007F007F007F00u) >> 1 | (x & 0x007F007F007F007Fu);
  x = (x & 0x3FFF00003FFF0000u) >> 2 | (x & 0x00003FFF00003FFFu);
  return (x & 0x0FFFFFFF00000000u) >> 4 | (x & 0x000000000FFFFFFFu);
}

// Joins those bits of a word's first `length` bytes, 1 to 8, that are set in
// `bits`: all 7-bit groups, or some of the lowest bits.
HWY_INLINE uint64_t ExtractBits(uint64_t word, size_t length, uint64_t bits) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
  return _pext_u64(_bzhi_u64(word, static_cast<unsigned>(8 * length)), bits);
#endif
  const uint64_t is_whole = 0 - (bits >> 7 & 1);
  return (word & bits & is_whole) | FoldWord(word & bits & ~is_whole, length);
}

HWY_INLINE uint64_t FoldVarint(const uint8_t* p, size_t length) {
  return FoldWord(LoadFixed64(p), length);
}

// Joins 1 to 10 bytes, without a branch on the length. Only the lowest bit of
// the tenth byte counts.
HWY_INLINE uint64_t FoldLongVarint(const uint8_t* p, size_t length) {
  const size_t over = length > 8 ? length - 8 : 0;
  const uint64_t low = FoldVarint(p, length - over);
  // The ninth byte has bits 56 to 62, the tenth has bit 63; both are left out
  // if `over` is 0.
  const uint64_t ninth = uint64_t{p[8]} & 0x7F & (0 - uint64_t{over > 0});
  const uint64_t tenth = uint64_t{p[9]} & (0 - uint64_t{over > 1});
  return low | ninth << 56 | tenth << 63;
}

#if !HEADRACE_VARINT_VECTORS

// Decodes one value after another, without vectors.
class WindowDecoder {
 public:
  HWY_INLINE WindowDecoder(const uint8_t* p, uint64_t ends)
      : p_(p), ends_(ends) {}

  HWY_INLINE void DecodeShort(size_t, int64_t* HWY_RESTRICT out) const {
    Decode(&FoldVarint, out);
  }
  HWY_INLINE void DecodeMedium(size_t, int64_t* HWY_RESTRICT out) const {
    Decode(&FoldVarint, out);
  }
  HWY_INLINE void DecodeLong(size_t, int64_t* HWY_RESTRICT out) const {
    Decode(&FoldLongVarint, out);
  }

 private:
  HWY_INLINE void Decode(uint64_t (*fold)(const uint8_t*, size_t),
                         int64_t* HWY_RESTRICT out) const {
    size_t start = 0;
    for (uint64_t ends = ends_; ends != 0; ends &= ends - 1) {
      const size_t next = static_cast<size_t>(std::countr_zero(ends)) + 1;
      *out++ = static_cast<int64_t>(fold(p_ + start, next - start));
      start = next;
    }
  }

  const uint8_t* p_;
  const uint64_t ends_;
};

#endif

// Decodes all windows that begin before `stop`, of a run that ends at `end`, to
// `*out_end`, which moves past the values. Returns where the next window
// begins; null if a varint is too long. Each window is read once: only its
// continuation bits determine how many values it has and where the next one
// begins. So bytes that change during the call may yield any values, but never
// more values than bytes.
HWY_INLINE const uint8_t* DecodeWindows(const uint8_t* p, const uint8_t* stop,
                                        const uint8_t* end, int64_t** out_end) {
  int64_t* HWY_RESTRICT out = *out_end;
  while (p < stop) {
    const uint64_t bits = ContinuationBits(p);
    const size_t left = static_cast<size_t>(end - p);
    if (bits == 0) {
      for (size_t i = 0; i < kWindow; ++i) out[i] = p[i];
      out += left < kWindow ? left : kWindow;
      p += kWindow;
      continue;
    }
    // Bytes after the run count, too: one of them ends the last window if the
    // run's last byte has changed.
    const uint64_t all_ends = ~bits;
    uint64_t ends = all_ends;
    if (left < kWindow) ends &= ~uint64_t{0} >> (kWindow - left);
    // Runs of four (eight) continuation bits occur only in values of at least
    // five (nine) bytes. A window begins with a value, so it shows every run.
    const uint64_t run2 = bits & bits >> 1;
    const uint64_t run4 = run2 & run2 >> 2;
    const auto values = static_cast<size_t>(std::popcount(ends));
    const WindowDecoder window(p, ends);
    if (run4 == 0) {
      window.DecodeShort(values, out);
    } else {
      const uint64_t run8 = run4 & run4 >> 4;
      if (run8 == 0) {
        window.DecodeMedium(values, out);
      } else {
        // Only runs of ten before the last end count: bytes after it belong to
        // the next window, or are not in the run.
        const uint64_t run10 = run8 & run2 >> 8;
        if (ends == 0 || (run10 & (std::bit_floor(ends) - 1)) != 0) {
          return nullptr;
        }
        window.DecodeLong(values, out);
      }
    }
    out += values;
    p += 64 - std::countl_zero(all_ends);
  }
  *out_end = out;
  return p;
}

// Decodes the run. `out` must have room for one value per byte and for
// kVarintSlackValues more, which may be written. Faults are as in CountVarints.
HWY_INLINE Fault DecodeVarints(Span run, int64_t* HWY_RESTRICT out,
                               size_t* count) {
  *count = 0;
  if (run.size == 0) return Fault::kNone;
  if (run.end()[-1] >= 0x80) {
    size_t ignored;
    return CountVarints(run, &ignored);
  }
  int64_t* next = out;
  if (DecodeWindows(run.data, run.end(), run.end(), &next) == nullptr) {
    return Fault::kLongVarint;
  }
  *count = static_cast<size_t>(next - out);
  return Fault::kNone;
}

// Decodes a run whose values have been counted. `out` has room for `room`
// values and the slack. Returns kChanged if there are more values now: the
// bytes have changed since.
HWY_INLINE Fault DecodeCounted(Span run, size_t room, int64_t* HWY_RESTRICT out,
                               size_t* count) {
  const uint8_t* p = run.data;
  const uint8_t* const end = run.end();
  int64_t* next = out;
  int64_t* const last = out + room;
  *count = 0;
  while (p < end) {
    // A window has no more values than bytes, so the values of windows that
    // begin before `stop` have room.
    const uint8_t* const stop = p + std::min(static_cast<size_t>(end - p),
                                             static_cast<size_t>(last - next));
    if (stop == p) return Fault::kChanged;
    p = DecodeWindows(p, stop, end, &next);
    if (p == nullptr) return Fault::kLongVarint;
    if (next > last) return Fault::kChanged;
  }
  *count = static_cast<size_t>(next - out);
  return Fault::kNone;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::wire
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_WIRE_PACKED_VARINT_INL_H_
