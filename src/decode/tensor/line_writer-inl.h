// LineWriter stores the bytes that are appended to it one cache line at a time,
// by stores that do not read the line first. A tensor that is larger than the
// caches is then only written, instead of read and written.

// clang-format off
#if defined(HEADRACE_SRC_DECODE_TENSOR_LINE_WRITER_INL_H_) == defined(HWY_TARGET_TOGGLE)
// clang-format on
#ifdef HEADRACE_SRC_DECODE_TENSOR_LINE_WRITER_INL_H_
#undef HEADRACE_SRC_DECODE_TENSOR_LINE_WRITER_INL_H_
#else
#define HEADRACE_SRC_DECODE_TENSOR_LINE_WRITER_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::tensor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

class LineWriter {
 public:
  static constexpr size_t kLine = 64;

  // The address `out` is a multiple of kLine.
  explicit LineWriter(uint8_t* out) : out_(out) {}

  // Appends `size` bytes. source(d, line, i) returns the vector at byte i of
  // the line that begins at byte `line` of these bytes; the last line may
  // extend past their end.
  template <class Source>
  HWY_INLINE void Append(size_t size, const Source& source) {
    if (size == 0) return;
    size_t at = 0;
    if (used_ != 0) {
      at = std::min(kLine - used_, size);
      KeepLine(source, 0, line_ + used_);
      used_ += at;
      if (used_ < kLine) return;
      used_ = 0;
      const hn::CappedTag<uint8_t, kLine> d;
      for (size_t i = 0; i < kLine; i += hn::Lanes(d)) {
        hn::Stream(hn::Load(d, line_ + i), d, out_ + i);
      }
      out_ += kLine;
    }
    for (; size - at >= kLine; at += kLine) {
      const hn::CappedTag<uint8_t, kLine> d;
      for (size_t i = 0; i < kLine; i += hn::Lanes(d)) {
        hn::Stream(source(d, at, i), d, out_ + i);
      }
      out_ += kLine;
    }
    used_ = size - at;
    if (used_ != 0) KeepLine(source, at, line_);
  }

  // Stores the rest. After that, other threads may read all appended bytes.
  void Finish() {
    std::memcpy(out_, line_, used_);
    hwy::FlushStream();
  }

 private:
  template <class Source>
  static HWY_INLINE void KeepLine(const Source& source, size_t at,
                                  uint8_t* line) {
    const hn::CappedTag<uint8_t, kLine> d;
    for (size_t i = 0; i < kLine; i += hn::Lanes(d)) {
      hn::StoreU(source(d, at, i), d, line + i);
    }
  }

  uint8_t* out_;
  size_t used_ = 0;  // bytes of line_
  // A store of a line may begin anywhere in the first half.
  alignas(kLine) uint8_t line_[2 * kLine];
};

}  // namespace HWY_NAMESPACE
}  // namespace headrace::tensor
HWY_AFTER_NAMESPACE();

#endif  // HEADRACE_SRC_DECODE_TENSOR_LINE_WRITER_INL_H_
