// ArrayView is an array of another library, checked as far as possible.
//
// The fields of its ArrowSchema and ArrowArray are checked against one another
// when the view is made, and offsets when they are used. The sizes of buffers
// are not known, so they are not checked. Items are numbered from the array's
// offset. TypeFacts describe the Arrow types of which messages can be made.

#ifndef HEADRACE_SRC_EXCHANGE_ENCODE_ARRAY_VIEW_H_
#define HEADRACE_SRC_EXCHANGE_ENCODE_ARRAY_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/arrow.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::encode {

enum class ArrowType : uint8_t {
  kNull,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBinary,  // also utf8: offsets of 32 bits
  kLargeBinary,
  kBinaryView,
  kList,
  kLargeList,
  kFixedSizeList,
  kStruct,
};

struct TypeFacts {
  ArrowType type = ArrowType::kNull;
  Kind kind = Kind::kNull;  // of a feature of such values
  int64_t num_buffers = 0;  // for kBinaryView the minimum
  int64_t num_children = 0;
  int64_t list_size = 0;  // kFixedSizeList

  bool is_list() const {
    return type == ArrowType::kList || type == ArrowType::kLargeList ||
           type == ArrowType::kFixedSizeList;
  }
};

// Parses a format string of the C data interface. Returns nullopt for a type
// that no feature holds. A struct has any number of children: -1.
std::optional<TypeFacts> ParseFormat(std::string_view format);

struct ItemRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
};

class ArrayView {
 public:
  // Both must outlive the view. The message of an error begins with "has" or
  // "is"; the caller names the array before it.
  static Result<ArrayView> Of(const ArrowSchema& schema,
                              const ArrowArray& array);

  const TypeFacts& facts() const { return facts_; }
  int64_t length() const { return array_->length; }
  // Where the items of a struct begin in its children.
  int64_t offset() const { return array_->offset; }
  int64_t num_children() const { return array_->n_children; }
  const ArrowSchema& child_schema(int64_t i) const {
    return *schema_->children[i];
  }
  const ArrowArray& child_array(int64_t i) const {
    return *array_->children[i];
  }

  bool IsNull(int64_t i) const {
    if (facts_.type == ArrowType::kNull) return true;
    return has_nulls_ && !Bit(0, i);
  }
  bool has_nulls() const { return has_nulls_; }

  // Sets `items` to those of list i. Returns false if offsets are wrong.
  bool GetList(int64_t i, ItemRange* items) const;
  // Sets `value` to item i; the type must be of kind bytes. Returns false if
  // offsets are wrong.
  bool GetBytes(int64_t i, std::string_view* value) const;
  // Returns a number as it is stored.
  template <class T>
  T Get(int64_t i) const {
    return Load<T>(1, array_->offset + i);
  }
  bool GetBool(int64_t i) const { return Bit(1, i); }

 private:
  ArrayView(const ArrowSchema& schema, const ArrowArray& array,
            const TypeFacts& facts)
      : schema_(&schema), array_(&array), facts_(facts) {}

  // Each returns what is wrong, or an empty text.
  std::string CheckStructure() const;
  std::string CheckBuffers() const;
  std::string CheckChildren() const;

  const void* buffer(int64_t i) const { return array_->buffers[i]; }
  // Other libraries do not promise alignment.
  template <class T>
  T Load(int64_t buffer_index, int64_t index) const {
    T value;
    std::memcpy(&value,
                static_cast<const char*>(buffer(buffer_index)) +
                    static_cast<size_t>(index) * sizeof(T),
                sizeof(T));
    return value;
  }
  bool Bit(int64_t buffer_index, int64_t i) const {
    const int64_t at = array_->offset + i;
    return Load<uint8_t>(buffer_index, at / 8) >> (at % 8) & 1;
  }
  template <class Offset>
  ItemRange OffsetsOf(int64_t i) const {
    const int64_t at = array_->offset + i;
    return {Load<Offset>(1, at), Load<Offset>(1, at + 1)};
  }
  // Returns where item i is; for types of kind bytes that have offsets.
  ItemRange BytesOf(int64_t i) const {
    return facts_.type == ArrowType::kLargeBinary ? OffsetsOf<int64_t>(i)
                                                  : OffsetsOf<int32_t>(i);
  }
  bool GetView(int64_t i, std::string_view* value) const;

  const ArrowSchema* schema_;
  const ArrowArray* array_;
  TypeFacts facts_;
  bool has_nulls_ = false;
  // No item of bytes ends after this.
  int64_t bytes_end_ = 0;
};

}  // namespace headrace::encode

#endif  // HEADRACE_SRC_EXCHANGE_ENCODE_ARRAY_VIEW_H_
