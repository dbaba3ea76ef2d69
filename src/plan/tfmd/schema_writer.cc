// Schema::ToText. Fields are in the order of their numbers, as protobuf's own
// printers write them.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "headrace/schema.h"
#include "src/plan/tfmd/constraint_writer.h"
#include "src/plan/tfmd/text_writer.h"

namespace headrace {
namespace {

using tfmd_forms::TextWriter;

void Write(const tfmd::FixedShape& shape, TextWriter* out) {
  for (const tfmd::FixedShape::Dim& dim : shape.dims) {
    out->Message("dim", [&] {
      if (dim.size) out->Int("size", *dim.size);
      if (dim.name) out->String("name", *dim.name);
    });
  }
}

template <class Feature>
void WriteName(const Feature& feature, TextWriter* out) {
  out->String("name", feature.name);
  if (feature.deprecated) out->Word("deprecated", "true");
}

void WriteStage(tfmd::LifecycleStage stage, TextWriter* out) {
  if (stage == tfmd::LifecycleStage::kUnknownStage) return;
  out->Word("lifecycle_stage", tfmd::LifecycleStageName(stage));
}

void Write(const tfmd::SparseFeature& feature, TextWriter* out) {
  WriteName(feature, out);
  for (const std::string& index : feature.index_features) {
    out->Message("index_feature", [&] { out->String("name", index); });
  }
  WriteStage(feature.lifecycle_stage, out);
  if (feature.is_sorted) out->Word("is_sorted", "true");
  if (!feature.value_feature.empty()) {
    out->Message("value_feature",
                 [&] { out->String("name", feature.value_feature); });
  }
}

void Write(const tfmd::Feature& feature, TextWriter* out);

void WriteChildren(const tfmd::Feature& feature, TextWriter* out) {
  if (feature.children.empty() && feature.sparse_children.empty()) return;
  out->Message("struct_domain", [&] {
    for (const tfmd::Feature& child : feature.children) {
      out->Message("feature", [&] { Write(child, out); });
    }
    for (const tfmd::SparseFeature& child : feature.sparse_children) {
      out->Message("sparse_feature", [&] { Write(child, out); });
    }
  });
}

void Write(const tfmd::Feature& feature, TextWriter* out) {
  WriteName(feature, out);
  if (feature.value_count) {
    tfmd_forms::WriteValueCount("value_count", *feature.value_count, out);
  }
  if (feature.type != tfmd::FeatureType::kUnknown) {
    out->Word("type", tfmd::FeatureTypeName(feature.type));
  }
  tfmd_forms::WriteDomain(feature, out);
  tfmd_forms::WriteConstraints(feature, out);
  WriteStage(feature.lifecycle_stage, out);
  if (feature.shape) {
    out->Message("shape", [&] { Write(*feature.shape, out); });
  }
  WriteChildren(feature, out);
  tfmd_forms::WriteLastConstraints(feature, out);
}

void Write(const tfmd::DefaultValue& value, TextWriter* out) {
  if (const auto* number = std::get_if<double>(&value.value)) {
    out->Double("float_value", *number);
  } else if (const auto* integer = std::get_if<int64_t>(&value.value)) {
    out->Int("int_value", *integer);
  } else if (const auto* bytes = std::get_if<std::string>(&value.value)) {
    out->Bytes("bytes_value", *bytes);
  } else if (const auto* natural = std::get_if<uint64_t>(&value.value)) {
    out->Int("uint_value", *natural);
  }
}

void Write(const tfmd::DenseTensor& tensor, TextWriter* out) {
  if (tensor.column_name) out->String("column_name", *tensor.column_name);
  if (tensor.shape) {
    out->Message("shape", [&] { Write(*tensor.shape, out); });
  }
  if (tensor.default_value) {
    out->Message("default_value", [&] { Write(*tensor.default_value, out); });
  }
}

void Write(const tfmd::VarLenSparseTensor& tensor, TextWriter* out) {
  if (tensor.column_name) out->String("column_name", *tensor.column_name);
}

void Write(const tfmd::SparseTensor& tensor, TextWriter* out) {
  if (tensor.dense_shape) {
    out->Message("dense_shape", [&] { Write(*tensor.dense_shape, out); });
  }
  for (const std::string& column : tensor.index_column_names) {
    out->String("index_column_names", column);
  }
  if (tensor.value_column_name) {
    out->String("value_column_name", *tensor.value_column_name);
  }
  if (tensor.already_sorted) {
    out->Word("already_sorted", *tensor.already_sorted ? "true" : "false");
  }
}

std::string_view DTypeWord(tfmd::RowPartitionDType dtype) {
  switch (dtype) {
    case tfmd::RowPartitionDType::kInt64:
      return "INT64";
    case tfmd::RowPartitionDType::kInt32:
      return "INT32";
    case tfmd::RowPartitionDType::kUnspecified:
      break;
  }
  return "UNSPECIFIED";
}

void Write(const tfmd::RaggedTensor& tensor, TextWriter* out) {
  if (tensor.feature_path) {
    out->Message("feature_path", [&] {
      for (const std::string& step : *tensor.feature_path) {
        out->String("step", step);
      }
    });
  }
  if (tensor.row_partition_dtype) {
    out->Word("row_partition_dtype", DTypeWord(*tensor.row_partition_dtype));
  }
  for (const tfmd::RaggedTensor::Partition& partition : tensor.partitions) {
    out->Message("partition", [&] {
      if (const auto* length = std::get_if<int64_t>(&partition)) {
        out->Int("uniform_row_length", *length);
      } else if (const auto* column = std::get_if<std::string>(&partition)) {
        out->String("row_length", *column);
      }
    });
  }
}

void Write(const tfmd::TensorRepresentation& tensor, TextWriter* out) {
  const auto write = [out](std::string_view name, const auto* kind) {
    if (kind) out->Message(name, [&] { Write(*kind, out); });
  };
  write("dense_tensor", std::get_if<tfmd::DenseTensor>(&tensor.kind));
  write("varlen_sparse_tensor",
        std::get_if<tfmd::VarLenSparseTensor>(&tensor.kind));
  write("sparse_tensor", std::get_if<tfmd::SparseTensor>(&tensor.kind));
  write("ragged_tensor", std::get_if<tfmd::RaggedTensor>(&tensor.kind));
}

void Write(const tfmd::TensorRepresentationGroup& group, TextWriter* out) {
  for (const tfmd::TensorRepresentation& tensor : group.tensors) {
    out->Message("tensor_representation", [&] {
      out->String("key", tensor.name);
      out->Message("value", [&] { Write(tensor, out); });
    });
  }
}

}  // namespace

std::string Schema::ToText() const {
  TextWriter out;
  for (const tfmd::Feature& feature : features) {
    out.Message("feature", [&] { Write(feature, &out); });
  }
  tfmd_forms::WriteEnvironments(*this, &out);
  for (const tfmd::SparseFeature& feature : sparse_features) {
    out.Message("sparse_feature", [&] { Write(feature, &out); });
  }
  tfmd_forms::WriteConstraints(*this, &out);
  for (const tfmd::TensorRepresentationGroup& group : groups) {
    out.Message("tensor_representation_group", [&] {
      out.String("key", group.name);
      out.Message("value", [&] { Write(group, &out); });
    });
  }
  if (represent_variable_length_as_ragged) {
    out.Word("represent_variable_length_as_ragged", "true");
  }
  return out.Take();
}

}  // namespace headrace
