#include "src/exchange/arrow/layout.h"

#include <cassert>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "src/plan/compile/shape.h"
#include "wire/utf8.h"

namespace headrace {

template <>
std::span<const EnumName<BytesAs>> EnumNames() {
  static constexpr EnumName<BytesAs> kNames[] = {
      {BytesAs::kBinary, "binary"},
      {BytesAs::kLargeBinary, "large"},
      {BytesAs::kBinaryView, "view"},
      {BytesAs::kString, "string"}};
  return kNames;
}

}  // namespace headrace

namespace headrace::arrow {
namespace {

// The name of the values of a list in Arrow's own libraries.
constexpr std::string_view kItem = "item";

Field NestedType(std::string_view name, std::span<const int32_t> list_sizes,
                 TypeId values) {
  Field field{.name = std::string(name), .type = values};
  if (list_sizes.empty()) return field;
  const int32_t size = list_sizes.front();
  field.type = size == kVariable ? TypeId::kList : TypeId::kFixedSizeList;
  if (size != kVariable) field.list_size = size;
  field.children.push_back(NestedType(kItem, list_sizes.subspan(1), values));
  return field;
}

Field ColumnType(const ColumnField& column, bool is_raw, BytesAs bytes_as) {
  constexpr int32_t kSizes[] = {kVariable, kVariable};
  const size_t depth = ListDepth(column.kind, column.in_sequence, is_raw);
  Field field = NestedType(column.name, std::span(kSizes).first(depth),
                           ValueType(column.kind, bytes_as));
  field.nullable = !is_raw;
  return field;
}

Field SparseType(const TensorField& field, BytesAs bytes_as) {
  const std::vector<int32_t> sizes = ListSizes(field);
  Field type{.name = field.feature.name, .type = TypeId::kStruct};
  for (const std::string& key : field.feature.config.index_keys) {
    type.children.push_back(NestedType(key, sizes, TypeId::kInt64));
  }
  type.children.push_back(NestedType(
      "values", sizes, ValueType(field.feature.tensor_dtype(), bytes_as)));
  return type;
}

// A struct of lists, one for each key; with weights, lists of structs.
Field JaggedType(const TensorField& field, BytesAs bytes_as) {
  const FeatureConfig& config = field.feature.config;
  const TypeId values = ValueType(field.feature.tensor_dtype(), bytes_as);
  Field type{.name = field.feature.name, .type = TypeId::kStruct};
  for (const NamedFeature& member : config.members) {
    Field list{.name = member.name, .type = TypeId::kList};
    Field item{.name = std::string(kItem), .type = values};
    if (config.weights) {
      item.type = TypeId::kStruct;
      item.children.push_back({.name = "value", .type = values});
      item.children.push_back({.name = "weight", .type = TypeId::kFloat32});
    }
    list.children.push_back(std::move(item));
    type.children.push_back(std::move(list));
  }
  return type;
}

// Returns the columns of a matrix.
int32_t NumColumns(const FeatureConfig& matrix) {
  int32_t columns = 0;
  for (const auto& [name, config] : matrix.members) {
    columns += config.pad_to ? static_cast<int32_t>(*config.pad_to)
                             : NumElements(config.shape);
    columns += config.present;
  }
  return columns;
}

bool HasShape(const FeatureConfig& config) {
  return (config.layout == Layout::kFixedLen ||
          config.layout == Layout::kFixedLenSequence) &&
         !config.shape.empty();
}

// Sets the extension type that is defined in
// https://arrow.apache.org/docs/format/CanonicalExtensions.html.
void MakeFixedShapeTensor(std::span<const int64_t> shape, Field* field) {
  field->extension = "arrow.fixed_shape_tensor";
  field->extension_metadata = "{\"shape\":[" + absl::StrJoin(shape, ",") + "]}";
}

void AddTypes(const PlanFields& fields, bool in_sequence, BytesAs bytes_as,
              Field* parent) {
  for (const ColumnField& column : fields.columns) {
    if (column.in_sequence != in_sequence) continue;
    parent->children.push_back(ColumnType(column, fields.is_raw, bytes_as));
  }
  for (const TensorField& field : fields.tensors) {
    if (field.in_sequence != in_sequence) continue;
    parent->children.push_back(TensorType(field, bytes_as));
  }
}

// Returns the type without its outer list. In a struct that list is around each
// child, so it is removed there.
Field WithoutList(Field field) {
  if (field.type == TypeId::kStruct) {
    for (Field& child : field.children) child = WithoutList(std::move(child));
    return field;
  }
  Field inner = std::move(field.children[0]);
  inner.name = std::move(field.name);
  return inner;
}

// Turns a struct of lists, which have the same lengths, into a list of structs.
Field ListOfStructs(Field lists) {
  Field structs = WithoutList(std::move(lists));
  structs.name = kItem;
  Field list{.name = std::string(kExamplesList), .type = TypeId::kList};
  list.children.push_back(std::move(structs));
  return list;
}

Status CheckNames(const Field& field) {
  if (!wire::IsUtf8(field.name)) {
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = "the column's name is not UTF-8",
                            .feature = field.name});
  }
  for (const Field& child : field.children) {
    Status status = CheckNames(child);
    if (!status.ok()) return status;
  }
  return Status();
}

}  // namespace

PlanFields FieldsOf(const Plan& plan) {
  return {.columns = plan.columns(),
          .tensors = plan.tensors(),
          .has_sequence_struct = plan.has_sequence_struct(),
          .is_raw = plan.message() == MessageType::kRaw,
          .is_list = IsListOfExamples(plan.message())};
}

int32_t NumElements(std::span<const int64_t> shape) {
  int64_t elements = 1;
  for (const int64_t dimension : shape) {
    if (dimension == 0) return 0;
    elements *= dimension;
  }
  assert(elements > 0 && elements <= std::numeric_limits<int32_t>::max());
  return static_cast<int32_t>(elements);
}

std::vector<int32_t> ListSizes(const TensorField& field) {
  const FeatureConfig& config = field.feature.config;
  std::vector<int32_t> sizes;
  if (field.in_sequence) sizes.push_back(kVariable);  // a row's steps
  switch (config.layout) {
    case Layout::kFixedLen:
      break;
    case Layout::kFixedLenSequence:
      if (!field.in_sequence || field.in_examples) sizes.push_back(kVariable);
      break;
    case Layout::kVarLen:
      sizes.push_back(static_cast<int32_t>(config.pad_to.value_or(kVariable)));
      break;
    case Layout::kSparse:
    case Layout::kJagged:
      sizes.push_back(kVariable);
      break;
    case Layout::kMatrix:
      sizes.push_back(NumColumns(config));
      break;
    case Layout::kRagged: {
      const plan::RaggedShape shape = plan::RaggedShapeOf(config);
      sizes.insert(sizes.end(), shape.num_levels, kVariable);
      for (const int64_t size : shape.item()) {
        sizes.push_back(static_cast<int32_t>(size));
      }
      break;
    }
  }
  if (HasShape(config)) sizes.push_back(NumElements(config.shape));
  return sizes;
}

size_t ListDepth(Kind kind, bool in_sequence, bool is_raw) {
  if (is_raw) return 0;
  return (in_sequence ? 1u : 0u) + (kind != Kind::kNull ? 1u : 0u);
}

Field TensorType(const TensorField& field, BytesAs bytes_as) {
  const FeatureConfig& config = field.feature.config;
  if (config.layout == Layout::kSparse) return SparseType(field, bytes_as);
  if (config.layout == Layout::kJagged) return JaggedType(field, bytes_as);
  const DType dtype = field.feature.tensor_dtype();
  const std::vector<int32_t> sizes = ListSizes(field);
  Field type =
      NestedType(field.feature.name, sizes, ValueType(dtype, bytes_as));
  if (HasShape(config) && dtype != DType::kBytes) {
    Field* innermost = &type;
    for (size_t i = 1; i < sizes.size(); ++i) {
      innermost = &innermost->children[0];
    }
    MakeFixedShapeTensor(config.shape, innermost);
  }
  if (config.layout == Layout::kMatrix) {
    MakeFixedShapeTensor(std::vector<int64_t>{sizes[0]}, &type);
  }
  return type;
}

Result<Field> MakeSchema(const PlanFields& fields,
                         const ArrowOptions& options) {
  Field root{.type = TypeId::kStruct, .nullable = false};
  root.children.reserve(fields.columns.size() + fields.tensors.size() + 1);
  AddTypes(fields, /*in_sequence=*/false, options.bytes_as, &root);
  if (fields.has_sequence_struct) {
    Field lists{.name = std::string(kSequenceStruct), .type = TypeId::kStruct};
    AddTypes(fields, /*in_sequence=*/true, options.bytes_as, &lists);
    root.children.push_back(fields.is_list ? ListOfStructs(std::move(lists))
                                           : std::move(lists));
  }
  Status status = CheckNames(root);
  if (!status.ok()) return status;
  return root;
}

Result<Field> MakeField(const PlanFields& fields, size_t index,
                        const ArrowOptions& options) {
  Status status =
      CheckIndex(index, fields.columns.size() + fields.tensors.size());
  if (!status.ok()) return status;
  Field field =
      index < fields.columns.size()
          ? ColumnType(fields.columns[index], fields.is_raw, options.bytes_as)
          : TensorType(fields.tensors[index], options.bytes_as);
  status = CheckNames(field);
  if (!status.ok()) return status;
  return field;
}

Status CheckIndex(size_t index, size_t count) {
  if (index < count) return Status();
  return Status(ErrorCode::kInvalidArgument,
                "no column or tensor has the index " + std::to_string(index) +
                    ": there are " + std::to_string(count));
}

}  // namespace headrace::arrow
