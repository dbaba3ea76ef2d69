#include "src/exchange/arrow/type.h"

#include <array>
#include <cstddef>

namespace headrace::arrow {
namespace {

constexpr std::array<IpcParameter, 2> Int(int32_t bit_width, bool is_signed) {
  return {{{.slot = 0, .bytes = 4, .value = bit_width},
           {.slot = 1, .bytes = 1, .value = is_signed ? 1 : 0}}};
}
constexpr std::array<IpcParameter, 2> kInt64 = Int(64, true),
                                      kInt32 = Int(32, true),
                                      kInt16 = Int(16, true),
                                      kInt8 = Int(8, true),
                                      kUint64 = Int(64, false),
                                      kUint32 = Int(32, false),
                                      kUint16 = Int(16, false),
                                      kUint8 = Int(8, false);

// IPC numbers the precisions: half, single, double.
constexpr std::array<IpcParameter, 1> Float(int32_t precision) {
  return {{{.slot = 0, .bytes = 2, .value = precision}}};
}
constexpr std::array<IpcParameter, 1> kFloat16 = Float(0), kFloat32 = Float(1),
                                      kFloat64 = Float(2);

// In the order of TypeId, with the numbers of IPC's union Type.
constexpr std::array<TypeInfo, 20> kTypes = {{
    {.format = "n", .ipc_type = 1, .ipc_parameters = {}},
    {.format = "l", .ipc_type = 2, .ipc_parameters = kInt64, .value_size = 8},
    {.format = "i", .ipc_type = 2, .ipc_parameters = kInt32, .value_size = 4},
    {.format = "s", .ipc_type = 2, .ipc_parameters = kInt16, .value_size = 2},
    {.format = "c", .ipc_type = 2, .ipc_parameters = kInt8, .value_size = 1},
    {.format = "L", .ipc_type = 2, .ipc_parameters = kUint64, .value_size = 8},
    {.format = "I", .ipc_type = 2, .ipc_parameters = kUint32, .value_size = 4},
    {.format = "S", .ipc_type = 2, .ipc_parameters = kUint16, .value_size = 2},
    {.format = "C", .ipc_type = 2, .ipc_parameters = kUint8, .value_size = 1},
    {.format = "e", .ipc_type = 3, .ipc_parameters = kFloat16, .value_size = 2},
    {.format = "f", .ipc_type = 3, .ipc_parameters = kFloat32, .value_size = 4},
    {.format = "g", .ipc_type = 3, .ipc_parameters = kFloat64, .value_size = 8},
    {.format = "z", .ipc_type = 4, .ipc_parameters = {}},
    {.format = "Z", .ipc_type = 19, .ipc_parameters = {}},
    {.format = "vz", .ipc_type = 23, .ipc_parameters = {}},
    {.format = "u", .ipc_type = 5, .ipc_parameters = {}},
    {.format = "+l", .ipc_type = 12, .ipc_parameters = {}},
    {.format = "+w:",
     .ipc_type = 16,
     .ipc_parameters = {},
     .has_list_size = true},
    {.format = "+s", .ipc_type = 13, .ipc_parameters = {}},
    {.format = "b", .ipc_type = 6, .ipc_parameters = {}},
}};

}  // namespace

const TypeInfo& InfoOf(TypeId id) { return kTypes[static_cast<size_t>(id)]; }

std::string FormatOf(const Field& field) {
  const TypeInfo& info = InfoOf(field.type);
  if (!info.has_list_size) return info.format;
  return info.format + std::to_string(field.list_size);
}

TypeId ValueType(Kind kind, BytesAs bytes_as) {
  if (kind == Kind::kNull) return TypeId::kNull;
  return ValueType(static_cast<DType>(kind), bytes_as);
}

TypeId ValueType(DType dtype, BytesAs bytes_as) {
  // In the order of BytesAs.
  static constexpr TypeId kBytes[] = {TypeId::kBinary, TypeId::kLargeBinary,
                                      TypeId::kBinaryView, TypeId::kString};
  switch (dtype) {
    case DType::kBytes:
      return kBytes[static_cast<size_t>(bytes_as)];
    case DType::kFloat:
      return TypeId::kFloat32;
    case DType::kInt64:
      return TypeId::kInt64;
    case DType::kInt32:
      return TypeId::kInt32;
    case DType::kInt16:
      return TypeId::kInt16;
    case DType::kInt8:
      return TypeId::kInt8;
    case DType::kUint64:
      return TypeId::kUint64;
    case DType::kUint32:
      return TypeId::kUint32;
    case DType::kUint16:
    case DType::kBfloat16:
      return TypeId::kUint16;
    case DType::kUint8:
      return TypeId::kUint8;
    case DType::kFloat16:
      return TypeId::kFloat16;
    case DType::kFloat64:
      return TypeId::kFloat64;
    case DType::kBool:
      return TypeId::kBool;
  }
  return TypeId::kNull;
}

}  // namespace headrace::arrow
