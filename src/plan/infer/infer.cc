#include "src/plan/infer/infer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headrace::infer {
namespace {

// Returns the number of records, or of steps, that have a kind.
uint64_t NumTyped(const FeatureCount& count) {
  return count.present - count.unset;
}

bool HasOneLength(const FeatureCount& count) {
  return count.unset == 0 && count.max_length > 0 &&
         count.min_length == count.max_length;
}

bool IsFixed(const FeatureCount& count, uint64_t num_records) {
  return count.present == num_records && HasOneLength(count);
}

std::vector<int64_t> ShapeOf(const FeatureCount& count) {
  if (count.max_length == 1) return {};
  return {static_cast<int64_t>(count.max_length)};
}

// A feature that never has a kind becomes BYTES that may be absent, as in a
// schema that TensorFlow Data Validation infers. If the schema lacked the
// feature, validation would report it as new.
tfmd::FeatureType TypeOf(Kind kind) {
  switch (kind) {
    case Kind::kFloat:
      return tfmd::FeatureType::kFloat;
    case Kind::kInt64:
      return tfmd::FeatureType::kInt;
    case Kind::kBytes:
    case Kind::kNull:
      break;
  }
  return tfmd::FeatureType::kBytes;
}

// Sets min_fraction only to 1. With a fraction below 1, a file that has the
// feature a little less often would not pass validation.
tfmd::FeaturePresence Presence(bool always) {
  tfmd::FeaturePresence presence{.min_count = 1};
  if (always) presence.min_fraction = 1;
  return presence;
}

tfmd::ValueCount CountOf(uint64_t min, uint64_t max) {
  if (min > max) return {};  // nothing was counted
  return {.min = static_cast<int64_t>(min), .max = static_cast<int64_t>(max)};
}

tfmd::ValueCount Lengths(const FeatureCount& count) {
  return CountOf(count.min_length, count.max_length);
}

tfmd::Feature SchemaFeature(const std::string& name, const FeatureCount& count,
                            uint64_t num_records) {
  tfmd::Feature feature{.name = name, .type = TypeOf(count.kind)};
  if (count.kind == Kind::kNull) {
    feature.presence = tfmd::FeaturePresence{.min_count = 0};
    return feature;
  }
  feature.presence = Presence(NumTyped(count) == num_records);
  if (IsFixed(count, num_records)) {
    const auto size = static_cast<int64_t>(count.max_length);
    feature.shape = tfmd::FixedShape{.dims = {{.size = size}}};
  } else {
    feature.value_count = Lengths(count);
  }
  return feature;
}

tfmd::Feature SchemaFeatureList(const std::string& name,
                                const FeatureCount& count,
                                uint64_t num_records) {
  tfmd::Feature feature{.name = name, .type = TypeOf(count.kind)};
  feature.presence = Presence(count.lists == num_records);
  // Numbers of steps, then of the values of each.
  feature.value_counts = {CountOf(count.min_steps, count.max_steps),
                          Lengths(count)};
  return feature;
}

// Returns a default of zeros, with which lists are padded.
DefaultValues ZerosOf(Kind kind, size_t size) {
  if (kind == Kind::kBytes) return std::vector<std::string>(size);
  if (kind == Kind::kFloat) return std::vector<float>(size);
  return std::vector<int64_t>(size);
}

FeatureConfig ConfigInExamples(const FeatureCount& count,
                               uint64_t num_examples) {
  const auto dtype = static_cast<DType>(count.kind);
  if (!IsFixed(count, num_examples)) return VarLen(dtype);
  FeatureConfig config = FixedLen(dtype, ShapeOf(count));
  // This fits memory: a record had this many values.
  const auto size = static_cast<size_t>(count.max_length);
  config.Default(ZerosOf(count.kind, size));
  return config;
}

}  // namespace

FeatureSpec InferSpec(const FeatureCensus& census) {
  const uint64_t num_records = census.num_records();
  FeatureSpec spec(census.message());
  for (const auto& [name, count] : census.features()) {
    if (count.kind == Kind::kNull) continue;
    const auto dtype = static_cast<DType>(count.kind);
    spec.Add(name, IsFixed(count, num_records) ? FixedLen(dtype, ShapeOf(count))
                                               : VarLen(dtype));
  }
  for (const auto& [name, count] : census.feature_lists()) {
    if (count.kind == Kind::kNull) continue;
    const auto dtype = static_cast<DType>(count.kind);
    if (census.message() == MessageType::kElwc) {
      spec.AddToExamples(name, ConfigInExamples(count, census.num_examples()));
      continue;
    }
    const bool always = count.lists == num_records;
    spec.AddSequence(name, HasOneLength(count)
                               ? FixedLenSequence(dtype, ShapeOf(count),
                                                  /*allow_missing=*/!always)
                               : VarLen(dtype));
  }
  return spec;
}

Schema InferSchema(const FeatureCensus& census) {
  const uint64_t num_records = census.num_records();
  Schema schema;
  for (const auto& [name, count] : census.features()) {
    schema.features.push_back(SchemaFeature(name, count, num_records));
  }
  tfmd::Feature sequence{.name = std::string(kSequenceColumn),
                         .type = tfmd::FeatureType::kStruct};
  for (const auto& [name, count] : census.feature_lists()) {
    sequence.children.push_back(SchemaFeatureList(name, count, num_records));
  }
  // SequenceExamples have the struct, even without any list.
  const bool is_sequence =
      census.message() == MessageType::kSequence && num_records > 0;
  if (is_sequence || !sequence.children.empty()) {
    schema.features.push_back(std::move(sequence));
  }
  return schema;
}

}  // namespace headrace::infer
