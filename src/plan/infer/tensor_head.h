// The types of TensorProtos, and what the beginning of one says about it.

#ifndef HEADRACE_SRC_PLAN_INFER_TENSOR_HEAD_H_
#define HEADRACE_SRC_PLAN_INFER_TENSOR_HEAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/types.h"

namespace headrace::infer {

// Returns the number of the type in tensorflow.DataType.
uint32_t TensorTypeNumber(DType type);
// Returns nothing for a type that headrace does not have.
std::optional<DType> TypeOfTensor(uint32_t number);

// Returns the type and shape of a TensorProto that begins with them, as all
// writers do, like "float [28, 28]". Returns an empty text for any other value.
// `size` is that of the whole value, of which `begin` are the first bytes.
std::string TensorHeadText(std::string_view begin, uint64_t size);

}  // namespace headrace::infer

#endif  // HEADRACE_SRC_PLAN_INFER_TENSOR_HEAD_H_
