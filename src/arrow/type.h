// The types of our columns, described once for every form in which they leave:
// the schema and the arrays of the C data interface, and IPC metadata.
//
// A new type is one more line in type.cc and what builds its buffers; nothing
// that walks a tree of types or arrays tells one type from another.

#ifndef HEADRACE_SRC_ARROW_TYPE_H_
#define HEADRACE_SRC_ARROW_TYPE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::arrow {

enum class TypeId : uint8_t {
  kNull,
  kInt64,
  kFloat32,
  kBinary,
  kLargeBinary,
  kBinaryView,
  kString,
  kList,
  kStruct,
};

// A number in the table that stands for a type in IPC metadata.
struct IpcParameter {
  uint16_t slot;  // the table's fields are numbered from 0
  uint8_t bytes;  // 1 (bool), 2 (an enumeration) or 4
  int32_t value;
};

struct TypeInfo {
  const char* format;  // of the C data interface
  uint8_t ipc_type;    // member of IPC's union Type
  std::span<const IpcParameter> ipc_parameters;
};

const TypeInfo& InfoOf(TypeId id);

struct Field {
  std::string name = {};
  TypeId type = TypeId::kNull;
  bool nullable = true;
  std::vector<Field> children = {};
};

// Of the values of a column; kNull for a column that has none.
TypeId ValueType(Kind kind, BytesAs bytes_as);

// The struct whose children are the columns. kInvalidArgument for a name that
// is not UTF-8, which Arrow cannot carry.
Result<Field> MakeSchema(std::span<const ColumnField> columns,
                         const ArrowOptions& options);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_TYPE_H_
