
#ifndef HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_
#define HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace headrace::plan {

// Values of the largest row or padding unit: 32-bit offsets can count them.
inline constexpr size_t kMaxElements = (size_t{1} << 31) - 1;

// Sets `elements` to the product of the dimensions. Returns false if there are
// too many values, or if a dimension is negative.
bool CountElements(std::span<const int64_t> shape, size_t* elements);

// Returns a text like "[2, 3]".
std::string ShapeText(std::span<const int64_t> shape);

}  // namespace headrace::plan

#endif  // HEADRACE_SRC_PLAN_COMPILE_SHAPE_H_
