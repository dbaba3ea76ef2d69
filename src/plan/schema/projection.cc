// Makes a part of a Schema, and checks whether its parts fit one another, by
// rules I12 and I13 of docs/semantics.md.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "headrace/schema.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/near_miss.h"
#include "src/plan/schema/source_columns.h"
#include "src/plan/spec/bad_spec.h"

namespace headrace {

using plan::BadSpec;
using schema::ColumnPath;
using tfmd::Feature;
using tfmd::FeatureType;
using tfmd::TensorRepresentation;

namespace {

using Paths = std::set<ColumnPath>;

// Appends the paths of the leaves. A STRUCT is not a leaf; its children are.
void AddLeaves(const std::vector<Feature>& features, ColumnPath* path,
               std::vector<ColumnPath>* leaves) {
  for (const Feature& feature : features) {
    path->push_back(feature.name);
    if (feature.type == FeatureType::kStruct) {
      AddLeaves(feature.children, path, leaves);
    } else {
      leaves->push_back(*path);
    }
    path->pop_back();
  }
}

// Returns the features that are in `paths`, or have children there; of features
// with the same name, the first. Removes the paths that it finds from `paths`.
std::vector<Feature> Select(const std::vector<Feature>& features,
                            Paths* paths) {
  std::vector<Feature> kept;
  for (const Feature& feature : features) {
    if (feature.type != FeatureType::kStruct) {
      if (paths->erase({feature.name}) > 0) kept.push_back(feature);
      continue;
    }
    Feature parent = feature;
    parent.children.clear();
    for (const Feature& child : feature.children) {
      if (paths->erase({feature.name, child.name}) > 0) {
        parent.children.push_back(child);
      }
    }
    if (!parent.children.empty()) kept.push_back(std::move(parent));
  }
  return kept;
}

}  // namespace

Result<Schema> Schema::Project(const std::vector<std::string>& tensors,
                               const SchemaOptions& options) const {
  return CatchOutOfMemory([&]() -> Result<Schema> {
    const auto all = Representations(options);
    if (!all.ok()) return all.status();
    std::map<std::string, const TensorRepresentation*> by_name;
    for (const TensorRepresentation& tensor : *all) {
      by_name[tensor.name] = &tensor;
    }
    tfmd::TensorRepresentationGroup group{.name = options.group};
    Paths paths;
    std::set<std::string_view> seen;
    for (const std::string& name : tensors) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) {
        std::vector<std::string_view> names;
        for (const TensorRepresentation& tensor : *all) {
          names.push_back(tensor.name);
        }
        return BadSpec("tensor", name,
                       "is not one of the schema's" + DidYouMean(name, names),
                       "I12");
      }
      if (!seen.insert(name).second) continue;
      const auto columns = schema::SourceColumns(*found->second);
      if (!columns.ok()) return columns.status();
      paths.insert(columns->begin(), columns->end());
      group.tensors.push_back(*found->second);
    }
    Schema projected{.features = Select(features, &paths),
                     .string_domains = string_domains,
                     .float_domains = float_domains,
                     .int_domains = int_domains,
                     .default_environments = default_environments,
                     .dataset_constraints = dataset_constraints};
    if (!paths.empty()) {
      return BadSpec("column", schema::JoinPath(*paths.begin()),
                     "is part of a tensor, but not a feature of the schema",
                     "I12");
    }
    projected.groups.push_back(std::move(group));
    return projected;
  });
}

Status Schema::Validate(const SchemaOptions& options) const {
  return CatchOutOfMemory([&]() -> Status {
    const auto* group = schema::FindGroup(*this, options.group);
    if (!group) {
      return BadSpec("tensor_representation_group", options.group,
                     "does not exist", "I13");
    }
    ColumnPath path;
    std::vector<ColumnPath> leaves;
    AddLeaves(features, &path, &leaves);
    const Paths known(leaves.begin(), leaves.end());
    Paths used;
    for (const TensorRepresentation& tensor : group->tensors) {
      const auto columns = schema::SourceColumns(tensor);
      if (!columns.ok()) return columns.status();
      for (const ColumnPath& column : *columns) {
        if (!known.contains(column)) {
          return schema::NoColumn(tensor, column, "I13");
        }
        used.insert(column);
      }
    }
    for (const ColumnPath& leaf : leaves) {
      if (!used.contains(leaf)) {
        return BadSpec("feature", schema::JoinPath(leaf),
                       "is part of no tensor", "I13");
      }
    }
    return Status();
  });
}

std::vector<std::string> Schema::Warnings(const SchemaOptions& options) const {
  std::vector<std::string> warnings;
  std::set<std::string_view> seen, twice;
  for (const Feature& feature : features) {
    if (!seen.insert(feature.name).second && feature.name != kSequenceColumn) {
      twice.insert(feature.name);
    }
  }
  for (const std::string_view name : twice) {
    warnings.push_back("feature " + Quote(std::string(name)) +
                       " is defined more than once: columns use the first "
                       "definition, tensors the last");
  }
  const auto* group = schema::FindGroup(*this, options.group);
  if (!group) return warnings;
  for (const TensorRepresentation& tensor : group->tensors) {
    const auto columns = schema::SourceColumns(tensor);
    if (!columns.ok() || !seen.contains(tensor.name)) continue;
    const ColumnPath own{tensor.name};
    if (std::ranges::find(*columns, own) == columns->end()) {
      warnings.push_back("tensor " + Quote(tensor.name) +
                         " hides the feature of that name, which it is not "
                         "made of");
    }
  }
  return warnings;
}

}  // namespace headrace
