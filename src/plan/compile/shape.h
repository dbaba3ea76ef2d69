
#ifndef HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_
#define HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace headrace::plan {

// A row or padding unit has at most the values that 32-bit offsets can count.
inline constexpr size_t kMaxElements = (size_t{1} << 31) - 1;

// False when there are too many values, or a dimension is negative.
bool CountElements(std::span<const int64_t> shape, size_t* elements);

// The text is like "[2, 3]".
std::string ShapeText(std::span<const int64_t> shape);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_
