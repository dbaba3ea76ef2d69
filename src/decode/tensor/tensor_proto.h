// TensorProto reads a value that is a serialized tensorflow.TensorProto. It
// accepts what tf.io.parse_tensor accepts, by rules B of docs/semantics.md.

#ifndef HEADRACE_SRC_DECODE_TENSOR_TENSOR_PROTO_H_
#define HEADRACE_SRC_DECODE_TENSOR_TENSOR_PROTO_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "headrace/types.h"
#include "src/decode/tensor/fault.h"
#include "src/plan/compile/program.h"
#include "wire/wire.h"

namespace headrace::tensor {

// Why a value is not the tensor that was asked for.
enum class TensorFault : uint8_t {
  kNone,
  kMalformed,      // not a TensorProto
  kNoType,         // no dtype, or 0
  kUnknownType,    // a dtype that TensorFlow does not have, or a reference
  kRank,           // more than kMaxRank dimensions
  kDimension,      // a negative dimension
  kElements,       // 2^63 elements or more
  kOtherType,      // a tensor of another type; the only kWrongKind
  kOtherShape,     // a tensor of another shape
  kContentSize,    // content of another size than the elements
  kContentBools,   // content of bools that are neither 0 nor 1
  kContentStrings  // content that is not the strings
};

class TensorProto {
 public:
  static constexpr size_t kMaxRank = 254;

  // Reads everything but the elements, which stay in `value`. `shape` is the
  // shape asked for; -1 stands for any dimension. The elements are counted and
  // checked only if the type and the shape are those asked for.
  TensorFault Read(std::string_view value, DType type,
                   std::span<const int64_t> shape);

  // The functions below are for the value last read. These two are valid if it
  // was kNone, or else kOtherType or later.
  std::span<const int64_t> dimensions() const {
    return {dimensions_.data(), std::min(rank_, kMaxRank)};
  }
  uint64_t elements() const { return elements_; }

  // Writes `count` elements of DTypeSize(type) bytes each, row-major; those of
  // strings are views of the value. If the value has changed since it was read,
  // writes any elements, but never more.
  void Write(size_t count, uint8_t* out) const;

  // Returns what is at fault, as in "is not a tensor: it has no dtype", or for
  // another type or shape what was found.
  std::string Explain(TensorFault fault) const;

 private:
  class Collector;
  class ElementWriter;

  TensorFault CheckShape(std::span<const int64_t> shape);
  TensorFault CheckContent() const;
  size_t WriteContent(size_t count, uint8_t* out) const;

  std::string_view value_;
  DType asked_ = DType::kFloat;
  wire::Fault wire_fault_ = wire::Fault::kNone;
  uint32_t data_type_ = 0;
  size_t rank_ = 0;  // may be more than kMaxRank
  size_t bad_dimension_ = 0;
  uint64_t elements_ = 0;
  wire::Span content_;
  // Not initialised: only the first rank_ are used.
  std::array<int64_t, kMaxRank> dimensions_;
};

// The shape that the values of an output must have.
std::span<const int64_t> AskedShape(const plan::Output& output);

// Reads a value of an output whose encoding is kTensorProto. The bytes are
// those of the elements; the dimensions are valid until `proto` is used again.
Unpacked UnpackTensor(const plan::Output& output, std::string_view value,
                      TensorProto* proto);

}  // namespace headrace::tensor

#endif  // HEADRACE_SRC_DECODE_TENSOR_TENSOR_PROTO_H_
