#include "src/plan/compile/shape.h"

#include "src/base/checked_math.h"

namespace headrace::plan {

bool CountElements(std::span<const int64_t> shape, size_t* elements) {
  *elements = 1;
  bool is_empty = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return false;
    is_empty |= dimension == 0;
    if (dimension > 0 &&
        (!CheckedMul(*elements, static_cast<uint64_t>(dimension), elements) ||
         *elements > kMaxElements)) {
      return false;
    }
  }
  if (is_empty) *elements = 0;
  return true;
}

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace headrace::plan
