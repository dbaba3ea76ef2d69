// A Fault is the rule of docs/semantics.md that a row breaks, and the numbers
// that break it.

#ifndef HEADRACE_SRC_DECODE_TENSOR_FAULT_H_
#define HEADRACE_SRC_DECODE_TENSOR_FAULT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "headrace/status.h"
#include "src/plan/compile/program.h"

namespace headrace::tensor {

// The values of a feature or step, not converted. For values of kind bytes only
// the size is used.
struct Values {
  const void* data = nullptr;
  size_t size = 0;

  std::span<const int64_t> int64s() const {
    return {static_cast<const int64_t*>(data), size};
  }
};

// The rule that a row broke. Each comment says what the rule demands and which
// fields of the Fault it sets.
enum class Rule : uint8_t {
  kNone,
  kPresence,       // a required feature, or feature list, is present
  kCount,          // `wanted` values; `found` of them
  kBytes,          // value `value` has `wanted` bytes; it has `found`
  kBytesMultiple,  // value `value` has a multiple of `wanted` bytes; `found`
  kMoreBytes,      // value `value` has `wanted` bytes; it has more
  kZlib,           // value `value` is a whole zlib stream
  kTensor,         // value `value` is a tensor of the output's shape
  kTensorType,     // value `value` is a tensor of the output's type
  kNoRoom,         // value `value` can be unpacked within the limits
  kNoMemory,       // there is memory to inflate value `value`
  kItemShapes,     // `slot` has `wanted` numbers; `found` of them
  kItemDimension,  // number `found` of `slot` is a dimension; `wanted` if known
  kMultiple,       // a multiple of `wanted` values; `found`
  kAtMost,         // at most `wanted` values; `found`
  kIndexCount,     // `slot` has as many indices as there are values
  kIndexRange,     // `slot` has indices in [0, wanted); index number `found`
  kSteps,          // partition `slot` has as many steps as the values
  kUniformLength,  // a multiple of `wanted` values; `found`
  kUniformCount,   // exactly `wanted` values, of uniform rows; `found`
  kPartition,      // `cut` fits `wanted` values; it has `found` entries
  kRowLength,      // `cut` makes rows of length `wanted`; one has `found`
  kRowCount,       // `cut` makes `wanted` rows; `found` of them
  kGroup,          // as many rows, `wanted`, as the first of the group; `found`
  kWeights,        // `slot` has as many weights as values, `wanted`; `found`
  kRange,          // value number `found` fits the tensor's type
};

struct Fault {
  Rule rule = Rule::kNone;
  size_t step = 0;
  size_t value = 0;
  uint64_t wanted = 0;
  uint64_t found = 0;
  uint32_t slot = plan::kNoSlot;
  const plan::Cut* cut = nullptr;

  ErrorCode code() const {
    switch (rule) {
      case Rule::kNone:
        break;
      case Rule::kPresence:
        return ErrorCode::kMissingFeature;
      case Rule::kCount:
      case Rule::kBytes:
      case Rule::kBytesMultiple:
      case Rule::kMoreBytes:
      case Rule::kZlib:
      case Rule::kTensor:
      case Rule::kItemShapes:
      case Rule::kItemDimension:
      case Rule::kMultiple:
      case Rule::kAtMost:
      case Rule::kGroup:
      case Rule::kWeights:
        return ErrorCode::kWrongCount;
      case Rule::kIndexCount:
      case Rule::kIndexRange:
        return ErrorCode::kBadSparseIndex;
      case Rule::kSteps:
      case Rule::kUniformLength:
      case Rule::kUniformCount:
      case Rule::kPartition:
      case Rule::kRowLength:
      case Rule::kRowCount:
        return ErrorCode::kBadPartition;
      case Rule::kRange:
      case Rule::kTensorType:
        return ErrorCode::kWrongKind;
      case Rule::kNoRoom:
        return ErrorCode::kLimit;
      case Rule::kNoMemory:
        return ErrorCode::kOutOfMemory;
    }
    return ErrorCode::kOk;
  }
};

// The bytes that a value of kind bytes holds, or that the zlib stream in it
// inflates to, or that the elements of the TensorProto in it take.
struct Unpacked {
  enum class End : uint8_t {
    kWhole,
    kDamaged,
    kLonger,
    kNoTensor,   // not a TensorProto of this shape
    kOtherType,  // a TensorProto of another type
    kNoRoom,
    kNoMemory,
  };
  End end = End::kWhole;
  size_t size = 0;                           // kLonger: it has more
  std::span<const int64_t> dimensions = {};  // of a TensorProto
};

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_FAULT_H_
