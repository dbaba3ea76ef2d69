#include "tests/random/random_tensor_proto.h"

#include <algorithm>
#include <utility>

#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

using Shape = std::vector<int64_t>;

size_t CountOf(const Shape& shape) {
  size_t count = 1;
  for (const int64_t dimension : shape) count *= static_cast<size_t>(dimension);
  return count;
}

std::string ShapeField(const Shape& shape) {
  std::string dimensions;
  for (const int64_t dimension : shape) {
    dimensions += LenField(2, VarintField(1, static_cast<uint64_t>(dimension)));
  }
  return LenField(2, dimensions);
}

// Strings as a content: all lengths, then all bytes.
std::string StringContent(size_t count, Random* random) {
  std::string lengths, bytes;
  for (size_t i = 0; i < count; ++i) {
    const std::string text = random->Bytes(random->Below(4));
    lengths += Varint(text.size(), random->OneIn(8) ? 1 + random->Below(6) : 0);
    bytes += text;
  }
  return lengths + bytes;
}

std::string Content(DType type, size_t count, Random* random) {
  if (type == DType::kBytes) return StringContent(count, random);
  if (type != DType::kBool) return random->Bytes(count * DTypeSize(type));
  std::string bools = random->Bytes(count);
  for (char& value : bools) value &= 1;
  return bools;
}

// Values of the field, packed or not; both may alternate.
std::string Values(DType type, size_t count, Random* random) {
  const uint32_t field = TensorFieldOf(type).values;
  std::string all, packed;
  for (size_t i = 0; i < count; ++i) {
    const bool is_packed = !random->OneIn(3);
    const auto number = static_cast<uint64_t>(random->Int64());
    if (type == DType::kBytes) {
      all += LenField(field, random->Bytes(random->Below(5)));
    } else if (type == DType::kFloat) {
      const auto bits = static_cast<uint32_t>(number);
      (is_packed ? packed : all) +=
          is_packed ? Fixed32(bits) : Fixed32Field(field, bits);
    } else if (type == DType::kFloat64) {
      (is_packed ? packed : all) +=
          is_packed ? Fixed64(number) : Fixed64Field(field, number);
    } else {
      (is_packed ? packed : all) +=
          is_packed ? Varint(number) : VarintField(field, number);
    }
    if (!packed.empty() && random->OneIn(4)) {
      all += LenField(field, std::exchange(packed, {}));
    }
  }
  if (!packed.empty()) all += LenField(field, packed);
  return all;
}

// A field that says nothing about the elements.
std::string OtherField(Random* random) {
  switch (random->Below(8)) {
    case 0:
      return VarintField(3, random->Bits());
    case 1:
      return LenField(2, VarintField(3, 1));  // unknown_rank
    case 2:
      return LenField(14, LenField(1, random->OneIn(2) ? "cpu" : "\xFF"));
    case 3:
      return LenField(15, LenField(3, TensorHead(DType::kFloat, {2})) +
                              (random->OneIn(2) ? LenField(1, "\xC0") : ""));
    case 4:
      return NestedGroups(20, 1 + random->Below(101));
    case 5:
      return LenField(9, random->Bytes(4 + random->Below(2)));
    case 6:
      return VarintField(4, 1);  // of another wire type
    default:
      return LenField(500, random->Bytes(3));
  }
}

DType AnyType(Random* random) {
  const auto names = EnumNames<DType>();
  return names[random->Below(names.size())].value;
}

}  // namespace

TensorField TensorFieldOf(DType type) {
  switch (type) {
    case DType::kFloat:
      return {1, 5};
    case DType::kFloat64:
      return {2, 6};
    case DType::kInt32:
      return {3, 7};
    case DType::kUint8:
      return {4, 7};
    case DType::kInt16:
      return {5, 7};
    case DType::kInt8:
      return {6, 7};
    case DType::kBytes:
      return {7, 8};
    case DType::kInt64:
      return {9, 10};
    case DType::kBool:
      return {10, 11};
    case DType::kBfloat16:
      return {14, 13};
    case DType::kUint16:
      return {17, 7};
    case DType::kFloat16:
      return {19, 13};
    case DType::kUint32:
      return {22, 16};
    case DType::kUint64:
      return {23, 17};
  }
  return {};
}

std::string TensorHead(DType type, const Shape& shape) {
  return VarintField(1, TensorFieldOf(type).type) + ShapeField(shape);
}

std::string TensorOfContent(DType type, const Shape& shape,
                            std::string_view content) {
  return TensorHead(type, shape) + LenField(4, content);
}

std::string RandomTensorProto(DType type, const Shape& shape, Random* random) {
  if (random->OneIn(24)) type = AnyType(random);
  const size_t count = CountOf(shape);
  const size_t off = random->OneIn(16) ? 1 : 0;
  std::vector<std::string> fields;
  fields.push_back(VarintField(1, TensorFieldOf(type).type));
  if (!shape.empty() || random->OneIn(2)) fields.push_back(ShapeField(shape));
  if (random->OneIn(64)) fields.push_back(VarintField(1, random->Below(140)));
  if (random->OneIn(64)) fields.push_back(ShapeField({2}));
  const bool has_content = random->OneIn(2);
  if (has_content) {
    fields.push_back(LenField(4, Content(type, count + off, random)));
  }
  if (!has_content || random->OneIn(8)) {
    const size_t values =
        random->OneIn(3) ? random->Below(count + 2) : count + off;
    fields.push_back(Values(type, values, random));
  }
  if (random->OneIn(3)) fields.push_back(OtherField(random));
  if (random->OneIn(3)) {
    std::swap(fields[0], fields[random->Below(fields.size())]);
  }
  std::string proto;
  for (const std::string& field : fields) proto += field;
  if (random->OneIn(48)) proto.resize(random->Below(proto.size() + 1));
  if (random->OneIn(48)) proto += random->Bytes(1);
  return proto;
}

}  // namespace headrace::testing
