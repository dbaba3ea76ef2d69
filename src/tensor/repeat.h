// Repeat makes many copies of one value, for padding.

#ifndef HEADRACE_SRC_TENSOR_REPEAT_H_
#define HEADRACE_SRC_TENSOR_REPEAT_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace headrace::tensor {

template <size_t kSize>
inline void RepeatOf(const uint8_t* value, size_t count, uint8_t* out) {
  for (size_t i = 0; i < count; ++i) std::memcpy(out + i * kSize, value, kSize);
}

// A value's size that the compiler knows lets it use vectors.
inline void Repeat(const uint8_t* value, size_t size, size_t count,
                   uint8_t* out) {
  switch (size) {
    case 1:
      return RepeatOf<1>(value, count, out);
    case 2:
      return RepeatOf<2>(value, count, out);
    case 4:
      return RepeatOf<4>(value, count, out);
    case 8:
      return RepeatOf<8>(value, count, out);
    default:
      assert(size == 16);
      return RepeatOf<16>(value, count, out);
  }
}

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_TENSOR_REPEAT_H_
