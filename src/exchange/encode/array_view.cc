#include "src/exchange/encode/array_view.h"

#include <charconv>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "src/base/text/quote.h"

namespace headrace::encode {
namespace {

// The maximum number of items of an array: beyond it, an item of 16 bytes would
// have no address.
constexpr int64_t kMaxItems = int64_t{1} << 59;

// A view has the size of the value, then all its bytes, or four of them and the
// place of the whole value.
constexpr size_t kViewSize = 16;
constexpr int32_t kMaxInline = 12;

Status Wrong(std::string what) {
  return Status(ErrorCode::kInvalidArgument, std::move(what));
}

std::string Number(int64_t number) { return std::to_string(number); }

struct Format {
  std::string_view text;
  TypeFacts facts;
};

constexpr TypeFacts Value(ArrowType type, Kind kind, int64_t num_buffers) {
  return {.type = type, .kind = kind, .num_buffers = num_buffers};
}
constexpr TypeFacts Int(ArrowType type) { return Value(type, Kind::kInt64, 2); }
constexpr TypeFacts Float(ArrowType type) {
  return Value(type, Kind::kFloat, 2);
}
constexpr TypeFacts Bytes(ArrowType type) {
  return Value(type, Kind::kBytes, 3);
}
constexpr TypeFacts List(ArrowType type) {
  return {.type = type, .num_buffers = 2, .num_children = 1};
}

// https://arrow.apache.org/docs/format/CDataInterface.html lists the formats.
constexpr Format kFormats[] = {
    {"n", {}},
    {"b", Int(ArrowType::kBool)},
    {"c", Int(ArrowType::kInt8)},
    {"s", Int(ArrowType::kInt16)},
    {"i", Int(ArrowType::kInt32)},
    {"l", Int(ArrowType::kInt64)},
    {"C", Int(ArrowType::kUint8)},
    {"S", Int(ArrowType::kUint16)},
    {"I", Int(ArrowType::kUint32)},
    {"L", Int(ArrowType::kUint64)},
    {"e", Float(ArrowType::kFloat16)},
    {"f", Float(ArrowType::kFloat32)},
    {"g", Float(ArrowType::kFloat64)},
    {"z", Bytes(ArrowType::kBinary)},
    {"u", Bytes(ArrowType::kBinary)},
    {"Z", Bytes(ArrowType::kLargeBinary)},
    {"U", Bytes(ArrowType::kLargeBinary)},
    {"vz", Bytes(ArrowType::kBinaryView)},
    {"vu", Bytes(ArrowType::kBinaryView)},
    {"+l", List(ArrowType::kList)},
    {"+L", List(ArrowType::kLargeList)},
    {"+s", {.type = ArrowType::kStruct, .num_buffers = 1, .num_children = -1}},
};

std::optional<TypeFacts> ParseFixedSizeList(std::string_view size) {
  TypeFacts facts{
      .type = ArrowType::kFixedSizeList, .num_buffers = 1, .num_children = 1};
  const char* const end = size.data() + size.size();
  const auto parsed = std::from_chars(size.data(), end, facts.list_size);
  if (parsed.ec != std::errc() || parsed.ptr != end || facts.list_size < 0) {
    return std::nullopt;
  }
  return facts;
}

}  // namespace

std::optional<TypeFacts> ParseFormat(std::string_view format) {
  constexpr std::string_view kFixedSizeList = "+w:";
  if (format.starts_with(kFixedSizeList)) {
    return ParseFixedSizeList(format.substr(kFixedSizeList.size()));
  }
  for (const Format& known : kFormats) {
    if (known.text == format) return known.facts;
  }
  return std::nullopt;
}

Result<ArrayView> ArrayView::Of(const ArrowSchema& schema,
                                const ArrowArray& array) {
  if (schema.release == nullptr || array.release == nullptr) {
    return Wrong("has been released");
  }
  if (schema.format == nullptr) return Wrong("has no type");
  if (schema.dictionary != nullptr || array.dictionary != nullptr) {
    return Wrong("is dictionary-encoded; decode it first");
  }
  const std::optional<TypeFacts> facts = ParseFormat(schema.format);
  if (!facts) {
    return Wrong("has the Arrow type " + Quote(schema.format) +
                 ", which no feature holds");
  }
  ArrayView view(schema, array, *facts);
  std::string wrong = view.CheckStructure();
  if (wrong.empty()) wrong = view.CheckBuffers();
  if (wrong.empty()) wrong = view.CheckChildren();
  if (!wrong.empty()) {
    return Wrong("is not an Arrow array of type " + Quote(schema.format) +
                 ": " + wrong);
  }
  view.has_nulls_ = facts->num_buffers > 0 && array.null_count != 0 &&
                    array.buffers[0] != nullptr;
  const bool has_bytes = facts->type == ArrowType::kBinary ||
                         facts->type == ArrowType::kLargeBinary;
  if (has_bytes && array.length > 0) {
    view.bytes_end_ = view.BytesOf(array.length - 1).end;
  }
  return view;
}

std::string ArrayView::CheckStructure() const {
  const ArrowArray& array = *array_;
  if (array.length < 0 || array.offset < 0 ||
      array.length > kMaxItems - array.offset) {
    return "its length is " + Number(array.length) + " and its offset " +
           Number(array.offset);
  }
  if (array.null_count < -1 || array.null_count > array.length) {
    return Number(array.null_count) + " of " + Number(array.length) +
           " items are null";
  }
  if (array.n_children != schema_->n_children) {
    return "it has " + Number(array.n_children) + " children, and its type " +
           Number(schema_->n_children);
  }
  if (array.n_children < 0 ||
      (facts_.num_children >= 0 && array.n_children != facts_.num_children)) {
    return "it has " + Number(array.n_children) + " children";
  }
  if (facts_.type == ArrowType::kNull) return {};
  const bool any_more = facts_.type == ArrowType::kBinaryView;
  if (array.n_buffers < facts_.num_buffers ||
      (!any_more && array.n_buffers > facts_.num_buffers)) {
    return "it has " + Number(array.n_buffers) + " buffers, not " +
           Number(facts_.num_buffers);
  }
  return array.buffers == nullptr ? "it has no buffers" : std::string();
}

std::string ArrayView::CheckBuffers() const {
  if (facts_.type == ArrowType::kNull) return {};
  if (array_->null_count > 0 && buffer(0) == nullptr) {
    return "it has nulls, but no validity buffer";
  }
  if (facts_.num_buffers > 1 && array_->length > 0 && buffer(1) == nullptr) {
    return "a buffer is missing";
  }
  if (facts_.type == ArrowType::kBinaryView && array_->n_buffers > 3 &&
      buffer(array_->n_buffers - 1) == nullptr) {
    return "the sizes of its buffers are missing";
  }
  return {};
}

std::string ArrayView::CheckChildren() const {
  if (array_->n_children == 0) return {};
  if (array_->children == nullptr || schema_->children == nullptr) {
    return "its children are missing";
  }
  for (int64_t i = 0; i < array_->n_children; ++i) {
    if (array_->children[i] == nullptr || schema_->children[i] == nullptr) {
      return "child " + Number(i) + " is missing";
    }
  }
  // In other types every offset is compared with the child when it is used.
  const bool is_struct = facts_.type == ArrowType::kStruct;
  if (!is_struct && facts_.type != ArrowType::kFixedSizeList) return {};
  int64_t needed = array_->offset + array_->length;
  const int64_t each = is_struct ? 1 : facts_.list_size;
  if (__builtin_mul_overflow(needed, each, &needed)) {
    return "no child can have that many items";
  }
  for (int64_t i = 0; i < array_->n_children; ++i) {
    if (array_->children[i]->length >= needed) continue;
    return "child " + Number(i) + " has " +
           Number(array_->children[i]->length) + " items, and must have " +
           Number(needed);
  }
  return {};
}

bool ArrayView::GetList(int64_t i, ItemRange* items) const {
  if (facts_.type == ArrowType::kFixedSizeList) {
    items->begin = (array_->offset + i) * facts_.list_size;
    items->end = items->begin + facts_.list_size;
    return true;
  }
  *items = facts_.type == ArrowType::kLargeList ? OffsetsOf<int64_t>(i)
                                                : OffsetsOf<int32_t>(i);
  return items->begin >= 0 && items->begin <= items->end &&
         items->end <= array_->children[0]->length;
}

bool ArrayView::GetBytes(int64_t i, std::string_view* value) const {
  if (facts_.type == ArrowType::kBinaryView) return GetView(i, value);
  const ItemRange range = BytesOf(i);
  if (range.begin < 0 || range.begin > range.end || range.end > bytes_end_) {
    return false;
  }
  *value = {};
  if (range.size() == 0) return true;
  if (buffer(2) == nullptr) return false;
  *value = {static_cast<const char*>(buffer(2)) + range.begin,
            static_cast<size_t>(range.size())};
  return true;
}

bool ArrayView::GetView(int64_t i, std::string_view* value) const {
  const char* const view = static_cast<const char*>(buffer(1)) +
                           static_cast<size_t>(array_->offset + i) * kViewSize;
  struct {
    int32_t size;
    char prefix[4];
    int32_t buffer;
    int32_t offset;
  } head;
  static_assert(sizeof(head) == kViewSize);
  std::memcpy(&head, view, kViewSize);
  if (head.size < 0) return false;
  if (head.size <= kMaxInline) {
    *value = {view + sizeof(head.size), static_cast<size_t>(head.size)};
    return true;
  }
  const int64_t num_variadic = array_->n_buffers - 3;
  if (head.buffer < 0 || head.buffer >= num_variadic || head.offset < 0) {
    return false;
  }
  const auto buffer_size =
      Load<int64_t>(array_->n_buffers - 1, int64_t{head.buffer});
  const void* const data = buffer(2 + head.buffer);
  if (data == nullptr ||
      int64_t{head.offset} + int64_t{head.size} > buffer_size) {
    return false;
  }
  *value = {static_cast<const char*>(data) + head.offset,
            static_cast<size_t>(head.size)};
  return true;
}

}  // namespace headrace::encode
