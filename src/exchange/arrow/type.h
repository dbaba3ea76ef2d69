// The types of our columns and tensors are described once for every form in
// which they leave: the schema and the arrays of the C data interface, and IPC
// metadata. A new type is one more line in type.cc and what builds its buffers;
// nothing that walks a tree of types or arrays tells one type from another.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_TYPE_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/types.h"

namespace headrace::arrow {

enum class TypeId : uint8_t {
  kNull,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint64,
  kUint32,
  kUint16,
  kUint8,
  kFloat16,
  kFloat32,
  kFloat64,
  kBinary,
  kLargeBinary,
  kBinaryView,
  kString,
  kList,
  kFixedSizeList,
  kStruct,
  kBool,
};

// IPC metadata has a table for a type, with this number in it.
struct IpcParameter {
  uint16_t slot;  // the table's fields are numbered from 0
  uint8_t bytes;  // 1 (bool), 2 (an enumeration) or 4
  int32_t value;
};

struct TypeInfo {
  const char* format;  // of the C data interface; a list size comes behind it
  uint8_t ipc_type;    // member of IPC's union Type
  std::span<const IpcParameter> ipc_parameters;
  size_t value_size = 0;       // for numbers
  bool has_list_size = false;  // Field::list_size is part of the type
};

const TypeInfo& InfoOf(TypeId id);

struct Field {
  std::string name = {};
  TypeId type = TypeId::kNull;
  bool nullable = true;
  int32_t list_size = 0;  // for kFixedSizeList
  // Empty for none. Who does not know the extension type sees the plain type.
  std::string extension = {};
  std::string extension_metadata = {};
  std::vector<Field> children = {};

  bool operator==(const Field&) const = default;
};

// A field's metadata has these keys for an extension type.
inline constexpr std::string_view kExtensionName = "ARROW:extension:name";
inline constexpr std::string_view kExtensionMetadata =
    "ARROW:extension:metadata";

// The C data interface calls the type this.
std::string FormatOf(const Field& field);

// Values of a column have this type; kNull for a column that has none.
TypeId ValueType(Kind kind, BytesAs bytes_as);
// Values of a tensor have this type. Arrow has no bfloat16: its bits leave as
// kUint16.
TypeId ValueType(DType dtype, BytesAs bytes_as);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_TYPE_H_
