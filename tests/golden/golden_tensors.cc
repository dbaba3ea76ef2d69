#include "tests/golden/golden_tensors.h"

#include <bit>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/golden/golden.h"

namespace headrace::testing {

using nlohmann::json;

namespace {

[[noreturn]] void NotUnderstood(const std::string& what) {
  throw std::runtime_error(what + " is not understood");
}

std::vector<std::string> Keys(const json& keys) {
  std::vector<std::string> parsed;
  for (const json& key : keys) parsed.push_back(GoldenKey(key));
  return parsed;
}

// Every field of a feature is one that its kind has.
void CheckFields(const json& feature, const std::vector<std::string>& known) {
  for (const auto& [field, value] : feature.items()) {
    bool found = field == "name" || field == "kind" || field == "dtype" ||
                 field == "column";
    for (const std::string& name : known) found = found || field == name;
    if (!found) NotUnderstood("field " + field);
  }
}

DType DTypeNamed(const std::string& name) {
  if (name == "int64") return DType::kInt64;
  if (name == "float") return DType::kFloat;
  if (name == "bytes") return DType::kBytes;
  NotUnderstood("dtype " + name);
}

Kind KindNamed(const std::string& name) {
  const auto kind = ParseKind(name);
  if (!kind || *kind == Kind::kNull) NotUnderstood("dtype " + name);
  return *kind;
}

DefaultValues Defaults(const json& values, DType dtype) {
  if (dtype == DType::kBytes) return GoldenRecords(values);
  if (dtype == DType::kInt64) return values.get<std::vector<int64_t>>();
  std::vector<float> floats;
  for (const json& value : values) {
    floats.push_back(std::bit_cast<float>(GoldenFloat(value)));
  }
  return floats;
}

Partition OnePartition(const json& golden) {
  if (golden.size() != 1) NotUnderstood("partition " + golden.dump());
  constexpr std::pair<const char*, PartitionType> kKeyed[] = {
      {"row_lengths", PartitionType::kRowLengths},
      {"row_splits", PartitionType::kRowSplits},
      {"row_starts", PartitionType::kRowStarts},
      {"row_limits", PartitionType::kRowLimits},
      {"value_rowids", PartitionType::kValueRowids},
  };
  const auto item = golden.begin();
  for (const auto& [name, type] : kKeyed) {
    if (item.key() == name) return {type, GoldenKey(item.value())};
  }
  if (item.key() != "uniform_row_length") {
    NotUnderstood("partition " + item.key());
  }
  return {.type = PartitionType::kUniformRowLength,
          .uniform_row_length = item.value().get<int64_t>()};
}

FeatureConfig RaggedConfig(const json& golden, DType dtype) {
  CheckFields(golden, {"value_key", "row_splits_dtype", "partitions"});
  std::vector<Partition> partitions;
  for (const json& partition : golden.at("partitions")) {
    partitions.push_back(OnePartition(partition));
  }
  const std::string splits = golden.at("row_splits_dtype").get<std::string>();
  if (splits != "int32" && splits != "int64") NotUnderstood(splits);
  return Ragged(dtype, std::move(partitions), GoldenKey(golden.at("value_key")),
                splits == "int32" ? DType::kInt32 : DType::kInt64);
}

FeatureConfig ConfigOf(const json& golden) {
  const std::string kind = golden.at("kind").get<std::string>();
  const DType dtype = DTypeNamed(golden.at("dtype").get<std::string>());
  if (kind == "fixed_len") {
    CheckFields(golden, {"shape", "default"});
    FeatureConfig config =
        FixedLen(dtype, golden.at("shape").get<std::vector<int64_t>>());
    if (golden.contains("default")) {
      config.Default(Defaults(golden["default"], dtype));
    }
    return config;
  }
  if (kind == "fixed_len_sequence") {
    CheckFields(golden, {"shape", "allow_missing", "default"});
    FeatureConfig config =
        FixedLenSequence(dtype, golden.at("shape").get<std::vector<int64_t>>(),
                         golden.at("allow_missing").get<bool>());
    if (golden.contains("default")) {
      config.Default(Defaults(json::array({golden["default"]}), dtype));
    }
    return config;
  }
  if (kind == "var_len") {
    CheckFields(golden, {});
    return VarLen(dtype);
  }
  if (kind == "sparse") {
    CheckFields(golden, {"index_keys", "value_key", "size", "already_sorted"});
    return Sparse(Keys(golden.at("index_keys")),
                  GoldenKey(golden.at("value_key")), dtype,
                  golden.at("size").get<std::vector<int64_t>>(),
                  golden.at("already_sorted").get<bool>());
  }
  if (kind == "ragged") return RaggedConfig(golden, dtype);
  NotUnderstood("kind " + kind);
}

NaiveFeature Values(const json& golden) {
  NaiveFeature values{.kind = KindNamed(golden.at("dtype").get<std::string>())};
  const json& from = golden.at("values");
  if (values.kind == Kind::kBytes) values.bytes = GoldenRecords(from);
  if (values.kind == Kind::kInt64) {
    values.int64s = from.get<std::vector<int64_t>>();
  }
  if (values.kind != Kind::kFloat) return values;
  for (const json& value : from) values.floats.push_back(GoldenFloat(value));
  return values;
}

NaiveTensor OneTensor(const json& golden, const NamedFeature& feature,
                      bool in_sequence) {
  NaiveTensor tensor{.name = feature.name,
                     .in_sequence = in_sequence,
                     .values = Values(golden)};
  const std::string kind = golden.at("kind").get<std::string>();
  if (kind == "dense") {
    tensor.shape = golden.at("shape").get<std::vector<int64_t>>();
  } else if (kind == "sparse") {
    tensor.kind = TensorKind::kSparse;
    tensor.shape = golden.at("dense_shape").get<std::vector<int64_t>>();
    for (const json& index : golden.at("indices")) {
      if (index.size() != tensor.shape.size()) NotUnderstood("index");
      for (const json& i : index) tensor.indices.push_back(i.get<int64_t>());
    }
  } else if (kind == "ragged") {
    tensor.kind = TensorKind::kRagged;
    tensor.shape = golden.at("inner_shape").get<std::vector<int64_t>>();
    tensor.row_splits =
        golden.at("row_splits").get<std::vector<std::vector<int64_t>>>();
    tensor.int64_splits = feature.config.row_splits_dtype == DType::kInt64;
  } else {
    NotUnderstood("tensor of kind " + kind);
  }
  return tensor;
}

void AddTensors(const json& outputs, const std::vector<NamedFeature>& features,
                bool in_sequence, NaiveTensors* result) {
  if (outputs.size() != features.size()) {
    NotUnderstood("another number of outputs than of features");
  }
  for (const NamedFeature& feature : features) {
    result->tensors.push_back(
        OneTensor(outputs.at(feature.name), feature, in_sequence));
  }
}

void AddLengths(const json& lengths, NaiveTensors* result) {
  size_t dense = 0;
  for (NaiveTensor& tensor : result->tensors) {
    if (!tensor.in_sequence || tensor.kind != TensorKind::kDense) continue;
    tensor.lengths = lengths.at(tensor.name).get<std::vector<int64_t>>();
    ++dense;
  }
  if (dense != lengths.size()) NotUnderstood("lengths of no dense tensor");
}

NaiveTensors TensorsError(const json& expect) {
  NaiveTensors result;
  std::set<std::string>& features =
      result.errors[GoldenErrorCode(expect.at("error").get<std::string>())];
  if (expect.contains("feature")) features = {GoldenKey(expect["feature"])};
  if (expect.contains("record")) {
    result.record = expect["record"].get<uint64_t>();
  }
  return result;
}

}  // namespace

NamedFeature GoldenFeature(const json& golden) {
  NamedFeature feature{GoldenKey(golden.at("name")), ConfigOf(golden)};
  if (golden.contains("column")) {
    feature.config.column = GoldenKey(golden["column"]);
  }
  return feature;
}

FeatureSpec GoldenSpec(const json& golden) {
  const std::string message = golden.at("message").get<std::string>();
  const bool sequence = message == "sequence_example";
  if (!sequence && message != "example") NotUnderstood("message " + message);
  FeatureSpec spec(sequence ? MessageType::kSequence : MessageType::kExample);
  for (const json& golden_feature : golden.at("spec")) {
    NamedFeature feature = GoldenFeature(golden_feature);
    spec.Add(std::move(feature.name), std::move(feature.config));
  }
  if (!sequence) return spec;
  for (const json& golden_feature : golden.at("sequence_spec")) {
    NamedFeature feature = GoldenFeature(golden_feature);
    spec.AddSequence(std::move(feature.name), std::move(feature.config));
  }
  return spec;
}

NaiveTensors GoldenTensors(const json& expect, const FeatureSpec& spec,
                           size_t num_records) {
  if (expect.contains("error")) return TensorsError(expect);
  NaiveTensors result;
  result.num_rows = num_records;
  AddTensors(expect.at("outputs"), spec.features(), /*in_sequence=*/false,
             &result);
  if (spec.message() != MessageType::kSequence) return result;
  AddTensors(expect.at("sequence_outputs"), spec.sequence_features(),
             /*in_sequence=*/true, &result);
  AddLengths(expect.at("sequence_lengths"), &result);
  return result;
}

FeatureSpec GoldenListSpec(const json& golden) {
  const std::string name = golden.at("message").get<std::string>();
  const auto message = ParseName<MessageType>(name);
  if (!message || !IsListOfExamples(*message)) {
    NotUnderstood("message " + name);
  }
  FeatureSpec spec(*message);
  for (const json& golden_feature : golden.at("context_spec")) {
    NamedFeature feature = GoldenFeature(golden_feature);
    spec.Add(std::move(feature.name), std::move(feature.config));
  }
  for (const json& golden_feature : golden.at("example_spec")) {
    NamedFeature feature = GoldenFeature(golden_feature);
    spec.AddToExamples(std::move(feature.name), std::move(feature.config));
  }
  ListOptions lists;
  const auto key = [&golden](const char* field) {
    const json& value = golden.at(field);
    return value.is_null() ? std::nullopt
                           : std::optional<std::string>(GoldenKey(value));
  };
  if (!golden.at("list_size").is_null()) {
    lists.list_size = golden["list_size"].get<int64_t>();
  }
  lists.size_feature_name = key("size_feature_name");
  lists.mask_feature_name = key("mask_feature_name");
  return std::move(spec).SetLists(std::move(lists));
}

namespace {

// Sizes and mask have types that records do not hold.
NaiveTensor ListTensor(const json& golden, const std::string& name,
                       const char* dtype) {
  if (golden.at("kind") != "dense" || golden.at("dtype") != dtype) {
    NotUnderstood("tensor " + name);
  }
  NaiveTensor tensor{.name = name,
                     .shape = golden.at("shape").get<std::vector<int64_t>>()};
  tensor.values.kind = Kind::kInt64;
  for (const json& value : golden.at("values")) {
    tensor.values.int64s.push_back(value.is_boolean() ? value.get<bool>()
                                                      : value.get<int64_t>());
  }
  return tensor;
}

}  // namespace

NaiveTensors GoldenLists(const json& expect, const FeatureSpec& spec,
                         size_t num_records, const NaiveTensors& oracle) {
  if (expect.contains("error")) return TensorsError(expect);
  const json& outputs = expect.at("outputs");
  NaiveTensors result;
  result.num_rows = num_records;
  std::set<std::string> taken;
  const auto add = [&](const NamedFeature& feature, bool in_sequence) {
    if (!taken.insert(feature.name).second) {
      result.tensors.push_back(oracle.tensors.at(result.tensors.size()));
      return;
    }
    result.tensors.push_back(
        OneTensor(outputs.at(feature.name), feature, in_sequence));
    // What the lengths are for is no output of its own.
    if (in_sequence) {
      result.tensors.back().lengths =
          oracle.tensors.at(result.tensors.size() - 1).lengths;
    }
  };
  for (const NamedFeature& feature : spec.features()) add(feature, false);
  for (const NamedFeature& feature : spec.example_features()) {
    add(feature, true);
  }
  const auto& [list_size, sizes, mask] = spec.lists();
  for (const auto& [name, dtype] :
       {std::pair(sizes, "int32"), std::pair(mask, "bool")}) {
    if (!name) continue;
    taken.insert(*name);
    result.tensors.push_back(ListTensor(outputs.at(*name), *name, dtype));
  }
  if (outputs.size() != taken.size()) {
    NotUnderstood("another number of outputs than of tensors");
  }
  return result;
}

NaiveTensors GoldenSchemaTensors(const json& expect,
                                 std::span<const TensorField> tensors,
                                 size_t num_records) {
  if (expect.contains("error")) return TensorsError(expect);
  const json& outputs = expect.at("outputs");
  if (outputs.size() != tensors.size()) {
    NotUnderstood("another number of outputs than of tensors");
  }
  NaiveTensors result;
  result.num_rows = num_records;
  for (const TensorField& field : tensors) {
    result.tensors.push_back(OneTensor(outputs.at(field.feature.name),
                                       field.feature, field.in_sequence));
  }
  return result;
}

}  // namespace headrace::testing
