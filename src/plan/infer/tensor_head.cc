#include "src/plan/infer/tensor_head.h"

#include <vector>

#include "src/plan/compile/shape.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace::infer {
namespace {

using wire::Cursor;
using wire::Span;
using wire::Tag;

// Sets the dimensions of a TensorShapeProto that has nothing but sizes.
bool ReadShape(Span message, std::vector<int64_t>* shape) {
  Cursor cursor(message);
  while (!cursor.done()) {
    uint32_t tag;
    Span dimension;
    if (!cursor.ReadTag(&tag) || tag != Tag(2, wire::kLen) ||
        !cursor.ReadLen(&dimension)) {
      return false;
    }
    uint64_t size = 0;
    Cursor inner(dimension);
    if (!inner.done() &&
        (!inner.ReadTag(&tag) || tag != Tag(1, wire::kVarint) ||
         !inner.ReadVarint(&size) || !inner.done())) {
      return false;
    }
    if (size > INT64_MAX) return false;
    shape->push_back(static_cast<int64_t>(size));
  }
  return true;
}

// Whether the rest of a whole value has the fields of a message.
bool SkipRest(Cursor* cursor) {
  while (!cursor->done()) {
    uint32_t tag;
    if (!cursor->ReadTag(&tag) || !cursor->SkipValue(tag, /*depth=*/0)) {
      return false;
    }
  }
  return true;
}

}  // namespace

uint32_t TensorTypeNumber(DType type) {
  switch (type) {
    case DType::kFloat:
      return 1;
    case DType::kFloat64:
      return 2;
    case DType::kInt32:
      return 3;
    case DType::kUint8:
      return 4;
    case DType::kInt16:
      return 5;
    case DType::kInt8:
      return 6;
    case DType::kBytes:
      return 7;
    case DType::kInt64:
      return 9;
    case DType::kBool:
      return 10;
    case DType::kBfloat16:
      return 14;
    case DType::kUint16:
      return 17;
    case DType::kFloat16:
      return 19;
    case DType::kUint32:
      return 22;
    case DType::kUint64:
      return 23;
  }
  return 0;
}

std::optional<DType> TypeOfTensor(uint32_t number) {
  for (const EnumName<DType>& type : EnumNames<DType>()) {
    if (TensorTypeNumber(type.value) == number) return type.value;
  }
  return std::nullopt;
}

std::string TensorHeadText(std::string_view begin, uint64_t size) {
  Cursor cursor(wire::SpanOf(begin));
  uint32_t tag;
  uint64_t number;
  Span message;
  if (!cursor.ReadTag(&tag) || tag != Tag(1, wire::kVarint) ||
      !cursor.ReadVarint(&number) || !cursor.ReadTag(&tag) ||
      tag != Tag(2, wire::kLen) || !cursor.ReadLen(&message)) {
    return {};
  }
  const auto type = TypeOfTensor(static_cast<uint32_t>(number));
  std::vector<int64_t> shape;
  if (!type || !ReadShape(message, &shape)) return {};
  if (begin.size() == size && !SkipRest(&cursor)) return {};
  return std::string(DTypeName(*type)) + " " + plan::ShapeText(shape);
}

}  // namespace headrace::infer
