#include "src/arrow/type.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

#include "wire/utf8.h"
#include "wire/wire.h"

namespace headrace::arrow {
namespace {

// Int: bit width and is_signed. FloatingPoint: precision, of which 1 is single.
constexpr std::array<IpcParameter, 2> kInt64Parameters = {
    {{.slot = 0, .bytes = 4, .value = 64},
     {.slot = 1, .bytes = 1, .value = 1}}};
constexpr std::array<IpcParameter, 1> kFloat32Parameters = {
    {{.slot = 0, .bytes = 2, .value = 1}}};

// In the order of TypeId. The numbers are the members of IPC's union Type.
constexpr std::array<TypeInfo, 9> kTypes = {{
    {.format = "n", .ipc_type = 1, .ipc_parameters = {}},
    {.format = "l", .ipc_type = 2, .ipc_parameters = kInt64Parameters},
    {.format = "f", .ipc_type = 3, .ipc_parameters = kFloat32Parameters},
    {.format = "z", .ipc_type = 4, .ipc_parameters = {}},
    {.format = "Z", .ipc_type = 19, .ipc_parameters = {}},
    {.format = "vz", .ipc_type = 23, .ipc_parameters = {}},
    {.format = "u", .ipc_type = 5, .ipc_parameters = {}},
    {.format = "+l", .ipc_type = 12, .ipc_parameters = {}},
    {.format = "+s", .ipc_type = 13, .ipc_parameters = {}},
}};

Field ColumnType(const ColumnField& column, BytesAs bytes_as) {
  const TypeId value = ValueType(column.kind, bytes_as);
  Field field{.name = column.name, .type = value};
  if (value != TypeId::kNull) {
    field.type = TypeId::kList;
    // The name that Arrow's own libraries give to the values of a list.
    field.children.push_back({.name = "item", .type = value});
  }
  return field;
}

}  // namespace

const TypeInfo& InfoOf(TypeId id) { return kTypes[static_cast<size_t>(id)]; }

TypeId ValueType(Kind kind, BytesAs bytes_as) {
  constexpr std::array<TypeId, 4> kBytes = {
      TypeId::kBinary, TypeId::kLargeBinary, TypeId::kBinaryView,
      TypeId::kString};
  switch (kind) {
    case Kind::kNull:
      return TypeId::kNull;
    case Kind::kBytes:
      return kBytes[static_cast<size_t>(bytes_as)];
    case Kind::kFloat:
      return TypeId::kFloat32;
    case Kind::kInt64:
      return TypeId::kInt64;
  }
  return TypeId::kNull;
}

Result<Field> MakeSchema(std::span<const ColumnField> columns,
                         const ArrowOptions& options) {
  Field root{.type = TypeId::kStruct, .nullable = false};
  root.children.reserve(columns.size());
  for (const ColumnField& column : columns) {
    if (!wire::IsUtf8({reinterpret_cast<const uint8_t*>(column.name.data()),
                       column.name.size()})) {
      return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                              .message = "the column's name is not UTF-8",
                              .feature = column.name});
    }
    root.children.push_back(ColumnType(column, options.bytes_as));
  }
  return root;
}

}  // namespace headrace::arrow
