#include "src/cli/text/tf_source.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

// The text must be UTF-8. The escapes of Printable are Python's, too.
std::string PythonString(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped.push_back('\\');
    escaped.push_back(c);
  }
  return '"' + Printable(escaped) + '"';
}

std::string_view TfDType(DType dtype) {
  switch (dtype) {
    case DType::kBytes:
      return "tf.string";
    case DType::kFloat:
      return "tf.float32";
    default:
      return "tf.int64";
  }
}

std::string ShapeList(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
}

// An inferred default consists of zeros or empty bytes values, and has at most
// one dimension.
std::string DefaultText(const FeatureConfig& config) {
  if (!config.default_values) return "";
  const std::string value = config.dtype == DType::kBytes   ? "b\"\""
                            : config.dtype == DType::kFloat ? "0.0"
                                                            : "0";
  if (config.shape.empty()) return ", " + value;
  return ", [" + value + "] * " + std::to_string(config.shape[0]);
}

std::string TfFeature(const FeatureConfig& config) {
  const std::string dtype(TfDType(config.dtype));
  if (config.layout == Layout::kFixedLen) {
    return "tf.io.FixedLenFeature(" + ShapeList(config.shape) + ", " + dtype +
           DefaultText(config) + ")";
  }
  if (config.layout == Layout::kFixedLenSequence) {
    return "tf.io.FixedLenSequenceFeature(" + ShapeList(config.shape) + ", " +
           dtype + (config.allow_missing ? ", allow_missing=True)" : ")");
  }
  return "tf.io.VarLenFeature(" + dtype + ")";
}

std::string Dict(std::string_view name,
                 const std::vector<NamedFeature>& features) {
  std::string text = "\n" + std::string(name) + " = {";
  for (const NamedFeature& feature : features) {
    text += "\n    " + PythonString(feature.name) + ": " +
            TfFeature(feature.config) + ",";
  }
  return text + (features.empty() ? "}\n" : "\n}\n");
}

}  // namespace

std::string TfSource(const FeatureSpec& spec) {
  const std::string head = "import tensorflow as tf\n";
  if (IsListOfExamples(spec.message())) {
    return head + Dict("context_spec", spec.features()) +
           Dict("example_spec", spec.example_features());
  }
  if (spec.message() != MessageType::kSequence) {
    return head + Dict("features", spec.features());
  }
  return head + Dict("context_features", spec.features()) +
         Dict("sequence_features", spec.sequence_features());
}

}  // namespace headrace::cli
