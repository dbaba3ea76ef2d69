// Finds the tensors that the features of a Schema imply, by rules I1 to I7 of
// docs/semantics.md.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "headrace/schema.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/quote.h"
#include "src/plan/schema/source_columns.h"
#include "src/plan/spec/bad_spec.h"

namespace headrace {

using plan::BadSpec;
using schema::SourceColumns;
using tfmd::Feature;
using tfmd::FeatureType;
using tfmd::LifecycleStage;
using tfmd::TensorRepresentation;

namespace {

using Representations = std::vector<TensorRepresentation>;

bool IsExcluded(bool deprecated, LifecycleStage stage) {
  switch (stage) {
    case LifecycleStage::kUnknownStage:
    case LifecycleStage::kBeta:
    case LifecycleStage::kProduction:
      return deprecated;
    default:
      return true;
  }
}

// Of features with the same name the last counts, in the place of the first.
class FeatureMap {
 public:
  explicit FeatureMap(const std::vector<Feature>& features) {
    for (const Feature& feature : features) {
      const auto [place, is_new] =
          places_.emplace(feature.name, features_.size());
      if (is_new) {
        features_.push_back(&feature);
      } else {
        features_[place->second] = &feature;
      }
    }
  }

  // Removes and returns a feature; null if the schema lacks it or it was taken
  // already.
  const Feature* Take(const std::string& name) {
    const auto place = places_.find(name);
    if (place == places_.end()) return nullptr;
    return std::exchange(features_[place->second], nullptr);
  }

  // Returns the features in order, null for those that were taken.
  const std::vector<const Feature*>& features() const { return features_; }

 private:
  std::map<std::string_view, size_t> places_;
  std::vector<const Feature*> features_;
};

class Inference {
 public:
  explicit Inference(const Schema& schema)
      : schema_(schema), features_(schema.features) {}

  Result<Representations> Run(bool legacy) {
    if (!legacy) {
      for (const tfmd::SparseFeature& sparse : schema_.sparse_features) {
        if (IsExcluded(sparse.deprecated, sparse.lifecycle_stage)) continue;
        if (Status status = AddSparse(sparse); !status.ok()) return status;
      }
    }
    for (const Feature* feature : features_.features()) {
      if (!feature || IsExcluded(feature->deprecated, feature->lifecycle_stage))
        continue;
      Status status = feature->type == FeatureType::kStruct
                          ? AddStruct(*feature)
                      : legacy ? AddLegacy(*feature)
                               : Add(*feature);
      if (!status.ok()) return status;
    }
    return RemoveHidden();
  }

 private:
  Status AddSparse(const tfmd::SparseFeature& sparse);
  Status AddStruct(const Feature& feature);
  Status Add(const Feature& feature);
  Status AddLegacy(const Feature& feature);
  void AddVariable(const Feature& feature);
  Representations RemoveHidden();

  const Schema& schema_;
  FeatureMap features_;
  Representations found_;
};

// Returns the dimension that the domain of an index implies (I2).
Result<tfmd::FixedShape::Dim> DimensionOf(const std::string& sparse,
                                          const Feature& index) {
  if (!index.int_domain) return {tfmd::FixedShape::Dim{.size = -1}};
  const auto fail = [&](const std::string& what) {
    return BadSpec("sparse feature", sparse,
                   "has index feature " + Quote(index.name) + " whose " + what,
                   "I2");
  };
  const tfmd::IntDomain& domain = *index.int_domain;
  if (!domain.min) return fail("int_domain has no min; it must be 0");
  if (*domain.min != 0) {
    return fail("int_domain begins at " + std::to_string(*domain.min) +
                "; indices count from 0");
  }
  if (!domain.max)
    return fail("int_domain has no max, which the dimension needs");
  if (*domain.max == INT64_MAX) return fail("int_domain is too large");
  return {tfmd::FixedShape::Dim{.size = *domain.max + 1}};
}

Status Inference::AddSparse(const tfmd::SparseFeature& sparse) {
  const auto missing = [&](const char* role, const std::string& name) {
    return BadSpec("sparse feature", sparse.name,
                   std::string("has ") + role + " feature " + Quote(name) +
                       ", which the schema does not have, or which is "
                       "already part of a sparse feature",
                   "I2");
  };
  std::vector<const Feature*> indices;
  for (const std::string& name : sparse.index_features) {
    indices.push_back(features_.Take(name));
    if (!indices.back()) return missing("index", name);
  }
  if (!features_.Take(sparse.value_feature)) {
    return missing("value", sparse.value_feature);
  }
  tfmd::SparseTensor tensor{.dense_shape = tfmd::FixedShape(),
                            .index_column_names = sparse.index_features,
                            .value_column_name = sparse.value_feature};
  for (const Feature* index : indices) {
    auto dimension = DimensionOf(sparse.name, *index);
    if (!dimension.ok()) return dimension.status();
    tensor.dense_shape->dims.push_back(*dimension);
  }
  if (sparse.is_sorted) tensor.already_sorted = true;
  found_.push_back({sparse.name, std::move(tensor)});
  return Status();
}

Status Inference::AddStruct(const Feature& feature) {
  if (!feature.sparse_children.empty()) {
    return BadSpec("feature", feature.name,
                   "is a STRUCT with sparse features, which cannot be read",
                   "I4");
  }
  for (const Feature& child : feature.children) {
    if (child.type == FeatureType::kStruct) {
      return BadSpec("feature", feature.name,
                     "is a STRUCT with a STRUCT " + Quote(child.name) +
                         " inside, which cannot be read",
                     "I4");
    }
    found_.push_back({feature.name + "." + child.name,
                      tfmd::RaggedTensor{.feature_path = std::vector{
                                             feature.name, child.name}}});
  }
  return Status();
}

void Inference::AddVariable(const Feature& feature) {
  if (schema_.represent_variable_length_as_ragged) {
    found_.push_back(
        {feature.name,
         tfmd::RaggedTensor{.feature_path = std::vector{feature.name}}});
  } else {
    found_.push_back({feature.name, tfmd::VarLenSparseTensor{feature.name}});
  }
}

double MinFraction(const Feature& feature) {
  return feature.presence ? feature.presence->min_fraction.value_or(0) : 0;
}

Status Inference::Add(const Feature& feature) {
  if (!feature.shape) {
    AddVariable(feature);
    return Status();
  }
  // This also refuses a NaN.
  if (!(MinFraction(feature) == 1)) {
    return BadSpec("feature", feature.name,
                   "has a shape, but its presence.min_fraction is not 1; "
                   "a feature that may be absent has a value_count instead",
                   "I3");
  }
  found_.push_back(
      {feature.name, tfmd::DenseTensor{feature.name, feature.shape, {}}});
  return Status();
}

Result<tfmd::DefaultValue> LegacyDefault(const Feature& feature) {
  switch (feature.type) {
    case FeatureType::kBytes:
      return {tfmd::DefaultValue{std::string()}};
    case FeatureType::kInt:
      return {tfmd::DefaultValue{int64_t{-1}}};
    case FeatureType::kFloat:
      return {tfmd::DefaultValue{-1.0}};
    default:
      return BadSpec("feature", feature.name,
                     "has no type that a default value could have", "I6");
  }
}

Status Inference::AddLegacy(const Feature& feature) {
  const tfmd::ValueCount count =
      feature.value_count.value_or(tfmd::ValueCount());
  const int64_t min = count.min.value_or(0), max = count.max.value_or(0);
  if (min < 0 || max < 0) {
    return BadSpec("feature", feature.name, "has a negative value_count", "I6");
  }
  if (min != max || min == 0) {
    AddVariable(feature);
    return Status();
  }
  tfmd::DenseTensor tensor{feature.name, tfmd::FixedShape(), {}};
  if (min > 1) tensor.shape->dims.push_back({.size = min});
  if (MinFraction(feature) < 1) {
    auto default_value = LegacyDefault(feature);
    if (!default_value.ok()) return default_value.status();
    tensor.default_value = *std::move(default_value);
  }
  found_.push_back({feature.name, std::move(tensor)});
  return Status();
}

// Returns the tensors found. Of tensors with the same name the last counts, in
// the place of the first.
Representations Inference::RemoveHidden() {
  std::map<std::string, size_t> places;
  Representations kept;
  for (TensorRepresentation& tensor : found_) {
    const auto [place, is_new] = places.emplace(tensor.name, kept.size());
    if (is_new) {
      kept.push_back(std::move(tensor));
    } else {
      kept[place->second] = std::move(tensor);
    }
  }
  return kept;
}

}  // namespace

Result<Representations> Schema::Representations(
    const SchemaOptions& options) const {
  return CatchOutOfMemory([&]() -> Result<::headrace::Representations> {
    auto inferred = Inference(*this).Run(options.legacy);
    if (!inferred.ok()) return inferred;
    const tfmd::TensorRepresentationGroup* group =
        schema::FindGroup(*this, options.group);
    if (!group) return inferred;

    auto tensors = group->tensors;
    std::set<std::string> hidden;  // I7
    for (const TensorRepresentation& tensor : group->tensors) {
      auto columns = SourceColumns(tensor);
      if (!columns.ok()) return columns.status();
      hidden.insert(tensor.name);
      for (const auto& path : *columns) hidden.insert(schema::JoinPath(path));
    }
    for (TensorRepresentation& tensor : *inferred) {
      if (!hidden.contains(tensor.name)) tensors.push_back(std::move(tensor));
    }
    return tensors;
  });
}

}  // namespace headrace
