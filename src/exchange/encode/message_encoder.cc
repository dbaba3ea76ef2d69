// SerializeMessage makes the bytes that protobuf would write for a Message.

#include <bit>
#include <cstdint>
#include <string>

#include "headrace/message.h"
#include "src/base/out_of_memory.h"
#include "wire/append.h"

namespace headrace {
namespace {

using wire::AppendLen;

std::string FeatureBytes(const Feature& feature) {
  std::string packed, list, out;
  switch (feature.kind) {
    case Kind::kNull:
      return out;
    case Kind::kBytes:
      for (const std::string& value : feature.bytes) AppendLen(1, value, &list);
      break;
    case Kind::kFloat:
      for (const float value : feature.floats) {
        const uint32_t bits = std::bit_cast<uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) {
          packed.push_back(static_cast<char>(bits >> shift & 0xFF));
        }
      }
      break;
    case Kind::kInt64:
      for (const int64_t value : feature.int64s) {
        wire::AppendVarint(static_cast<uint64_t>(value), &packed);
      }
      break;
  }
  if (!packed.empty()) AppendLen(1, packed, &list);
  AppendLen(static_cast<uint32_t>(feature.kind), list, &out);
  return out;
}

Status CheckKey(const std::string& key) {
  if (IsUtf8(key)) return Status();
  return Status(ErrorCode::kInvalidArgument, "a key that is not UTF-8");
}

// Serializes an Example or a SequenceExample.
Result<std::string> SerializeOne(const Message& message) {
  std::string features, lists, out;
  for (const auto& [key, feature] : message.features) {
    if (Status status = CheckKey(key); !status.ok()) return status;
    wire::AppendEntry(key, FeatureBytes(feature), &features);
  }
  for (const auto& [key, steps] : message.feature_lists) {
    if (Status status = CheckKey(key); !status.ok()) return status;
    std::string list;
    for (const Feature& step : steps) AppendLen(1, FeatureBytes(step), &list);
    wire::AppendEntry(key, list, &lists);
  }
  if (!features.empty()) AppendLen(1, features, &out);
  if (message.type == MessageType::kSequence &&
      (message.has_feature_lists || !lists.empty())) {
    AppendLen(2, lists, &out);
  }
  return out;
}

}  // namespace

// In a list of Examples, the Examples are before the context.
Result<std::string> SerializeMessage(const Message& message) {
  return CatchOutOfMemory([&]() -> Result<std::string> {
    if (message.type != MessageType::kElwc) return SerializeOne(message);
    std::string out;
    for (const Message& example : message.examples) {
      Result<std::string> bytes = SerializeOne(example);
      if (!bytes.ok()) return bytes;
      AppendLen(1, *bytes, &out);
    }
    if (!message.has_context && message.features.empty()) return out;
    Message context{.features = message.features};
    Result<std::string> bytes = SerializeOne(context);
    if (!bytes.ok()) return bytes;
    AppendLen(2, *bytes, &out);
    return out;
  });
}

}  // namespace headrace
