// Makes the specs that TensorFlow's parsing ops would get for the
// representations of a Schema, by rules I8 to I11 of docs/semantics.md.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "src/base/out_of_memory.h"
#include "src/plan/schema/source_columns.h"
#include "src/plan/spec/bad_spec.h"

namespace headrace {

using plan::BadSpec;
using schema::BadTensor;
using schema::ColumnPath;
using schema::NoColumn;
using tfmd::Feature;
using tfmd::FeatureType;
using tfmd::TensorRepresentation;

namespace {

// The types of features that are not STRUCTs. Of features with the same path
// the last counts (I1).
class LeafTypes {
 public:
  static Result<LeafTypes> Of(const Schema& schema) {
    LeafTypes types;
    ColumnPath path;
    Status status = types.Add(schema.features, &path);
    if (!status.ok()) return status;
    return types;
  }

  const FeatureType* Find(const ColumnPath& path) const {
    const auto found = types_.find(path);
    return found == types_.end() ? nullptr : &found->second;
  }

 private:
  // The parser limits the depth of a schema, and so this recursion.
  Status Add(const std::vector<Feature>& features, ColumnPath* path) {
    for (const Feature& feature : features) {
      path->push_back(feature.name);
      if (feature.type != FeatureType::kStruct) {
        types_[*path] = feature.type;
      } else if (!feature.sparse_children.empty()) {
        return BadSpec("feature", feature.name,
                       "is a STRUCT with sparse features, which cannot be "
                       "read",
                       "I4");
      } else if (Status status = Add(feature.children, path); !status.ok()) {
        return status;
      }
      path->pop_back();
    }
    return Status();
  }

  std::map<ColumnPath, FeatureType> types_;
};

// Returns the type that tf.io.parse_example would get: the type of the only
// column, or of the column of values.
Result<FeatureType> ExampleType(
    const TensorRepresentation& tensor,
    const std::map<std::string, FeatureType>& types) {
  const auto columns = schema::SourceColumns(tensor);
  if (!columns.ok()) return columns.status();
  const auto values = columns->size() == 1
                          ? std::optional<ColumnPath>(columns->front())
                          : schema::ValueColumn(tensor);
  if (!values) return BadTensor(tensor, "has no kind of tensor", "I8");
  if (values->empty()) {
    return BadTensor(tensor, "is ragged, but has no feature_path", "I10");
  }
  if (values->size() > 1) {
    return BadTensor(tensor,
                     "is of a child of a STRUCT, which an Example does not "
                     "have",
                     "I10");
  }
  const auto type = types.find(values->front());
  if (type == types.end()) return NoColumn(tensor, *values);
  return type->second;
}

}  // namespace

Result<FeatureSpec> Schema::ExampleSpec(const SchemaOptions& options) const {
  return CatchOutOfMemory([&]() -> Result<FeatureSpec> {
    const auto tensors = Representations(options);
    if (!tensors.ok()) return tensors.status();
    std::map<std::string, FeatureType> types;
    for (const Feature& feature : features) types[feature.name] = feature.type;

    FeatureSpec spec;
    for (const TensorRepresentation& tensor : *tensors) {
      const auto type = ExampleType(tensor, types);
      if (!type.ok()) return type.status();
      auto feature = schema::ToFeature(tensor, *type, /*allow_uint=*/false);
      if (!feature.ok()) return feature.status();
      spec.Add(std::move(feature->name), std::move(feature->config));
    }
    return spec;
  });
}

Result<FeatureSpec> Schema::SequenceExampleSpec(
    const SchemaOptions& options) const {
  return CatchOutOfMemory([&]() -> Result<FeatureSpec> {
    const auto* group = schema::FindGroup(*this, options.group);
    if (!group) {
      return BadSpec("tensor_representation_group", options.group,
                     "does not exist; the spec of a SequenceExample is made "
                     "of explicit tensors only",
                     "I11");
    }
    const auto types = LeafTypes::Of(*this);
    if (!types.ok()) return types.status();
    FeatureSpec spec(MessageType::kSequence);
    for (const TensorRepresentation& tensor : group->tensors) {
      const auto values = schema::ValueColumn(tensor);
      if (!values) return BadTensor(tensor, "has no kind of tensor", "I8");
      const FeatureType* type = types->Find(*values);
      if (!type) return NoColumn(tensor, *values);
      if (values->size() > 2) {
        return BadTensor(tensor, "is of a STRUCT inside a STRUCT", "I4");
      }
      auto feature = schema::ToFeature(tensor, *type, /*allow_uint=*/false);
      if (!feature.ok()) return feature.status();
      if (values->size() == 1) {
        spec.Add(std::move(feature->name), std::move(feature->config));
      } else {
        spec.AddSequence(std::move(feature->name), std::move(feature->config));
      }
    }
    return spec;
  });
}

}  // namespace headrace
