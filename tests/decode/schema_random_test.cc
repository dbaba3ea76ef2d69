// Random schemas over random batches: tensors of columns (rule I15).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensors.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"

namespace headrace::testing {
namespace {

using Batches = DecodeAgreement::Batches;

constexpr int kSchemas = kInstrumented ? 50 : 200;
constexpr size_t kBatches = 7;

tfmd::FeatureType TypeOf(DType dtype) {
  if (dtype == DType::kBytes) return tfmd::FeatureType::kBytes;
  if (dtype == DType::kFloat) return tfmd::FeatureType::kFloat;
  return tfmd::FeatureType::kInt;
}

tfmd::FixedShape ShapeOf(const std::vector<int64_t>& sizes) {
  tfmd::FixedShape shape;
  for (const int64_t size : sizes) shape.dims.push_back({.size = size});
  return shape;
}

std::optional<tfmd::DefaultValue> DefaultOf(const FeatureConfig& config) {
  if (!config.default_values) return std::nullopt;
  const auto& values = *config.default_values;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&values)) {
    return tfmd::DefaultValue{ints->empty() ? int64_t{7} : ints->front()};
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&values)) {
    return tfmd::DefaultValue{floats->empty() ? 0.5 : double{floats->front()}};
  }
  const auto& bytes = std::get<std::vector<std::string>>(values);
  return tfmd::DefaultValue{bytes.empty() ? "x" : bytes.front()};
}

// Makes a schema of the features of a spec that a schema can have.
class SchemaMaker {
 public:
  Schema Make(const FeatureSpec& spec) {
    for (const NamedFeature& feature : spec.features()) {
      Add(feature, /*in_sequence=*/false);
    }
    for (const NamedFeature& feature : spec.sequence_features()) {
      Add(feature, /*in_sequence=*/true);
    }
    Schema schema{.features = std::move(columns_)};
    if (!lists_.empty()) {
      schema.features.insert(schema.features.begin(),
                             tfmd::Feature{.name = std::string(kSequenceColumn),
                                           .type = tfmd::FeatureType::kStruct,
                                           .children = std::move(lists_)});
    }
    schema.groups.push_back({"", std::move(tensors_)});
    return schema;
  }

 private:
  void AddColumn(const std::string& name, tfmd::FeatureType type,
                 bool in_sequence) {
    (in_sequence ? lists_ : columns_).push_back({.name = name, .type = type});
  }

  void AddRagged(const NamedFeature& feature, bool in_sequence) {
    tfmd::RaggedTensor tensor{
        .row_partition_dtype = feature.config.row_splits_dtype == DType::kInt32
                                   ? tfmd::RowPartitionDType::kInt32
                                   : tfmd::RowPartitionDType::kInt64};
    tensor.feature_path =
        in_sequence ? std::vector{std::string(kSequenceColumn), feature.key()}
                    : std::vector{feature.key()};
    for (const Partition& partition : feature.config.partitions) {
      if (partition.type == PartitionType::kUniformRowLength) {
        tensor.partitions.emplace_back(partition.uniform_row_length);
      } else if (!in_sequence) {
        tensor.partitions.emplace_back(partition.key);
        AddColumn(partition.key, tfmd::FeatureType::kInt, in_sequence);
      }
    }
    tensors_.push_back({Name(feature, in_sequence), std::move(tensor)});
  }

  // Only one layout reads feature lists.
  void Add(const NamedFeature& feature, bool in_sequence) {
    const FeatureConfig& config = feature.config;
    AddColumn(feature.key(), TypeOf(config.dtype), in_sequence);
    if (in_sequence || config.layout == Layout::kRagged) {
      return AddRagged(feature, in_sequence);
    }
    const std::string name = Name(feature, in_sequence);
    if (config.layout == Layout::kFixedLen) {
      tensors_.push_back(
          {name, tfmd::DenseTensor{feature.key(), ShapeOf(config.shape),
                                   DefaultOf(config)}});
    } else if (config.layout == Layout::kSparse) {
      for (const std::string& key : config.index_keys) {
        AddColumn(key, tfmd::FeatureType::kInt, in_sequence);
      }
      tensors_.push_back(
          {name, tfmd::SparseTensor{ShapeOf(config.size), config.index_keys,
                                    feature.key(), config.already_sorted}});
    } else if (config.layout == Layout::kVarLen) {
      tensors_.push_back({name, tfmd::VarLenSparseTensor{feature.key()}});
    }
    // What is left is a column without a tensor.
  }

  static std::string Name(const NamedFeature& feature, bool in_sequence) {
    return (in_sequence ? "list of " : "tensor of ") + feature.name;
  }

  std::vector<tfmd::Feature> columns_;
  std::vector<tfmd::Feature> lists_;
  std::vector<tfmd::TensorRepresentation> tensors_;
};

class SchemaRandom : public ::testing::TestWithParam<MessageType> {};

INSTANTIATE_TEST_SUITE_P(Messages, SchemaRandom,
                         ::testing::Values(MessageType::kExample,
                                           MessageType::kSequence),
                         [](const auto& message) {
                           return message.param == MessageType::kExample
                                      ? "Example"
                                      : "SequenceExample";
                         });

TEST_P(SchemaRandom, TensorsOfColumns) {
  RandomTensors random(/*seed=*/51);
  DecodeAgreement agreement;
  for (int i = 0; i < kSchemas && !agreement.enough(); ++i) {
    const FeatureSpec spec = random.NextSpec(GetParam());
    Batches batches(kBatches);
    for (size_t rows = 0; rows < kBatches; ++rows) {
      for (size_t row = 0; row < rows; ++row) {
        batches[rows].push_back(random.NextRecord(spec));
      }
    }
    SCOPED_TRACE("schema " + std::to_string(i));
    agreement.Check(SchemaMaker().Make(spec), GetParam(), batches);
  }
  agreement.ExpectOften(
      {ErrorCode::kOk, ErrorCode::kWrongKind, ErrorCode::kWrongCount,
       ErrorCode::kMissingFeature, ErrorCode::kBadPartition},
      kSchemas / 20);
}

}  // namespace
}  // namespace headrace::testing
