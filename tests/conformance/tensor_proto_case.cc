// tensor_proto*.jsonl: a TensorProto as what tf.io.parse_tensor makes of it.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "src/decode/tensor/tensor_proto.h"
#include "tests/conformance/cases.h"
#include "tests/golden/golden.h"
#include "tests/support/example_builder.h"
#include "tests/support/hex.h"

namespace headrace::conformance {

using nlohmann::json;
using tensor::TensorFault;
using tensor::TensorProto;

namespace {

using Shape = std::vector<int64_t>;

constexpr int64_t kMostRows = INT32_MAX;
// The vectors have no elements of larger tensors, because numpy has none.
constexpr size_t kMostDimensions = 64;

// The rows of each dimension, for all rows of the one before it.
bool DeclaresTooManyRows(const Shape& shape) {
  int64_t rows = 1;
  for (const int64_t dimension : shape) {
    if (rows > 0 && dimension > kMostRows / rows) return true;
    rows *= dimension;
  }
  return false;
}

// Zeros do not make a shape smaller there.
bool IsShapeOfSpec(const Shape& shape) {
  Shape without_zeros;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(without_zeros),
               [](int64_t dimension) { return dimension != 0; });
  return !DeclaresTooManyRows(without_zeros);
}

Result<Batch> Decode(FeatureConfig config, DType type, const std::string& value,
                     const Limits& limits) {
  config.as = type;
  config.encoding = Encoding::kTensorProto;
  auto plan = Plan::Compile(FeatureSpec().Add("x", std::move(config)));
  if (!plan.ok()) return plan.status();
  const std::string record =
      testing::ExampleBuilder().Bytes("x", {value}).Build();
  const std::string_view views[] = {record};
  return Decoder(*plan, {.limits = limits}).Decode(views);
}

// One array per row: every dimension is unknown. A scalar is in a list of one.
FeatureConfig AnyShape(size_t rank) {
  FeatureConfig config = Ragged(DType::kBytes);
  config.item_shape = Shape(rank, -1);
  if (rank == 0) config.shape = {-1};
  return config;
}

std::string CompareElements(const json& golden, const Tensor& tensor) {
  if (golden["shape"].size() > kMostDimensions) return {};
  if (golden.contains("strings")) {
    const auto expected = golden["strings"].get<std::vector<std::string>>();
    const auto found = tensor.bytes();
    const bool is_same =
        std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                   [](std::string_view text, const std::string& hex) {
                     return testing::ToHex(text) == hex;
                   });
    return is_same ? "" : "other strings";
  }
  const auto* const bytes = static_cast<const char*>(tensor.values);
  const std::string found =
      testing::ToHex({bytes, tensor.num_values * DTypeSize(tensor.dtype)});
  if (found == golden.at("bytes").get<std::string>()) return {};
  return "other elements: " + found;
}

std::string CompareFixedLen(const json& golden, DType type,
                            const std::string& value, const Shape& shape) {
  const auto batch = Decode(FixedLen(DType::kBytes, shape), type, value, {});
  if (!batch.ok()) return batch.status().ToString();
  const Tensor& tensor = batch->tensors()[0];
  Shape wanted = shape;
  wanted.insert(wanted.begin(), 1);
  if (!std::equal(tensor.shape.begin(), tensor.shape.end(), wanted.begin(),
                  wanted.end())) {
    return "another shape";
  }
  return CompareElements(golden, tensor);
}

std::string CompareRagged(const json& golden, DType type,
                          const std::string& value, const Shape& shape) {
  const auto batch = Decode(AnyShape(shape.size()), type, value, {});
  if (!batch.ok()) return batch.status().ToString();
  const Tensor& tensor = batch->tensors()[0];
  int64_t rows = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    const RowSplits& splits = tensor.row_splits[i];
    const int64_t limit = rows * shape[i];
    if (splits.size != static_cast<size_t>(rows) + 1 ||
        splits[splits.size - 1] != limit) {
      return "other splits in dimension " + std::to_string(i);
    }
    rows = limit;
  }
  return CompareElements(golden, tensor);
}

std::string CompareTensor(const json& golden, DType type,
                          const std::string& value) {
  const Shape shape = golden.at("shape").get<Shape>();
  TensorProto proto;
  if (proto.Read(value, type, Shape(shape.size(), -1)) != TensorFault::kNone) {
    return "not a tensor: " + proto.Explain(proto.Read(value, type, shape));
  }
  if (!std::equal(shape.begin(), shape.end(), proto.dimensions().begin(),
                  proto.dimensions().end())) {
    return "another shape than " + golden["shape"].dump();
  }
  if (DeclaresTooManyRows(shape)) {
    const auto batch = Decode(AnyShape(shape.size()), type, value, {});
    return batch.status().code() == ErrorCode::kLimit
               ? ""
               : "more rows than a batch has: " + batch.status().ToString();
  }
  const std::string difference =
      Labelled("ragged", CompareRagged(golden, type, value, shape));
  if (!difference.empty() || !IsShapeOfSpec(shape)) return difference;
  return Labelled("fixed_len", CompareFixedLen(golden, type, value, shape));
}

// TensorFlow looks at the type last, headrace before shape and content. So of a
// tensor that is wrong in both ways either may be said.
std::string CompareError(const std::string& error, DType type,
                         const std::string& value) {
  TensorProto proto;
  proto.Read(value, type, {});
  const size_t rank = proto.dimensions().size();
  const TensorFault fault = proto.Read(value, type, Shape(rank, -1));
  const bool is_right =
      error == "parse"   ? fault == TensorFault::kMalformed
      : error == "dtype" ? fault == TensorFault::kOtherType
      : error == "tensor"
          ? fault != TensorFault::kNone && fault != TensorFault::kMalformed
          : throw std::runtime_error("error " + error);
  if (!is_right) return "expected " + error + ", found " + proto.Explain(fault);
  const ErrorCode code = fault == TensorFault::kOtherType
                             ? ErrorCode::kWrongKind
                             : ErrorCode::kWrongCount;
  const auto batch = Decode(AnyShape(rank), type, value, {});
  if (batch.status().code() == code) return {};
  return "another error: " + batch.status().ToString();
}

}  // namespace

std::string RunTensorProtoCase(const json& golden, const CaseContext&) {
  const std::string name = golden.at("out_type").get<std::string>();
  const auto type = ParseName<DType>(name);
  if (!type) throw std::runtime_error("type " + name);
  const auto value = testing::ParseHex(golden.at("in").get<std::string>());
  if (!value) throw std::runtime_error("no hex");
  if (golden.contains("error")) {
    return CompareError(golden["error"].get<std::string>(), *type, *value);
  }
  if (!golden.contains("elements")) return CompareTensor(golden, *type, *value);
  // A few bytes that declare many elements.
  TensorProto proto;
  proto.Read(*value, *type, {});
  const auto batch = Decode(AnyShape(proto.dimensions().size()), *type, *value,
                            {.max_batch_bytes = uint64_t{1} << 20});
  return batch.status().code() == ErrorCode::kLimit
             ? ""
             : "no limit: " + batch.status().ToString();
}

}  // namespace headrace::conformance
