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
    key_ = wire::TextOf(key);
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
  wire::Cursor cursor(wire::SpanOf(payload));
  return wire::ForEachPart(&cursor, [&](uint32_t number, wire::Span part) {
    return number == 1 ? example_walker.WalkExample(part)
                       : context_walker.WalkExample(part);
  });
}

// Two features of kind bytes hold the context and the Examples of the list.
bool WalkListInExample(std::string_view payload, const OnKey& on_key) {
  const Result<Message> around = ParseMessage(payload, MessageType::kExample);
  if (!around.ok()) return false;
  for (const auto& [key, feature] : around->features) {
    KeySink sink(&on_key, /*in_sequence=*/key == plan::kExamplesKey);
    if (key != plan::kExamplesKey && key != plan::kContextKey) continue;
    for (const std::string& example : feature.bytes) {
      if (!HWY_NAMESPACE::Walker(sink, 0).WalkExample(wire::SpanOf(example))) {
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
  return type == MessageType::kSequence
             ? walker.WalkSequence(wire::SpanOf(payload))
             : walker.WalkExample(wire::SpanOf(payload));
}

bool HasListsField(std::string_view payload) {
  wire::Cursor cursor(wire::SpanOf(payload));
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
