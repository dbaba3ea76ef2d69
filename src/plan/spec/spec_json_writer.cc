// FeatureSpec::ToJson: writes a spec as JSON (docs/formats/spec.md).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "headrace/feature_spec.h"
#include "src/base/json/json_writer.h"
#include "src/plan/spec/function_names.h"
#include "wire/utf8.h"

namespace headrace {
namespace {

// Compact JSON with blanks, which make it easier to read.
struct SpecJson : CompactJson {
  static constexpr std::string_view kComma = ", ";
  static constexpr std::string_view kColon = ": ";
};

class SpecWriter : public BasicJsonWriter<SpecJson> {
 public:
  using BasicJsonWriter::BasicJsonWriter;
  using BasicJsonWriter::Value;

  void Value(const Partition& partition) {
    Object([&] {
      Key(PartitionTypeName(partition.type));
      if (partition.type == PartitionType::kUniformRowLength) {
        Value(partition.uniform_row_length);
      } else {
        Value(partition.key);
      }
    });
  }
  void Value(const DefaultValues& values) {
    std::visit(
        [this](const auto& list) {
          this->List(list,
                     [this](const auto& value) { this->AppendDefault(value); });
        },
        values);
  }
  void Value(const std::vector<Partition>& partitions) {
    List(partitions, [this](const Partition& p) { Value(p); });
  }
  void Value(const ValueFunction& function) {
    Object([&] {
      const std::string_view name = spec::FunctionName(function);
      std::visit([&](const auto& f) { this->AddFunction(name, f); }, function);
    });
  }
  template <class T>
  void Add(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }

 private:
  void AddFunction(std::string_view name, const HashBucket& f) {
    Add(name, f.buckets);
  }
  void AddFunction(std::string_view name, const Vocabulary& f) {
    if (f.keys) Add("keys", *f.keys);
    if (!f.keys || !f.file.empty()) Add(name, f.file);
    if (f.oov_buckets != 0) Add("oov_buckets", f.oov_buckets);
    if (f.oov_first) Add("oov", "first");
    if (f.default_id) Add("default", *f.default_id);
    if (f.size) Add("size", *f.size);
  }
  void AddFunction(std::string_view name, const Bucketize& f) {
    Key(name);
    List(f.boundaries, [this](float value) { Value(value); });
  }
  void AddFunction(std::string_view name, const Clip& f) {
    const Clip::Bound bounds[] = {f.lo, f.hi};
    Key(name);
    List(bounds, [this](const Clip::Bound& bound) {
      std::visit([this](auto value) { this->Value(value); }, bound);
    });
  }
  void AddFunction(std::string_view name, const Log1p&) { Add(name, true); }
  void AddFunction(std::string_view name, const Scale& f) {
    Key(name);
    Object([&] {
      Add("mean", f.mean);
      Add("std", f.std);
    });
  }
  template <class Number>
  void AppendDefault(Number number) {
    Value(number);
  }
  void AppendDefault(const std::string& bytes) {
    if (wire::IsUtf8(bytes)) return Value(bytes);
    std::string base64;
    AppendBase64(bytes, &base64);
    Object([&] { Add("b64", base64); });
  }
};

// Writes every field that is set, even those that the layout does not have: a
// spec that makes no sense must not turn into one that does. Members of a group
// lack the fields of row splits.
void AppendFeature(const NamedFeature& feature, bool is_member,
                   std::string* out) {
  const FeatureConfig initial;
  const FeatureConfig& config = feature.config;
  const bool is_sparse = config.layout == Layout::kSparse;
  const bool is_group = IsGroup(config.layout);
  const bool is_fixed = config.layout == Layout::kFixedLen ||
                        config.layout == Layout::kFixedLenSequence;
  SpecWriter writer(out);
  writer.Open('{');
  writer.Add("name", feature.name);
  writer.Add("kind", LayoutName(config.layout));
  if (!is_group || config.dtype != initial.dtype) {
    writer.Add("dtype", DTypeName(config.dtype));
  }
  const auto write = [&](std::string_view name, auto FeatureConfig::*field,
                         bool required) {
    if (required || config.*field != initial.*field) {
      writer.Add(name, config.*field);
    }
  };
  write("shape", &FeatureConfig::shape, is_fixed);
  if (!config.unfit_default.empty()) {
    // The default does not fit, and is written so that readers refuse it.
    writer.AddRaw("default", config.unfit_default);
  } else if (config.default_values) {
    writer.Add("default", *config.default_values);
  }
  write("allow_missing", &FeatureConfig::allow_missing,
        config.layout == Layout::kFixedLenSequence);
  if (config.pad_to) writer.Add("pad_to", *config.pad_to);
  write("truncate", &FeatureConfig::truncate, false);
  write("index_keys", &FeatureConfig::index_keys, is_sparse);
  if (config.value_key) writer.Add("value_key", *config.value_key);
  write("size", &FeatureConfig::size, is_sparse);
  write("already_sorted", &FeatureConfig::already_sorted, is_sparse);
  write("check_indices", &FeatureConfig::check_indices, false);
  const bool is_ragged = config.layout == Layout::kRagged && !is_member;
  write("partitions", &FeatureConfig::partitions, is_ragged);
  if (is_ragged || config.row_splits_dtype != initial.row_splits_dtype) {
    writer.Add("row_splits_dtype", DTypeName(config.row_splits_dtype));
  }
  if (config.column) writer.Add("column", *config.column);
  if (config.as) writer.Add("as", DTypeName(*config.as));
  write("as_bits", &FeatureConfig::as_bits, false);
  if (config.encoding != initial.encoding) {
    writer.Add("encoding", EncodingName(config.encoding));
  }
  if (config.item_shape) writer.Add("item_shape", *config.item_shape);
  if (config.item_shape_key) {
    writer.Add("item_shape_key", *config.item_shape_key);
  }
  write("group", &FeatureConfig::group, false);
  write("exact", &FeatureConfig::exact, false);
  write("weights", &FeatureConfig::weights, false);
  if (config.lengths_dtype != initial.lengths_dtype) {
    writer.Add("lengths_dtype", DTypeName(config.lengths_dtype));
  }
  write("present", &FeatureConfig::present, false);
  if (config.first_n) writer.Add("first_n", *config.first_n);
  if (config.last_n) writer.Add("last_n", *config.last_n);
  if (config.weight_key) writer.Add("weight_key", *config.weight_key);
  write("sequence", &FeatureConfig::sequence, false);
  if (!config.map.empty()) {
    writer.Key("map");
    writer.List(config.map, [&](const ValueFunction& f) { writer.Value(f); });
  }
  if (is_group || !config.members.empty()) {
    std::string members = "[";
    for (const NamedFeature& member : config.members) {
      members += members.size() > 1 ? ",\n    " : "\n    ";
      AppendFeature(member, /*is_member=*/true, &members);
    }
    writer.AddRaw("features", members + "]");
  }
  writer.Close('}');
}

void AppendFeatures(std::string_view key,
                    const std::vector<NamedFeature>& features,
                    std::string* out) {
  out->append(",\n \"").append(key).append("\": [");
  for (size_t i = 0; i < features.size(); ++i) {
    out->append(i > 0 ? ",\n  " : "\n  ");
    AppendFeature(features[i], /*is_member=*/false, out);
  }
  out->append(features.empty() ? "]" : "\n ]");
}

}  // namespace

std::string FeatureSpec::ToJson() const {
  const bool is_sequence = message_ == MessageType::kSequence;
  const std::string_view name =
      is_sequence ? "sequence_example" : NameOf(message_);
  std::string out = "{\"message\": ";
  SpecWriter(&out).Value(name);
  AppendFeatures("features", features_, &out);
  if (is_sequence) {
    AppendFeatures("sequence_features", sequence_features_, &out);
  }
  if (!IsListOfExamples(message_)) return out + "}\n";
  AppendFeatures("example_features", example_features_, &out);
  const auto append = [&out](std::string_view key, const auto& value) {
    out.append(",\n \"").append(key).append("\": ");
    SpecWriter(&out).Value(value);
  };
  if (lists_.list_size != 0) append("list_size", lists_.list_size);
  if (lists_.size_feature_name) {
    append("size_feature_name", *lists_.size_feature_name);
  }
  if (lists_.mask_feature_name) {
    append("mask_feature_name", *lists_.mask_feature_name);
  }
  return out + "}\n";
}

}  // namespace headrace
