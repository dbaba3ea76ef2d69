// Tests hand this to Arrow's C data interface.

#ifndef HEADRACE_TESTS_SUPPORT_EXPORTED_H_
#define HEADRACE_TESTS_SUPPORT_EXPORTED_H_

#include "headrace/arrow.h"

namespace headrace::testing {

inline constexpr BytesAs kAllBytesAs[] = {
    BytesAs::kBinary, BytesAs::kLargeBinary, BytesAs::kBinaryView,
    BytesAs::kString};

// Both structures are released at the end unless the test did so.
struct Exported {
  ArrowSchema schema = {};
  ArrowArray array = {};

  Exported() = default;
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;
  ~Exported() {
    if (schema.release) schema.release(&schema);
    if (array.release) array.release(&array);
  }
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_EXPORTED_H_
