// FeatureSpec::ToJson; docs/formats/spec.md.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/json_text.h"
#include "wire/utf8.h"

namespace headrace {
namespace {

void AppendJson(std::string_view text, std::string* out) {
  AppendJsonString(text, out);
}

void AppendJson(int64_t value, std::string* out) {
  out->append(std::to_string(value));
}

void AppendJson(bool value, std::string* out) {
  out->append(value ? "true" : "false");
}

void AppendJson(float value, std::string* out) { AppendJsonFloat(value, out); }

void AppendJson(const Partition& partition, std::string* out) {
  out->push_back('{');
  AppendJson(PartitionTypeName(partition.type), out);
  out->append(": ");
  if (partition.type == PartitionType::kUniformRowLength) {
    AppendJson(partition.uniform_row_length, out);
  } else {
    AppendJson(std::string_view(partition.key), out);
  }
  out->push_back('}');
}

void AppendJson(const std::string& text, std::string* out) {
  AppendJson(std::string_view(text), out);
}

template <class Value>
void AppendJson(const std::vector<Value>& values, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendJson(values[i], out);
  }
  out->push_back(']');
}

// Only values of defaults are bytes.
struct Bytes {
  const std::string& bytes;
};

void AppendJson(const Bytes& value, std::string* out) {
  const std::string& bytes = value.bytes;
  if (wire::IsUtf8(
          {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()})) {
    return AppendJson(bytes, out);
  }
  out->append("{\"b64\": \"");
  AppendBase64(bytes, out);
  out->append("\"}");
}

// This default does not fit, and is written so that readers refuse it.
struct Number {
  const std::string& text;
};

void AppendJson(const Number& number, std::string* out) {
  out->append(number.text);
}

void AppendJson(const DefaultValues& values, std::string* out) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&values)) {
    std::vector<Bytes> bytes;
    for (const std::string& value : *strings) bytes.push_back({value});
    AppendJson(bytes, out);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
    AppendJson(*floats, out);
  } else {
    AppendJson(*std::get_if<std::vector<int64_t>>(&values), out);
  }
}

class FieldWriter {
 public:
  explicit FieldWriter(std::string* out) : out_(out) {}

  template <class Value>
  void Write(std::string_view name, const Value& value) {
    out_->append(first_ ? "\"" : ", \"").append(name).append("\": ");
    AppendJson(value, out_);
    first_ = false;
  }

 private:
  std::string* out_;
  bool first_ = true;
};

// Whatever is set is written, also what the layout does not have: a spec that
// makes no sense must not turn into one that does.
void AppendFeature(const NamedFeature& feature, std::string* out) {
  const FeatureConfig initial;
  const FeatureConfig& config = feature.config;
  const bool is_sparse = config.layout == Layout::kSparse;
  const bool is_fixed = config.layout == Layout::kFixedLen ||
                        config.layout == Layout::kFixedLenSequence;
  out->push_back('{');
  FieldWriter writer(out);
  writer.Write("name", feature.name);
  writer.Write("kind", LayoutName(config.layout));
  writer.Write("dtype", DTypeName(config.dtype));
  const auto write = [&](std::string_view name, auto FeatureConfig::*field,
                         bool required) {
    if (required || config.*field != initial.*field) {
      writer.Write(name, config.*field);
    }
  };
  write("shape", &FeatureConfig::shape, is_fixed);
  if (!config.unfit_default.empty()) {
    writer.Write("default", Number{config.unfit_default});
  } else if (config.default_values) {
    writer.Write("default", *config.default_values);
  }
  write("allow_missing", &FeatureConfig::allow_missing,
        config.layout == Layout::kFixedLenSequence);
  if (config.pad_to) writer.Write("pad_to", *config.pad_to);
  write("truncate", &FeatureConfig::truncate, false);
  write("index_keys", &FeatureConfig::index_keys, is_sparse);
  if (config.value_key) writer.Write("value_key", *config.value_key);
  write("size", &FeatureConfig::size, is_sparse);
  write("already_sorted", &FeatureConfig::already_sorted, is_sparse);
  write("check_indices", &FeatureConfig::check_indices, false);
  const bool is_ragged = config.layout == Layout::kRagged;
  write("partitions", &FeatureConfig::partitions, is_ragged);
  if (is_ragged || config.row_splits_dtype != initial.row_splits_dtype) {
    writer.Write("row_splits_dtype", DTypeName(config.row_splits_dtype));
  }
  if (config.column) writer.Write("column", *config.column);
  if (config.as) writer.Write("as", DTypeName(*config.as));
  write("as_bits", &FeatureConfig::as_bits, false);
  if (config.encoding != initial.encoding) {
    writer.Write("encoding", EncodingName(config.encoding));
  }
  if (config.item_shape) writer.Write("item_shape", *config.item_shape);
  if (config.item_shape_key) {
    writer.Write("item_shape_key", *config.item_shape_key);
  }
  write("group", &FeatureConfig::group, false);
  out->push_back('}');
}

void AppendFeatures(std::string_view key,
                    const std::vector<NamedFeature>& features,
                    std::string* out) {
  out->append(",\n \"").append(key).append("\": [");
  for (size_t i = 0; i < features.size(); ++i) {
    out->append(i > 0 ? ",\n  " : "\n  ");
    AppendFeature(features[i], out);
  }
  out->append(features.empty() ? "]" : "\n ]");
}

}  // namespace

std::string FeatureSpec::ToJson() const {
  const bool is_sequence = message_ == MessageType::kSequence;
  const std::string_view name =
      is_sequence ? "sequence_example" : NameOf(message_);
  std::string out = "{\"message\": ";
  AppendJson(name, &out);
  AppendFeatures("features", features_, &out);
  if (is_sequence) {
    AppendFeatures("sequence_features", sequence_features_, &out);
  }
  if (!IsListOfExamples(message_)) return out + "}\n";
  AppendFeatures("example_features", example_features_, &out);
  const auto append = [&out](std::string_view key, const auto& value) {
    out.append(",\n \"").append(key).append("\": ");
    AppendJson(value, &out);
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
