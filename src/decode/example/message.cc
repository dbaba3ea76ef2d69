// Parses messages into the maps of headrace/message.h, with the walk that
// decoding uses. Slow: for single records and for explaining errors.

#include "headrace/message.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <string>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/text/quote.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/example/walk-inl.h"
#include "wire/cursor.h"
#include "wire/repeated-inl.h"
#include "wire/utf8.h"
#include "wire/wire.h"

namespace headrace {
namespace {

class MessageSink {
 public:
  explicit MessageSink(Message* message) : message_(message) {}

  const uint8_t* TakeEntries(const uint8_t* p, const uint8_t*) { return p; }
  bool EnterFeature(wire::Span key, bool*) {
    if (!Enter(key)) return false;
    feature_ = &message_->features[key_];
    *feature_ = Feature();
    return true;
  }
  bool LeaveFeature(Kind kind) {
    feature_->kind = kind;
    inside_ = false;
    return true;
  }
  void DropValues() { *feature_ = Feature(); }

  bool OnList(Kind kind, wire::Span list, int depth) {
    switch (kind) {
      case Kind::kBytes:
        end = wire::HWY_NAMESPACE::WalkBytes(
            list, depth, [this](wire::Span value) {
              feature_->bytes.emplace_back(wire::TextOf(value));
              return true;
            });
        break;
      case Kind::kFloat:
        end = wire::HWY_NAMESPACE::WalkFixed32(
            list, depth, [this](wire::Span run) {
              for (size_t i = 0; i < run.size; i += 4) {
                feature_->floats.push_back(
                    std::bit_cast<float>(wire::LoadFixed32(run.data + i)));
              }
              return true;
            });
        break;
      default:
        assert(kind == Kind::kInt64);
        end = wire::HWY_NAMESPACE::WalkVarints(
            list, depth, [this](wire::Span run) { return OnPacked(run); },
            [this](uint64_t value) {
              feature_->int64s.push_back(static_cast<int64_t>(value));
              return true;
            });
        if (packed_end_.fault != wire::Fault::kNone) end = packed_end_;
        break;
    }
    return end.fault == wire::Fault::kNone;
  }

  void OnFeatureLists() { message_->has_feature_lists = true; }
  bool EnterFeatureList(wire::Span key, bool*) {
    if (!Enter(key)) return false;
    steps_ = &message_->feature_lists[key_];
    steps_->clear();
    return true;
  }
  const uint8_t* TakeSteps(const uint8_t* p, const uint8_t*) { return p; }
  bool EnterStep() {
    feature_ = &steps_->emplace_back();
    return true;
  }
  bool LeaveStep(Kind kind) {
    feature_->kind = kind;
    return true;
  }
  bool LeaveFeatureList() {
    inside_ = false;
    return true;
  }

  wire::WalkEnd end;
  // The key is empty between features.
  std::string_view key() const { return inside_ ? key_ : std::string_view(); }

 private:
  // The walk has checked that the key is UTF-8, but a mapped file may have
  // changed since, so the copy is checked again.
  bool Enter(wire::Span key) {
    key_ = wire::TextOf(key);
    inside_ = IsUtf8(key_);
    if (!inside_) end = {wire::Fault::kUtf8, key.data, false};
    return inside_;
  }
  bool OnPacked(wire::Span run) {
    wire::Cursor cursor(run);
    while (!cursor.done()) {
      uint64_t value;
      if (!cursor.ReadVarint(&value)) {
        packed_end_ = {cursor.fault(), cursor.position(), false};
        return false;
      }
      feature_->int64s.push_back(static_cast<int64_t>(value));
    }
    return true;
  }

  Message* message_;
  Feature* feature_ = nullptr;
  std::vector<Feature>* steps_ = nullptr;
  std::string key_;
  bool inside_ = false;
  wire::WalkEnd packed_end_;
};

Status Malformed(std::string_view payload, const wire::WalkEnd& end,
                 std::string_view key) {
  ErrorInfo info{.code = ErrorCode::kMalformed};
  const auto at = static_cast<uint64_t>(
      reinterpret_cast<const char*>(end.position) - payload.data());
  info.message = std::string(wire::FaultText(end.fault)) + ", at byte " +
                 std::to_string(at) + " of the message";
  info.offset = at;
  info.feature = key;
  if (!info.feature.empty()) {
    info.message += ", in feature " + Quote(info.feature);
  }
  return Status(std::move(info));
}

// Parses an ExampleListWithContext; the pieces of a context become one message.
Result<Message> ParseList(std::string_view payload) {
  constexpr int kDepth = 1;  // of the messages of a list
  Message list{.type = MessageType::kElwc};
  MessageSink context(&list);
  decode::HWY_NAMESPACE::Walker walker(context, kDepth);
  wire::Cursor cursor(wire::SpanOf(payload));
  Status status;
  const bool ok =
      wire::ForEachPart(&cursor, [&](uint32_t number, wire::Span part) {
        if (number == 2) {
          list.has_context = true;
          if (walker.WalkExample(part)) return true;
          status = Malformed(payload, context.end, context.key());
          return false;
        }
        MessageSink example(&list.examples.emplace_back());
        if (decode::HWY_NAMESPACE::Walker(example, kDepth).WalkExample(part)) {
          return true;
        }
        status = Malformed(payload, example.end, example.key());
        return false;
      });
  if (ok) return list;
  if (!status.ok()) return status;
  return Malformed(payload, {cursor.fault(), cursor.position(), false}, {});
}

}  // namespace

size_t Feature::size() const {
  switch (kind) {
    case Kind::kBytes:
      return bytes.size();
    case Kind::kFloat:
      return floats.size();
    case Kind::kInt64:
      return int64s.size();
    case Kind::kNull:
      break;
  }
  return 0;
}

bool IsUtf8(std::string_view text) { return wire::IsUtf8(text); }

Result<Message> ParseMessage(std::string_view payload, MessageType type) {
  Result<Message> message = decode::ParseNested(payload, type, /*depth=*/0);
  if (message.status().code() != ErrorCode::kMalformed) return message;
  return CatchOutOfMemory([&]() -> Result<Message> {
    ErrorInfo info = *message.status().info();
    decode::HintAtElwc(payload, type, &info);
    return Status(std::move(info));
  });
}

Result<Message> decode::ParseNested(std::string_view payload, MessageType type,
                                    int depth) {
  return CatchOutOfMemory([&]() -> Result<Message> {
    if (type == MessageType::kElwc) return ParseList(payload);
    if (type != MessageType::kExample && type != MessageType::kSequence) {
      return Status(ErrorCode::kInvalidArgument,
                    "the message must be an Example, a SequenceExample or an "
                    "ExampleListWithContext");
    }
    Message message;
    message.type = type;
    MessageSink sink(&message);
    decode::HWY_NAMESPACE::Walker walker(sink, depth);
    const bool ok = type == MessageType::kSequence
                        ? walker.WalkSequence(wire::SpanOf(payload))
                        : walker.WalkExample(wire::SpanOf(payload));
    if (ok) return message;
    return Malformed(payload, sink.end, sink.key());
  });
}

namespace {

bool HasValues(const Message& message) {
  return std::any_of(
      message.features.begin(), message.features.end(),
      [](const auto& entry) { return entry.second.kind != Kind::kNull; });
}

bool HasValuesInList(const Message& list) {
  return HasValues(list) ||
         std::any_of(list.examples.begin(), list.examples.end(), HasValues);
}

// The map entries of a list are one message deeper than those of an Example. If
// a list is read as an Example, keys are therefore the bytes of entries, which
// begin with the tag of a key and are mostly not UTF-8; no feature has a kind.
constexpr char kEntryBegin = wire::Tag(1, wire::kLen);

bool MayBeExample(std::string_view payload) {
  const Result<Message> example =
      decode::ParseNested(payload, MessageType::kExample, /*depth=*/0);
  if (!example.ok()) return false;
  return std::any_of(example->features.begin(), example->features.end(),
                     [](const auto& entry) {
                       return entry.second.kind != Kind::kNull ||
                              entry.first.empty() ||
                              entry.first.front() != kEntryBegin;
                     });
}

}  // namespace

bool LooksLikeElwc(std::string_view payload) {
  const Result<Message> list =
      decode::ParseNested(payload, MessageType::kElwc, /*depth=*/0);
  return list.ok() && HasValuesInList(*list) && !MayBeExample(payload);
}

void decode::HintAtElwc(std::string_view payload, MessageType type,
                        ErrorInfo* error) {
  if (type == MessageType::kElwc || !LooksLikeElwc(payload)) return;
  error->message +=
      "; the record looks like an ExampleListWithContext, which is read as "
      "message \"elwc\"";
}

}  // namespace headrace
