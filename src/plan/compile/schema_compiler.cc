// Compiles a Schema into a Plan by rules I14 and I15 of docs/semantics.md.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "headrace/plan.h"
#include "headrace/schema.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/quote.h"
#include "src/plan/compile/program.h"
#include "src/plan/schema/source_columns.h"
#include "src/plan/spec/bad_spec.h"

namespace headrace {
namespace {

using schema::BadTensor;
using schema::ColumnPath;
using schema::NoColumn;

bool IsSequenceStruct(const tfmd::Feature& feature) {
  return feature.name == kSequenceColumn &&
         feature.type == tfmd::FeatureType::kStruct;
}

MessageType MessageOf(const Schema& schema, MessageType message) {
  if (message != MessageType::kAuto) return message;
  const bool sequence = std::any_of(schema.features.begin(),
                                    schema.features.end(), IsSequenceStruct);
  return sequence ? MessageType::kSequence : MessageType::kExample;
}

class SchemaColumns {
 public:
  static Result<SchemaColumns> Of(const Schema& schema, MessageType message) {
    SchemaColumns columns;
    columns.message_ = MessageOf(schema, message);
    if (IsListOfExamples(columns.message_)) {
      return Status(
          ErrorCode::kBadSpec,
          "a schema does not describe lists of Examples; give a spec");
    }
    for (const tfmd::Feature& feature : schema.features) {
      Status status = columns.Add(feature);
      if (!status.ok()) return status;
    }
    // Rule C6 puts the struct column last.
    std::move(columns.lists_.begin(), columns.lists_.end(),
              std::back_inserter(columns.fields_));
    return columns;
  }

  MessageType message() const { return message_; }
  const std::vector<ColumnField>& fields() const { return fields_; }

  std::optional<tfmd::FeatureType> Find(const ColumnPath& path) const {
    const bool in_sequence = path.size() == 2 && path[0] == kSequenceColumn;
    if (path.size() != 1 && !in_sequence) return std::nullopt;
    const auto& types = in_sequence ? list_types_ : types_;
    const auto found = types.find(path.back());
    if (found == types.end()) return std::nullopt;
    return found->second;
  }

 private:
  using Types = std::map<std::string, tfmd::FeatureType>;

  Status Add(const tfmd::Feature& feature) {
    if (message_ != MessageType::kSequence || feature.name != kSequenceColumn) {
      return AddLeaf(feature, /*in_sequence=*/false, &types_, &fields_);
    }
    if (feature.type != tfmd::FeatureType::kStruct) {
      return plan::BadSpec("feature", feature.name,
                           "is not a STRUCT, so it has no feature lists",
                           "I14");
    }
    for (const tfmd::Feature& child : feature.children) {
      Status status =
          AddLeaf(child, /*in_sequence=*/true, &list_types_, &lists_);
      if (!status.ok()) return status;
    }
    return Status();
  }

  // Of features with the same name the first counts (I14).
  static Status AddLeaf(const tfmd::Feature& feature, bool in_sequence,
                        Types* types, std::vector<ColumnField>* fields) {
    if (types->contains(feature.name)) return Status();
    const auto dtype = schema::DTypeOf(feature.type);
    if (!dtype) {
      return plan::BadSpec("feature", feature.name,
                           "has type " +
                               std::string(FeatureTypeName(feature.type)) +
                               "; only INT, FLOAT and BYTES can be read",
                           "I14");
    }
    types->emplace(feature.name, feature.type);
    fields->push_back({feature.name, static_cast<Kind>(*dtype), in_sequence});
    return Status();
  }

  MessageType message_ = MessageType::kExample;
  std::vector<ColumnField> fields_;
  std::vector<ColumnField> lists_;
  Types types_;
  Types list_types_;
};

class TensorMaker {
 public:
  explicit TensorMaker(const SchemaColumns& columns)
      : columns_(columns), spec_(columns.message()) {}

  Status Add(const tfmd::TensorRepresentation& tensor);
  const FeatureSpec& spec() const { return spec_; }

 private:
  Status CheckIndex(const tfmd::TensorRepresentation& tensor,
                    const ColumnPath& path, const char* role) const;

  const SchemaColumns& columns_;
  FeatureSpec spec_;
};

// Index columns and row lengths must be lists of integers.
Status TensorMaker::CheckIndex(const tfmd::TensorRepresentation& tensor,
                               const ColumnPath& path, const char* role) const {
  const auto type = columns_.Find(path);
  if (!type) return NoColumn(tensor, path);
  if (*type == tfmd::FeatureType::kInt && path.size() == 1) return Status();
  const std::string what =
      path.size() == 1
          ? "is " + std::string(FeatureTypeName(*type)) + ", not INT"
          : "is a feature list, which is not allowed";
  return BadTensor(tensor,
                   std::string("has ") + role + " " +
                       Quote(schema::JoinPath(path)) + ", which " + what,
                   "I15");
}

Status TensorMaker::Add(const tfmd::TensorRepresentation& tensor) {
  const auto values = schema::ValueColumn(tensor);
  if (!values)
    return BadTensor(tensor, "does not say which kind of tensor it is", "I8");
  if (values->empty()) {
    return BadTensor(tensor, "is ragged, but has no feature_path", "I10");
  }
  const auto type = columns_.Find(*values);
  if (!type) return NoColumn(tensor, *values);
  auto feature = schema::ToFeature(tensor, *type, /*allow_uint=*/true);
  if (!feature.ok()) return feature.status();
  for (const std::string& key : feature->config.index_keys) {
    Status status = CheckIndex(tensor, {key}, "index column");
    if (!status.ok()) return status;
  }
  for (const Partition& partition : feature->config.partitions) {
    if (partition.type == PartitionType::kUniformRowLength) continue;
    ColumnPath path = *values;
    path.back() = partition.key;
    Status status = CheckIndex(tensor, path, "row length column");
    if (!status.ok()) return status;
  }
  if (values->size() == 1) {
    spec_.Add(std::move(feature->name), std::move(feature->config));
  } else {
    spec_.AddSequence(std::move(feature->name), std::move(feature->config));
  }
  return Status();
}

}  // namespace

Result<Plan> Plan::ForColumnsOf(const Schema& schema, MessageType message) {
  return CatchOutOfMemory([&]() -> Result<Plan> {
    const auto columns = SchemaColumns::Of(schema, message);
    if (!columns.ok()) return columns.status();
    return ForColumns(columns->fields(), columns->message(),
                      /*sequence_struct=*/false);
  });
}

Result<Plan> Plan::Compile(const Schema& schema, const SchemaOptions& options,
                           MessageType message) {
  return CatchOutOfMemory([&]() -> Result<Plan> {
    const auto columns = SchemaColumns::Of(schema, message);
    if (!columns.ok()) return columns.status();
    // ForColumns checks names and message.
    const auto readable = ForColumns(columns->fields(), columns->message(),
                                     /*sequence_struct=*/false);
    if (!readable.ok()) return readable.status();
    const auto tensors = schema.Representations(options);
    if (!tensors.ok()) return tensors.status();
    TensorMaker maker(*columns);
    for (const tfmd::TensorRepresentation& tensor : *tensors) {
      Status status = maker.Add(tensor);
      if (!status.ok()) return status;
    }
    auto program = plan::Program::ForSchema(columns->fields(), maker.spec());
    if (!program.ok()) return program.status();
    return Plan(*std::move(program));
  });
}

}  // namespace headrace
