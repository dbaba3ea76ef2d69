#include "src/sample/example_builder.h"

#include <bit>
#include <utility>

#include "wire/append.h"

namespace headrace::sample {
namespace {

using wire::AppendLen;

// Field numbers of Feature.
constexpr uint32_t kBytesList = 1;
constexpr uint32_t kFloatList = 2;
constexpr uint32_t kInt64List = 3;

// Returns a Feature whose list is one packed run, or empty.
std::string PackedFeature(uint32_t kind, std::string_view packed) {
  std::string list, feature;
  if (!packed.empty()) AppendLen(1, packed, &list);
  AppendLen(kind, list, &feature);
  return feature;
}

}  // namespace

void ExampleBuilder::Add(std::string_view key, std::string_view feature) {
  if (in_steps_) {
    AppendLen(1, feature, &steps_);
  } else {
    wire::AppendEntry(key, feature, &entries_.emplace_back());
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
    wire::AppendVarint(static_cast<uint64_t>(value), &packed);
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
  for (const std::string& value : values) AppendLen(1, value, &list);
  AppendLen(kBytesList, list, &feature);
  Add(key, feature);
}

void ExampleBuilder::Bytes(std::string_view key, std::string_view value) {
  std::string list, feature;
  AppendLen(1, value, &list);
  AppendLen(kBytesList, list, &feature);
  Add(key, feature);
}

void ExampleBuilder::Unset(std::string_view key) { Add(key, ""); }

void ExampleBuilder::BeginSteps(std::string_view key) {
  list_key_ = key;
  in_steps_ = true;
  has_lists_ = true;
}

void ExampleBuilder::EndSteps() {
  wire::AppendEntry(list_key_, steps_, &lists_);
  steps_.clear();
  in_steps_ = false;
}

void ExampleBuilder::EndExample() {
  std::string before = std::move(examples_);
  examples_.clear();
  AppendLen(1, Finish(), &before);
  examples_ = std::move(before);
}

std::string ExampleBuilder::Finish() {
  std::string features, message;
  for (const std::string& entry : entries_) features += entry;
  entries_.clear();
  if (!features.empty()) AppendLen(1, features, &message);
  if (std::exchange(has_lists_, false)) AppendLen(2, lists_, &message);
  lists_.clear();
  if (examples_.empty()) return message;
  AppendLen(2, message, &examples_);
  return std::exchange(examples_, {});
}

}  // namespace headrace::sample
