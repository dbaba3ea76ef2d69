#include "src/decode/tensor/padding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/decode/tensor/padding.cc"
#include "hwy/foreach_target.h"  // must come before highway.h

// Included explicitly, because foreach_target.h would include it only later.
#include "hwy/highway.h"
#include "src/decode/tensor/line_writer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace headrace::tensor {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sources of a writer's Append: values of a row, or its padding.
struct Values {
  const uint8_t* values;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, size_t line, size_t i) const {
    return hn::LoadU(d, values + line + i);
  }
};
struct Fill {
  const uint8_t* fill;
  // A line always begins where a value begins, so all lines are the same.
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, size_t, size_t i) const {
    return hn::LoadU(d, fill + i);
  }
};

// Stores whole lines; the next ones overwrite their unused ends.
class PlainWriter {
 public:
  explicit PlainWriter(uint8_t* out) : out_(out) {}

  template <class Source>
  HWY_INLINE void Append(size_t size, const Source& source) {
    const hn::CappedTag<uint8_t, kPaddingSlack> d;
    for (size_t line = 0; line < size; line += kPaddingSlack) {
      for (size_t i = 0; i < kPaddingSlack; i += hn::Lanes(d)) {
        hn::StoreU(source(d, line, i), d, out_ + line + i);
      }
    }
    out_ += size;
  }
  void Finish() {}

 private:
  uint8_t* out_;
};

template <class Writer>
HWY_INLINE void WriteRows(const Padding& padding, uint8_t* out) {
  Writer writer(out);
  for (size_t row = 0; row < padding.rows; ++row) {
    const auto begin = static_cast<size_t>(padding.offsets[row]);
    const auto end = static_cast<size_t>(padding.offsets[row + 1]);
    const size_t kept =
        std::min((end - begin) * padding.unit_size, padding.row_size);
    writer.Append(kept, Values{padding.values + begin * padding.unit_size});
    writer.Append(padding.row_size - kept, Fill{padding.fill});
  }
  writer.Finish();
}

void WritePaddedRows(const Padding& padding, bool streams, uint8_t* out) {
  if (streams) {
    WriteRows<LineWriter>(padding, out);
  } else {
    WriteRows<PlainWriter>(padding, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::tensor {
namespace {

HWY_EXPORT(WritePaddedRows);

}  // namespace

void WritePadded(const Padding& padding, bool streams, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(WritePaddedRows)(padding, streams, out);
}

}  // namespace headrace::tensor
#endif  // HWY_ONCE
