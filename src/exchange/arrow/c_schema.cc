// Exports the types of columns and tensors for the C data interface.

#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "headrace/arrow.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/c_export.h"
#include "src/exchange/arrow/c_tree.h"
#include "src/exchange/arrow/layout.h"
#include "src/exchange/arrow/type.h"

namespace headrace {
namespace arrow {
namespace {

// Returns a copy that ends with a NUL; null if memory is exhausted.
const char* Copy(const std::string& text, TreeOwner* owner) {
  std::span<char> copy;
  if (!owner->memory()->AllocateArray(text.size() + 1, &copy)) return nullptr;
  std::memcpy(copy.data(), text.c_str(), copy.size());
  return copy.data();
}

// Appends a key or a value of metadata, after its length.
void Append(std::string_view text, std::string* metadata) {
  const auto size = static_cast<int32_t>(text.size());
  metadata->append(reinterpret_cast<const char*>(&size), sizeof(size));
  metadata->append(text);
}

bool FillExtension(const Field& field, TreeOwner* owner, ArrowSchema* out) {
  if (field.extension.empty()) return true;
  constexpr int32_t kPairs = 2;
  std::string metadata(reinterpret_cast<const char*>(&kPairs), sizeof(kPairs));
  Append(kExtensionName, &metadata);
  Append(field.extension, &metadata);
  Append(kExtensionMetadata, &metadata);
  Append(field.extension_metadata, &metadata);
  out->metadata = Copy(metadata, owner);
  return out->metadata != nullptr;
}

// Returns false if memory is exhausted; what was built can be released.
bool Fill(const Field& field, TreeOwner* owner, ArrowSchema* out) {
  StartNode(owner, out);
  out->format = Copy(FormatOf(field), owner);
  out->name = Copy(field.name, owner);
  out->flags = field.nullable ? ARROW_FLAG_NULLABLE : 0;
  if (!out->format || !out->name || !FillExtension(field, owner, out)) {
    return false;
  }
  if (!AllocateChildren(owner, field.children.size(), out)) return false;
  for (size_t i = 0; i < field.children.size(); ++i) {
    if (!Fill(field.children[i], owner, out->children[i])) return false;
  }
  return true;
}

// Refuses names with a NUL: they are C strings in the C data interface.
Status CheckCNames(const Field& field) {
  if (field.name.find('\0') != std::string::npos) {
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = "the Arrow C data interface cannot "
                                       "carry a name that has a NUL",
                            .feature = field.name});
  }
  for (const Field& child : field.children) {
    Status status = CheckCNames(child);
    if (!status.ok()) return status;
  }
  return Status();
}

template <class Make>
Status Export(ArrowSchema* out, Make make) {
  return ExportTree(out, [&]() -> Status {
    const Result<Field> field = make();
    if (!field) return field.status();
    Status names = CheckCNames(*field);
    if (!names.ok()) return names;
    const TreeOwnerPointer owner(new (std::nothrow) TreeOwner());
    if (!owner) return Status::OutOfMemory();
    return Fill(*field, owner.get(), out) ? Status() : Status::OutOfMemory();
  });
}

}  // namespace

Status ExportFields(const PlanFields& fields, const ArrowOptions& options,
                    ArrowSchema* out) {
  return Export(out, [&] { return MakeSchema(fields, options); });
}

Status ExportOneField(const PlanFields& fields, size_t index,
                      const ArrowOptions& options, ArrowSchema* out) {
  return Export(out, [&] { return MakeField(fields, index, options); });
}

}  // namespace arrow

Status ExportSchema(const Plan& plan, const ArrowOptions& options,
                    ArrowSchema* out) {
  return arrow::ExportFields(arrow::FieldsOf(plan), options, out);
}

Status ExportFieldSchema(const Plan& plan, size_t index,
                         const ArrowOptions& options, ArrowSchema* out) {
  return arrow::ExportOneField(arrow::FieldsOf(plan), index, options, out);
}

}  // namespace headrace
