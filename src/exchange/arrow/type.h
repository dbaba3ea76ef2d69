// The types of columns and tensors, described once for all forms of export: the
// schema and the arrays of the C data interface, and IPC metadata. A new type
// needs a line in type.cc and code that builds its buffers; code that walks a
// tree of types or arrays does not distinguish types.

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

// A number in the table that IPC metadata has for a type.
struct IpcParameter {
  uint16_t slot;  // field of the table, from 0
  uint8_t bytes;  // 1 (bool), 2 (an enumeration) or 4
  int32_t value;
};

struct TypeInfo {
  const char* format;  // of the C data interface; a list size follows it
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
  // May be empty. Readers that do not know the extension see the plain type.
  std::string extension = {};
  std::string extension_metadata = {};
  std::vector<Field> children = {};

  bool operator==(const Field&) const = default;
};

// Keys of a field's metadata for an extension type.
inline constexpr std::string_view kExtensionName = "ARROW:extension:name";
inline constexpr std::string_view kExtensionMetadata =
    "ARROW:extension:metadata";

// Returns the format of the type in the C data interface.
std::string FormatOf(const Field& field);

// Returns the type of the values of a column; kNull if it has none.
TypeId ValueType(Kind kind, BytesAs bytes_as);
// Returns the type of the values of a tensor. Arrow has no bfloat16: its bits
// are exported as kUint16.
TypeId ValueType(DType dtype, BytesAs bytes_as);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_TYPE_H_
