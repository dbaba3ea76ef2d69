#include "src/sample/example_builder.h"

#include <bit>
#include <utility>

namespace headrace::sample {
namespace {

// Field numbers of Feature.
constexpr uint32_t kBytesList = 1;
constexpr uint32_t kFloatList = 2;
constexpr uint32_t kInt64List = 3;

void AppendVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

// Appends a field of wire type 2.
void AppendField(uint32_t number, std::string_view bytes, std::string* out) {
  out->push_back(static_cast<char>(number << 3 | 2));
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

// Returns a Feature whose list is one packed run, or empty.
std::string PackedFeature(uint32_t kind, std::string_view packed) {
  std::string list, feature;
  if (!packed.empty()) AppendField(1, packed, &list);
  AppendField(kind, list, &feature);
  return feature;
}

std::string MapEntry(std::string_view key, std::string_view value) {
  std::string entry, field;
  AppendField(1, key, &entry);
  AppendField(2, value, &entry);
  AppendField(1, entry, &field);
  return field;
}

}  // namespace

void ExampleBuilder::Add(std::string_view key, std::string_view feature) {
  if (in_steps_) {
    AppendField(1, feature, &steps_);
  } else {
    entries_.push_back(MapEntry(key, feature));
  }
}

std::string_view ExampleBuilder::key(size_t i) const {
  // The entry is 0A L 0A K key; L is a varint, and K has one byte.
  const std::string_view entry = entries_[i];
  size_t at = 1;
  while (static_cast<uint8_t>(entry[at]) >= 0x80) ++at;
  return entry.substr(at + 3, static_cast<uint8_t>(entry[at + 2]));
}

void ExampleBuilder::Int64s(std::string_view key,
                            std::span<const int64_t> values) {
  std::string packed;
  for (const int64_t value : values) {
    AppendVarint(static_cast<uint64_t>(value), &packed);
  }
  Add(key, PackedFeature(kInt64List, packed));
}

void ExampleBuilder::Floats(std::string_view key,
                            std::span<const float> values) {
  std::string packed;
  packed.reserve(values.size() * 4);
  for (const float value : values) {
    const auto bits = std::bit_cast<uint32_t>(value);
    for (uint32_t shift = 0; shift < 32; shift += 8) {
      packed.push_back(static_cast<char>(bits >> shift & 0xff));
    }
  }
  Add(key, PackedFeature(kFloatList, packed));
}

void ExampleBuilder::Bytes(std::string_view key,
                           std::span<const std::string> values) {
  std::string list, feature;
  for (const std::string& value : values) AppendField(1, value, &list);
  AppendField(kBytesList, list, &feature);
  Add(key, feature);
}

void ExampleBuilder::Bytes(std::string_view key, std::string_view value) {
  std::string list, feature;
  AppendField(1, value, &list);
  AppendField(kBytesList, list, &feature);
  Add(key, feature);
}

void ExampleBuilder::Unset(std::string_view key) { Add(key, ""); }

void ExampleBuilder::BeginSteps(std::string_view key) {
  list_key_ = key;
  in_steps_ = true;
  has_lists_ = true;
}

void ExampleBuilder::EndSteps() {
  lists_ += MapEntry(list_key_, steps_);
  steps_.clear();
  in_steps_ = false;
}

void ExampleBuilder::EndExample() {
  std::string before = std::move(examples_);
  examples_.clear();
  AppendField(1, Finish(), &before);
  examples_ = std::move(before);
}

std::string ExampleBuilder::Finish() {
  std::string features, message;
  for (const std::string& entry : entries_) features += entry;
  entries_.clear();
  if (!features.empty()) AppendField(1, features, &message);
  if (std::exchange(has_lists_, false)) AppendField(2, lists_, &message);
  lists_.clear();
  if (examples_.empty()) return message;
  AppendField(2, message, &examples_);
  return std::exchange(examples_, {});
}

}  // namespace headrace::sample
