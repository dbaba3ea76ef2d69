#include "tests/support/example_builder.h"

#include <bit>

#include "tests/support/wire_writer.h"

namespace headrace::testing {

std::string BytesValues(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += LenField(kListValue, value);
  return list;
}

std::string PackedFloats(const std::vector<float>& values) {
  std::string packed;
  for (float value : values) packed += Fixed32(std::bit_cast<uint32_t>(value));
  return LenField(kListValue, packed);
}

std::string UnpackedFloats(const std::vector<float>& values) {
  std::string list;
  for (float value : values) {
    list += Fixed32Field(kListValue, std::bit_cast<uint32_t>(value));
  }
  return list;
}

std::string PackedInt64s(const std::vector<int64_t>& values) {
  return LenField(kListValue, PackedVarints(values));
}

std::string UnpackedInt64s(const std::vector<int64_t>& values) {
  std::string list;
  for (int64_t value : values) {
    list += VarintField(kListValue, static_cast<uint64_t>(value));
  }
  return list;
}

std::string FeatureOf(Kind kind, std::string_view list) {
  if (kind == Kind::kNull) return {};
  // The kinds are numbered like the fields of the oneof.
  return LenField(static_cast<uint32_t>(kind), list);
}

std::string BytesFeature(const std::vector<std::string>& values) {
  return FeatureOf(Kind::kBytes, BytesValues(values));
}

std::string FloatFeature(const std::vector<float>& values) {
  return FeatureOf(Kind::kFloat, values.empty() ? "" : PackedFloats(values));
}

std::string Int64Feature(const std::vector<int64_t>& values) {
  return FeatureOf(Kind::kInt64, values.empty() ? "" : PackedInt64s(values));
}

std::string EntryField(std::string_view key, std::string_view value) {
  return LenField(kMapEntry,
                  LenField(kEntryKey, key) + LenField(kEntryValue, value));
}

std::string ExampleOf(std::string_view entry_fields) {
  return LenField(kExampleFeatures, entry_fields);
}

std::string FeatureListsField(std::string_view entry_fields) {
  return LenField(kSequenceFeatureLists, entry_fields);
}

std::string FeatureListOf(const std::vector<std::string>& steps) {
  std::string list;
  for (const std::string& step : steps)
    list += LenField(kFeatureListStep, step);
  return list;
}

ExampleBuilder& ExampleBuilder::Int64s(std::string_view key,
                                       std::vector<int64_t> values) {
  return Feature(key, Int64Feature(values));
}

ExampleBuilder& ExampleBuilder::Floats(std::string_view key,
                                       std::vector<float> values) {
  return Feature(key, FloatFeature(values));
}

ExampleBuilder& ExampleBuilder::Bytes(std::string_view key,
                                      std::vector<std::string> values) {
  return Feature(key, BytesFeature(values));
}

ExampleBuilder& ExampleBuilder::Unset(std::string_view key) {
  return Feature(key, {});
}

ExampleBuilder& ExampleBuilder::Feature(std::string_view key,
                                        std::string_view content) {
  return Raw(EntryField(key, content));
}

ExampleBuilder& ExampleBuilder::Raw(std::string_view bytes) {
  entries_ += bytes;
  return *this;
}

}  // namespace headrace::testing
