#include "src/decode/tensor/tensor_proto.h"

#include <cstring>
#include <limits>
#include <new>

#include "src/base/checked_math.h"
#include "src/base/text/numbers.h"
#include "src/plan/compile/shape.h"
#include "src/plan/infer/tensor_head.h"
#include "wire/cursor.h"
#include "wire/utf8.h"

namespace headrace::tensor {
namespace {

using wire::Cursor;
using wire::Span;

// The messages that a TensorProto may contain. Tensors of resources and
// variants have no type here, but their fields must parse, too.
enum class Proto : uint8_t {
  kTensor,
  kShape,         // TensorShapeProto
  kDimension,     // TensorShapeProto.Dim
  kResource,      // ResourceHandleProto
  kTypeAndShape,  // ResourceHandleProto.DtypeAndShape
  kVariant,       // VariantTensorDataProto
};

// Field numbers of TensorProto.
constexpr uint32_t kType = 1, kContent = 4, kFloats = 5, kDoubles = 6,
                   kInts = 7, kStrings = 8, kInt64s = 10, kBools = 11,
                   kHalves = 13, kUint32s = 16, kUint64s = 17;
// Field numbers of TensorShapeProto and its Dim.
constexpr uint32_t kDimensionOfShape = 2, kSize = 1;

// How a field is read; fields of other wire types are skipped.
enum class Form : uint8_t {
  kSkipped,
  kMessage,
  kText,
  kFixed32,
  kFixed64,
  kVarint
};

struct FieldForm {
  Form form = Form::kSkipped;
  Proto proto = Proto::kTensor;  // of a kMessage
};

constexpr FieldForm FormInTensor(uint32_t number) {
  switch (number) {
    case 2:
      return {Form::kMessage, Proto::kShape};
    case kFloats:
    case 9:  // complex64
      return {Form::kFixed32};
    case kDoubles:
    case 12:  // complex128
      return {Form::kFixed64};
    case kInts:
    case kInt64s:
    case kBools:
    case kHalves:
    case kUint32s:
    case kUint64s:
      return {Form::kVarint};
    case 14:
      return {Form::kMessage, Proto::kResource};
    case 15:
      return {Form::kMessage, Proto::kVariant};
    default:
      return {};
  }
}

constexpr FieldForm FormIn(Proto proto, uint32_t number) {
  switch (proto) {
    case Proto::kTensor:
      return FormInTensor(number);
    case Proto::kShape:
      if (number == kDimensionOfShape) {
        return {Form::kMessage, Proto::kDimension};
      }
      break;
    case Proto::kDimension:
      if (number == 2) return {Form::kText};
      break;
    case Proto::kResource:
      if (number == 6) return {Form::kMessage, Proto::kTypeAndShape};
      if (number <= 3 || number == 5) return {Form::kText};
      break;
    case Proto::kTypeAndShape:
      if (number == 2) return {Form::kMessage, Proto::kShape};
      break;
    case Proto::kVariant:
      if (number == 1) return {Form::kText};
      if (number == 3) return {Form::kMessage, Proto::kTensor};
      break;
  }
  return {};
}

// One field. `depth` is the number of messages around its message.
struct Item {
  int depth = 0;
  Proto in = Proto::kTensor;
  uint32_t number = 0;
  uint32_t wire_type = 0;
  uint64_t varint = 0;  // of wire type kVarint
  Span span = {};       // of the others: the bytes of the value
};

wire::Fault CheckVarints(Span run) {
  Cursor cursor(run);
  uint64_t ignored;
  while (!cursor.done()) {
    if (!cursor.ReadVarint(&ignored)) return cursor.fault();
  }
  return wire::Fault::kNone;
}

wire::Fault CheckLen(Form form, Span span) {
  switch (form) {
    case Form::kSkipped:
    case Form::kMessage:
      break;
    case Form::kText:
      if (!wire::IsUtf8(span)) return wire::Fault::kUtf8;
      break;
    case Form::kFixed32:
      if (span.size % 4 != 0) return wire::Fault::kPackedSize;
      break;
    case Form::kFixed64:
      if (span.size % 8 != 0) return wire::Fault::kPackedSize;
      break;
    case Form::kVarint:
      return CheckVarints(span);
  }
  return wire::Fault::kNone;
}

// Reads the value of the field after its tag.
bool ReadValue(Cursor* cursor, uint32_t tag, int depth, Item* item) {
  if (item->wire_type == wire::kVarint)
    return cursor->ReadVarint(&item->varint);
  if (item->wire_type == wire::kLen) return cursor->ReadLen(&item->span);
  const uint8_t* const begin = cursor->position();
  if (!cursor->SkipValue(tag, depth)) return false;
  item->span = {begin, static_cast<size_t>(cursor->position() - begin)};
  return true;
}

// Calls on_item(item) for each field of the tensor and of the messages in it,
// outer ones first, until it returns false. The messages nest, but the input
// causes no recursion.
template <class OnItem>
wire::Fault Walk(std::string_view value, OnItem&& on_item) {
  struct Open {
    const uint8_t* end;
    Proto proto;
  };
  std::array<Open, wire::kMaxDepth + 1> open;
  const Span whole = wire::SpanOf(value);
  open[0] = {whole.end(), Proto::kTensor};
  int depth = 0;
  const uint8_t* p = whole.data;
  while (true) {
    const Open& message = open[static_cast<size_t>(depth)];
    if (p == message.end) {
      if (depth-- == 0) return wire::Fault::kNone;
      continue;
    }
    Cursor cursor({p, static_cast<size_t>(message.end - p)});
    uint32_t tag;
    if (!cursor.ReadTag(&tag)) return cursor.fault();
    Item item{.depth = depth,
              .in = message.proto,
              .number = tag >> 3,
              .wire_type = tag & 7};
    if (!ReadValue(&cursor, tag, depth, &item)) return cursor.fault();
    p = cursor.position();
    if (item.wire_type == wire::kLen) {
      const FieldForm field = FormIn(item.in, item.number);
      const wire::Fault fault = CheckLen(field.form, item.span);
      if (fault != wire::Fault::kNone) return fault;
      if (field.form == Form::kMessage) {
        if (depth == wire::kMaxDepth) return wire::Fault::kDepth;
        open[static_cast<size_t>(++depth)] = {item.span.end(), field.proto};
        p = item.span.data;
      }
    }
    if (!on_item(item)) return wire::Fault::kNone;
  }
}

// The field that has the values of a type.
constexpr uint32_t FieldOf(DType type) {
  switch (type) {
    case DType::kFloat:
      return kFloats;
    case DType::kFloat64:
      return kDoubles;
    case DType::kInt32:
    case DType::kInt16:
    case DType::kInt8:
    case DType::kUint16:
    case DType::kUint8:
      return kInts;
    case DType::kBytes:
      return kStrings;
    case DType::kInt64:
      return kInt64s;
    case DType::kBool:
      return kBools;
    case DType::kBfloat16:
    case DType::kFloat16:
      return kHalves;
    case DType::kUint32:
      return kUint32s;
    case DType::kUint64:
      return kUint64s;
  }
  return 0;
}

// The largest number in tensorflow.DataType.
constexpr uint32_t kLastDataType = 33;
// Types of references are those of values plus this.
constexpr uint32_t kReference = 100;

// Returns the type's name, or its number if headrace has no such type.
std::string DataTypeText(uint32_t number) {
  if (const auto type = infer::TypeOfTensor(number)) {
    return std::string(DTypeName(*type));
  }
  return "tensorflow.DataType " + std::to_string(number);
}

// The lengths of strings in a content: varints of at most five bytes, of which
// bits above 31 are dropped.
bool ReadLength(Span* rest, uint32_t* length) {
  uint64_t value = 0;
  for (size_t i = 0; i < 5 && i < rest->size; ++i) {
    const uint64_t byte = rest->data[i];
    value |= (byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    *length = static_cast<uint32_t>(value);
    *rest = {rest->data + i + 1, rest->size - i - 1};
    return true;
  }
  return false;
}

// Copies the last of `written` elements to all after it, up to `count`. Without
// one they become zeros, or empty strings.
void Repeat(DType type, size_t written, size_t count, uint8_t* out) {
  if (written == count) return;
  const size_t size = DTypeSize(type);
  uint8_t* const begin = out + written * size;
  const size_t bytes = (count - written) * size;
  if (written > 0) {
    std::memcpy(begin, begin - size, size);
  } else if (type == DType::kBytes) {
    new (begin) std::string_view();
  } else {
    std::memset(begin, 0, size);
  }
  for (size_t done = size; done < bytes;) {
    const size_t more = std::min(done, bytes - done);
    std::memcpy(begin + done, begin, more);
    done += more;
  }
}

}  // namespace

// Takes over the last type and content, and the dimensions of all shapes.
class TensorProto::Collector {
 public:
  explicit Collector(TensorProto* proto) : proto_(*proto) {}

  bool operator()(const Item& item) {
    const bool is_len = item.wire_type == wire::kLen;
    const bool is_varint = item.wire_type == wire::kVarint;
    if (item.depth == 0 && item.number == kType && is_varint) {
      proto_.data_type_ = static_cast<uint32_t>(item.varint);
    } else if (item.depth == 0 && item.number == kContent && is_len) {
      proto_.content_ = item.span;
    } else if (item.depth == 1 && item.in == Proto::kShape &&
               item.number == kDimensionOfShape && is_len) {
      if (proto_.rank_ < kMaxRank) proto_.dimensions_[proto_.rank_] = 0;
      ++proto_.rank_;
    } else if (item.depth == 2 && item.in == Proto::kDimension &&
               item.number == kSize && is_varint && proto_.rank_ <= kMaxRank) {
      proto_.dimensions_[proto_.rank_ - 1] = static_cast<int64_t>(item.varint);
    }
    return true;
  }

 private:
  TensorProto& proto_;
};

// Writes the values of the type's field.
class TensorProto::ElementWriter {
 public:
  ElementWriter(DType type, size_t count, uint8_t* out)
      : type_(type),
        field_(FieldOf(type)),
        size_(DTypeSize(type)),
        count_(count),
        out_(out) {}

  size_t written() const { return written_; }

  bool operator()(const Item& item) {
    if (item.depth != 0 || item.number != field_) return true;
    const bool is_len = item.wire_type == wire::kLen;
    switch (FormInTensor(field_).form) {
      case Form::kFixed32:
        if (is_len || item.wire_type == wire::kFixed32) WriteBytes(item.span);
        break;
      case Form::kFixed64:
        if (is_len || item.wire_type == wire::kFixed64) WriteBytes(item.span);
        break;
      case Form::kVarint:
        if (item.wire_type == wire::kVarint) WriteNumber(item.varint);
        if (is_len) WriteRun(item.span);
        break;
      default:
        if (is_len) WriteString(item.span);
        break;
    }
    return written_ < count_;
  }

 private:
  void WriteBytes(Span span) {
    const size_t values = std::min(span.size / size_, count_ - written_);
    if (values == 0) return;
    std::memcpy(out_ + written_ * size_, span.data, values * size_);
    written_ += values;
  }
  void WriteNumber(uint64_t value) {
    if (type_ == DType::kBool) value = value != 0;
    std::memcpy(out_ + written_++ * size_, &value, size_);
  }
  void WriteRun(Span run) {
    Cursor cursor(run);
    uint64_t value;
    while (written_ < count_ && !cursor.done() && cursor.ReadVarint(&value)) {
      WriteNumber(value);
    }
  }
  void WriteString(Span span) {
    new (out_ + written_++ * size_) std::string_view(wire::TextOf(span));
  }

  const DType type_;
  const uint32_t field_;
  const size_t size_;
  const size_t count_;
  uint8_t* const out_;
  size_t written_ = 0;
};

TensorFault TensorProto::Read(std::string_view value, DType type,
                              std::span<const int64_t> shape) {
  value_ = value;
  asked_ = type;
  data_type_ = 0;
  rank_ = 0;
  content_ = {};
  wire_fault_ = Walk(value, Collector(this));
  if (wire_fault_ != wire::Fault::kNone) return TensorFault::kMalformed;
  if (data_type_ == 0) return TensorFault::kNoType;
  if (data_type_ > kLastDataType) return TensorFault::kUnknownType;
  const TensorFault fault = CheckShape(shape);
  return fault == TensorFault::kNone ? CheckContent() : fault;
}

// The order of these faults puts a wrong kind before a wrong shape, as E2 does.
TensorFault TensorProto::CheckShape(std::span<const int64_t> shape) {
  if (rank_ > kMaxRank) return TensorFault::kRank;
  int64_t elements = 1;
  for (bad_dimension_ = 0; bad_dimension_ < rank_; ++bad_dimension_) {
    const int64_t dimension = dimensions_[bad_dimension_];
    if (dimension < 0) return TensorFault::kDimension;
    if (__builtin_mul_overflow(elements, dimension, &elements)) {
      return TensorFault::kElements;
    }
  }
  elements_ = static_cast<uint64_t>(elements);
  if (data_type_ != infer::TensorTypeNumber(asked_))
    return TensorFault::kOtherType;
  const auto fits = [](int64_t found, int64_t asked) {
    return asked < 0 || found == asked;
  };
  const auto found = dimensions();
  return std::equal(found.begin(), found.end(), shape.begin(), shape.end(),
                    fits)
             ? TensorFault::kNone
             : TensorFault::kOtherShape;
}

TensorFault TensorProto::CheckContent() const {
  if (elements_ == 0 || content_.size == 0) return TensorFault::kNone;
  if (asked_ == DType::kBytes) {
    Span rest = content_;
    uint64_t sum = 0;
    for (uint64_t i = 0; i < elements_; ++i) {
      uint32_t length;
      if (!ReadLength(&rest, &length)) return TensorFault::kContentStrings;
      sum += length;
    }
    return sum == rest.size ? TensorFault::kNone : TensorFault::kContentStrings;
  }
  const size_t size = DTypeSize(asked_);
  if (content_.size % size != 0 || content_.size / size != elements_) {
    return TensorFault::kContentSize;
  }
  if (asked_ == DType::kBool) {
    uint8_t bits = 0;
    for (size_t i = 0; i < content_.size; ++i) bits |= content_.data[i];
    if (bits > 1) return TensorFault::kContentBools;
  }
  return TensorFault::kNone;
}

// Returns the number of elements written.
size_t TensorProto::WriteContent(size_t count, uint8_t* out) const {
  const size_t size = DTypeSize(asked_);
  if (asked_ != DType::kBytes) {
    const size_t written = std::min(count, content_.size / size);
    std::memcpy(out, content_.data, written * size);
    return written;
  }
  // The lengths come first; each becomes a view without a place.
  auto* const strings = reinterpret_cast<std::string_view*>(out);
  Span rest = content_;
  size_t written = 0;
  uint32_t length;
  for (; written < count && ReadLength(&rest, &length); ++written) {
    new (strings + written) std::string_view(wire::TextOf({rest.data, length}));
  }
  for (size_t i = 0; i < written; ++i) {
    const size_t bytes = std::min(strings[i].size(), rest.size);
    strings[i] = wire::TextOf({rest.data, bytes});
    rest = {rest.data + bytes, rest.size - bytes};
  }
  return written;
}

void TensorProto::Write(size_t count, uint8_t* out) const {
  if (count == 0) return;
  size_t written;
  if (content_.size > 0) {
    written = WriteContent(count, out);
  } else {
    ElementWriter writer(asked_, count, out);
    Walk(value_, [&writer](const Item& item) { return writer(item); });
    written = writer.written();
  }
  Repeat(asked_, written, count, out);
}

std::string TensorProto::Explain(TensorFault fault) const {
  switch (fault) {
    case TensorFault::kNone:
      break;
    case TensorFault::kMalformed:
      if (wire_fault_ == wire::Fault::kUtf8) return "a name that is not UTF-8";
      if (wire_fault_ == wire::Fault::kPackedSize) {
        return "packed values of which the last is cut";
      }
      return wire::FaultText(wire_fault_);
    case TensorFault::kNoType:
      return "it has no dtype";
    case TensorFault::kUnknownType: {
      const uint32_t value = data_type_ - kReference;
      return "its dtype is " +
             std::to_string(static_cast<int32_t>(data_type_)) +
             (value > 0 && value <= kLastDataType
                  ? ", that of a reference"
                  : ", which tensorflow.DataType does not have");
    }
    case TensorFault::kRank:
      return "it has " + std::to_string(rank_) + " dimensions, more than " +
             std::to_string(kMaxRank);
    case TensorFault::kDimension:
      return "dimension " + std::to_string(bad_dimension_) + " is " +
             std::to_string(dimensions_[bad_dimension_]);
    case TensorFault::kElements:
      return "it has 2^63 elements or more";
    case TensorFault::kOtherType:
      return DataTypeText(data_type_);
    case TensorFault::kOtherShape:
      return "shape " + plan::ShapeText(dimensions());
    case TensorFault::kContentSize:
      return "its content has " + Counted(content_.size, "byte") + ", " +
             Counted(elements_, "element") + " of " +
             std::string(DTypeName(asked_)) + " were declared";
    case TensorFault::kContentBools:
      return "its content has a bool that is neither 0 nor 1";
    case TensorFault::kContentStrings:
      return "its content is not " + Counted(elements_, "string");
  }
  return {};
}

std::span<const int64_t> AskedShape(const plan::Output& output) {
  if (output.layout == Layout::kFixedLen) return output.shape;
  return std::span(output.ragged.dimensions).subspan(output.ragged.array_begin);
}

Unpacked UnpackTensor(const plan::Output& output, std::string_view value,
                      TensorProto* proto) {
  Unpacked unpacked;
  const TensorFault fault = proto->Read(value, output.to, AskedShape(output));
  if (fault != TensorFault::kNone) {
    unpacked.end = fault == TensorFault::kOtherType ? Unpacked::End::kOtherType
                                                    : Unpacked::End::kNoTensor;
    return unpacked;
  }
  if (!CheckedMul(DTypeSize(output.to), proto->elements(), &unpacked.size)) {
    unpacked.size = std::numeric_limits<size_t>::max();
  }
  unpacked.dimensions = proto->dimensions();
  return unpacked;
}

}  // namespace headrace::tensor
