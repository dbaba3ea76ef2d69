// Walks a message with a sink that reads only its keys. Also implements
// HasFeatureLists of headrace/message.h.

#include "src/decode/example/keys.h"

#include <string>

#include "headrace/message.h"
#include "src/decode/example/walk-inl.h"
#include "src/plan/compile/list_parts.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace {
namespace decode {
namespace {

wire::Span SpanOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class KeySink {
 public:
  KeySink(const OnKey* on_key, bool in_sequence)
      : on_key_(on_key), in_sequence_(in_sequence) {}

  const uint8_t* TakeEntries(const uint8_t* p, const uint8_t*) { return p; }
  bool EnterFeature(wire::Span key, bool* wanted) {
    return Enter(key, in_sequence_, wanted);
  }
  bool LeaveFeature(Kind) { return true; }
  void DropValues() {}
  bool OnList(Kind, wire::Span, int) { return true; }

  void OnFeatureLists() {}
  bool EnterFeatureList(wire::Span key, bool* wanted) {
    return Enter(key, /*in_sequence=*/true, wanted);
  }
  const uint8_t* TakeSteps(const uint8_t* p, const uint8_t*) { return p; }
  bool EnterStep() { return true; }
  bool LeaveStep(Kind) { return true; }
  bool LeaveFeatureList() { return true; }

  wire::WalkEnd end;

 private:
  // A mapped file may change, so the copy is checked.
  bool Enter(wire::Span key, bool in_sequence, bool* wanted) {
    *wanted = false;
    key_.assign(reinterpret_cast<const char*>(key.data), key.size);
    if (!IsUtf8(key_)) return false;
    (*on_key_)(key_, in_sequence);
    return true;
  }

  const OnKey* const on_key_;
  const bool in_sequence_;
  std::string key_;
};

bool WalkList(std::string_view payload, const OnKey& on_key) {
  KeySink context(&on_key, /*in_sequence=*/false);
  KeySink examples(&on_key, /*in_sequence=*/true);
  HWY_NAMESPACE::Walker context_walker(context, /*depth=*/1);
  HWY_NAMESPACE::Walker example_walker(examples, /*depth=*/1);
  wire::Cursor cursor(SpanOf(payload));
  while (!cursor.done()) {
    uint32_t tag;
    if (!cursor.ReadTag(&tag)) return false;
    const bool is_example = tag == wire::Tag(1, wire::kLen);
    if (!is_example && tag != wire::Tag(2, wire::kLen)) {
      if (!cursor.SkipValue(tag, 0)) return false;
      continue;
    }
    wire::Span part;
    if (!cursor.ReadLen(&part)) return false;
    const bool walked = is_example ? example_walker.WalkExample(part)
                                   : context_walker.WalkExample(part);
    if (!walked) return false;
  }
  return true;
}

// The context and the Examples of the list are the bytes of two features.
bool WalkListInExample(std::string_view payload, const OnKey& on_key) {
  const Result<Message> around = ParseMessage(payload, MessageType::kExample);
  if (!around.ok()) return false;
  for (const auto& [key, feature] : around->features) {
    KeySink sink(&on_key, /*in_sequence=*/key == plan::kExamplesKey);
    if (key != plan::kExamplesKey && key != plan::kContextKey) continue;
    for (const std::string& example : feature.bytes) {
      if (!HWY_NAMESPACE::Walker(sink, 0).WalkExample(SpanOf(example))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool WalkKeys(std::string_view payload, MessageType type, const OnKey& on_key) {
  if (type == MessageType::kElwc) return WalkList(payload, on_key);
  if (type == MessageType::kExampleInExample) {
    return WalkListInExample(payload, on_key);
  }
  KeySink sink(&on_key, /*in_sequence=*/false);
  HWY_NAMESPACE::Walker walker(sink, /*depth=*/0);
  return type == MessageType::kSequence ? walker.WalkSequence(SpanOf(payload))
                                        : walker.WalkExample(SpanOf(payload));
}

bool HasListsField(std::string_view payload) {
  wire::Cursor cursor(SpanOf(payload));
  bool found = false;
  while (!cursor.done()) {
    uint32_t tag;
    if (!cursor.ReadTag(&tag) || !cursor.SkipValue(tag, 0)) return false;
    found |= tag == wire::Tag(2, wire::kLen);
  }
  return found;
}

}  // namespace decode

// Nearly all records lack the field, so few are parsed.
bool HasFeatureLists(std::string_view payload) {
  if (!decode::HasListsField(payload)) return false;
  const Result<Message> message = ParseMessage(payload, MessageType::kSequence);
  return message.ok() && !message->feature_lists.empty();
}

}  // namespace headrace
