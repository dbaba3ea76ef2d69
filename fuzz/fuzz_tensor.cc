// Any bytes are a TensorProto: whether they are the tensor that is asked for,
// and its elements, are compared with what libprotobuf parses. Bytes that
// change after they were read never make more elements.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "src/decode/tensor/tensor_proto.h"
#include "tests/naive/naive_convert.h"
#include "tests/naive/naive_tensor_proto.h"
#include "tests/random/mutator.h"
#include "tests/random/random_tensor_proto.h"

namespace headrace::fuzzing {
namespace {

using tensor::TensorFault;
using tensor::TensorProto;
using testing::NaiveFeature;
using testing::NaiveTensorProto;
using Shape = std::vector<int64_t>;

// Tensors with more elements are not made.
constexpr uint64_t kMostElements = 1 << 20;

NaiveTensorProto::End EndOf(TensorFault fault) {
  switch (fault) {
    case TensorFault::kNone:
      return NaiveTensorProto::End::kTensor;
    case TensorFault::kMalformed:
      return NaiveTensorProto::End::kMalformed;
    case TensorFault::kOtherType:
      return NaiveTensorProto::End::kOtherType;
    case TensorFault::kOtherShape:
      return NaiveTensorProto::End::kOtherShape;
    default:
      return NaiveTensorProto::End::kNoTensor;
  }
}

// The value has memory of its own, so that a sanitizer sees a byte too far.
struct Placed {
  explicit Placed(std::string_view value)
      : size(value.size()), bytes(new char[value.size()]) {
    if (size > 0) std::memcpy(bytes.get(), value.data(), size);
  }
  std::string_view view() const { return {bytes.get(), size}; }

  size_t size;
  std::unique_ptr<char[]> bytes;
};

NaiveFeature ElementsOf(const TensorProto& proto, DType type, size_t count,
                        std::string_view value) {
  const size_t size = count * DTypeSize(type);
  const auto out = std::make_unique<std::string_view[]>(
      (size + sizeof(std::string_view) - 1) / sizeof(std::string_view));
  auto* const bytes = reinterpret_cast<uint8_t*>(out.get());
  proto.Write(count, bytes);
  if (type != DType::kBytes) {
    return *testing::NaiveElements(
        std::string(reinterpret_cast<const char*>(bytes), size), type);
  }
  NaiveFeature strings{.kind = Kind::kBytes};
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text = out[i];
    Require(text.empty() ||
                (text.data() >= value.data() &&
                 text.data() + text.size() <= value.data() + value.size()),
            "a string outside the value");
    strings.bytes.emplace_back(text);
  }
  return strings;
}

// The shape that is asked for: the value's own, in part or whole, or any other.
Shape AskedShape(size_t way, std::string_view value, DType type) {
  TensorProto proto;
  proto.Read(value, type, {});
  Shape shape(proto.dimensions().begin(), proto.dimensions().end());
  if (way == 0) shape.push_back(1);
  if (way == 1 && !shape.empty()) {
    shape[0] = static_cast<int64_t>(static_cast<uint64_t>(shape[0]) + 1);
  }
  for (int64_t& dimension : shape) {
    if (way >= 4 || dimension < 0) dimension = -1;
  }
  return shape;
}

}  // namespace

void CheckInput(std::string_view input) {
  Choices choices(input);
  const auto types = EnumNames<DType>();
  const DType type = types[choices.Below(types.size())].value;
  const size_t way = choices.Below(8);
  const uint8_t change = choices.Byte();
  const Placed value(choices.rest());
  const Shape shape = AskedShape(way, value.view(), type);
  TensorProto proto;
  const TensorFault fault = proto.Read(value.view(), type, shape);
  const NaiveTensorProto expected =
      testing::NaiveReadTensor(std::string(value.view()), type, shape);
  if (fault != TensorFault::kNone) {
    Require(EndOf(fault) == expected.end, "another end");
    Require(!proto.Explain(fault).empty(), "a fault without a text");
    return;
  }
  if (proto.elements() > kMostElements) {
    Require(expected.end == NaiveTensorProto::End::kTooLarge ||
                expected.end == NaiveTensorProto::End::kTensor,
            "a large tensor");
    return;
  }
  Require(expected.end == NaiveTensorProto::End::kTensor, "no tensor");
  Require(Shape(proto.dimensions().begin(), proto.dimensions().end()) ==
              expected.shape,
          "another shape");
  const auto count = static_cast<size_t>(proto.elements());
  Require(ElementsOf(proto, type, count, value.view()) == expected.elements,
          "other elements");
  if (value.size == 0) return;
  value.bytes[change % value.size] ^= static_cast<char>(1 + change);
  ElementsOf(proto, type, count, value.view());
}

std::string NewInput(Random* random) {
  const auto types = EnumNames<DType>();
  const size_t type = random->Below(types.size());
  Shape shape(random->Below(4));
  for (int64_t& dimension : shape) {
    dimension = static_cast<int64_t>(random->Below(4));
  }
  std::string input(1, static_cast<char>(type));
  input += random->Bytes(2);
  return input + testing::RandomTensorProto(types[type].value, shape, random);
}

std::string ChangeInput(std::string_view input, Random* random) {
  constexpr size_t kChoices = 3;
  if (input.size() < kChoices || random->OneIn(8)) return NewInput(random);
  return std::string(input.substr(0, kChoices)) +
         testing::Mutator(random->Bits()).Mutate(input.substr(kChoices));
}

}  // namespace headrace::fuzzing
