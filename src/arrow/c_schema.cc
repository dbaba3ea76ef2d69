// ExportSchema: the columns' types in the C data interface.

#include <cstring>
#include <new>
#include <span>
#include <string>

#include "headrace/arrow.h"
#include "src/arrow/array.h"
#include "src/arrow/c_tree.h"
#include "src/arrow/type.h"

namespace headrace {
namespace arrow {
namespace {

// False when memory is exhausted; what was built can be released.
bool Fill(const Field& field, TreeOwner* owner, ArrowSchema* out) {
  StartNode(owner, out);
  std::span<char> name;
  if (!owner->memory()->AllocateArray(field.name.size() + 1, &name)) {
    return false;
  }
  std::memcpy(name.data(), field.name.c_str(), name.size());
  out->format = InfoOf(field.type).format;
  out->name = name.data();
  out->flags = field.nullable ? ARROW_FLAG_NULLABLE : 0;
  if (!AllocateChildren(owner, field.children.size(), out)) return false;
  for (size_t i = 0; i < field.children.size(); ++i) {
    if (!Fill(field.children[i], owner, out->children[i])) return false;
  }
  return true;
}

// A name is a C string there.
Status CheckNames(std::span<const ColumnField> columns) {
  for (const ColumnField& column : columns) {
    if (column.name.find('\0') == std::string::npos) continue;
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = "the Arrow C data interface cannot "
                                       "carry a name that has a NUL",
                            .feature = column.name});
  }
  return Status();
}

}  // namespace
}  // namespace arrow

Status ExportSchema(std::span<const ColumnField> columns,
                    const ArrowOptions& options, ArrowSchema* out) {
  *out = {};
  Status names = arrow::CheckNames(columns);
  if (!names.ok()) return names;
  Result<arrow::Field> root = arrow::MakeSchema(columns, options);
  if (!root) return root.status();
  auto* const owner = new (std::nothrow) arrow::TreeOwner();
  if (!owner) return arrow::OutOfMemory();
  const bool filled = arrow::Fill(*root, owner, out);
  owner->Unref();
  if (filled) return Status();
  out->release(out);
  return arrow::OutOfMemory();
}

}  // namespace headrace
