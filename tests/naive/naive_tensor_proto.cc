#include "tests/naive/naive_tensor_proto.h"

#include <bit>
#include <map>
#include <optional>

#include "google/protobuf/stubs/logging.h"
#include "tests/naive/naive_convert.h"
#include "tests/naive/tensor.pb.h"

namespace headrace::testing {

namespace {

using End = NaiveTensorProto::End;
using Proto = pb::TensorProto;

// tensorflow.DataType.
const std::map<DType, int>& TypeNumbers() {
  static const std::map<DType, int> numbers = {
      {DType::kFloat, 1},     {DType::kFloat64, 2}, {DType::kInt32, 3},
      {DType::kUint8, 4},     {DType::kInt16, 5},   {DType::kInt8, 6},
      {DType::kBytes, 7},     {DType::kInt64, 9},   {DType::kBool, 10},
      {DType::kBfloat16, 14}, {DType::kUint16, 17}, {DType::kFloat16, 19},
      {DType::kUint32, 22},   {DType::kUint64, 23}};
  return numbers;
}
constexpr int kLastType = 33;
constexpr int kMostDimensions = 254;
constexpr int64_t kMostElements = 1 << 20;

std::optional<int64_t> CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (dimension > 0 && count > INT64_MAX / dimension) return std::nullopt;
    count *= dimension;
  }
  return count;
}

bool Fits(const std::vector<int64_t>& found,
          const std::vector<int64_t>& asked) {
  if (found.size() != asked.size()) return false;
  for (size_t i = 0; i < found.size(); ++i) {
    if (asked[i] >= 0 && asked[i] != found[i]) return false;
  }
  return true;
}

// The little-endian bytes of a number.
template <class T>
std::string BytesOf(T value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
  }
  return bytes;
}

// The values of the field of this type, each as the bytes of an element.
std::vector<std::string> ValuesOf(const Proto& proto, DType type) {
  std::vector<std::string> values;
  const auto add = [&](const auto& field) {
    for (const auto value : field) {
      values.push_back(BytesOf(value, static_cast<size_t>(NaiveSize(type))));
    }
  };
  switch (type) {
    case DType::kFloat:
      for (const float value : proto.float_val()) {
        values.push_back(BytesOf(std::bit_cast<uint32_t>(value), 4));
      }
      break;
    case DType::kFloat64:
      for (const double value : proto.double_val()) {
        values.push_back(BytesOf(std::bit_cast<uint64_t>(value), 8));
      }
      break;
    case DType::kInt32:
    case DType::kInt16:
    case DType::kInt8:
    case DType::kUint16:
    case DType::kUint8:
      add(proto.int_val());
      break;
    case DType::kInt64:
      add(proto.int64_val());
      break;
    case DType::kBool:
      add(proto.bool_val());
      break;
    case DType::kFloat16:
    case DType::kBfloat16:
      add(proto.half_val());
      break;
    case DType::kUint32:
      add(proto.uint32_val());
      break;
    case DType::kUint64:
      add(proto.uint64_val());
      break;
    case DType::kBytes:
      for (const std::string& value : proto.string_val()) {
        values.push_back(value);
      }
      break;
  }
  return values;
}

// The strings of a content: all lengths, then all bytes.
std::optional<std::vector<std::string>> StringsOf(const std::string& content,
                                                  int64_t count) {
  std::vector<uint64_t> lengths;
  size_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t length = 0;
    for (uint32_t shift = 0;; shift += 7) {
      if (shift > 28 || at == content.size()) return std::nullopt;
      const auto byte = static_cast<uint8_t>(content[at++]);
      length |= uint32_t{byte & 127u} << shift;
      if (byte < 128) break;
    }
    lengths.push_back(length);
  }
  std::vector<std::string> strings;
  for (const uint64_t length : lengths) {
    if (length > content.size() - at) return std::nullopt;
    strings.push_back(content.substr(at, length));
    at += length;
  }
  if (at != content.size()) return std::nullopt;
  return strings;
}

// The elements of a content; empty where it has others.
std::optional<NaiveFeature> ContentOf(const std::string& content, DType type,
                                      int64_t count) {
  if (type == DType::kBytes) {
    auto strings = StringsOf(content, count);
    if (!strings) return std::nullopt;
    return NaiveFeature{.kind = Kind::kBytes, .bytes = std::move(*strings)};
  }
  if (type == DType::kBool) {
    for (const char byte : content) {
      if (byte != 0 && byte != 1) return std::nullopt;
    }
  }
  auto elements = NaiveElements(content, type);
  if (!elements || elements->count() != count) return std::nullopt;
  return elements;
}

// The last value stands for all that are missing.
NaiveFeature Filled(std::vector<std::string> values, DType type,
                    int64_t count) {
  const std::string zero(
      type == DType::kBytes ? 0 : static_cast<size_t>(NaiveSize(type)), 0);
  values.resize(static_cast<size_t>(count),
                values.empty() ? zero : std::string(values.back()));
  if (type == DType::kBytes) return {.kind = Kind::kBytes, .bytes = values};
  std::string bytes;
  for (const std::string& value : values) bytes += value;
  return *NaiveElements(bytes, type);
}

}  // namespace

bool NaiveReadsTensors(const FeatureConfig& config) {
  return config.encoding == Encoding::kTensorProto;
}

NaiveTensorProto NaiveReadTensor(const std::string& value, DType type,
                                 const std::vector<int64_t>& shape) {
  google::protobuf::LogSilencer silence;
  Proto proto;
  if (!proto.ParseFromString(value)) return {.end = End::kMalformed};
  NaiveTensorProto tensor;
  for (const auto& dimension : proto.tensor_shape().dim()) {
    tensor.shape.push_back(dimension.size());
  }
  const auto count = CountOf(tensor.shape);
  if (proto.dtype() <= 0 || proto.dtype() > kLastType || !count ||
      tensor.shape.size() > kMostDimensions) {
    return {.end = End::kNoTensor};
  }
  if (proto.dtype() != TypeNumbers().at(type)) return {.end = End::kOtherType};
  if (!Fits(tensor.shape, shape)) return {.end = End::kOtherShape};
  if (proto.tensor_content().empty() || *count == 0) {
    if (*count > kMostElements) return {.end = End::kTooLarge};
    tensor.elements =
        Filled(*count == 0 ? std::vector<std::string>() : ValuesOf(proto, type),
               type, *count);
    return tensor;
  }
  auto content = ContentOf(proto.tensor_content(), type, *count);
  if (!content) return {.end = End::kNoTensor};
  tensor.elements = std::move(*content);
  return tensor;
}

}  // namespace headrace::testing
