#include "src/plan/infer/message_judge.h"

#include <algorithm>

#include "headrace/message.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace {
namespace {

constexpr uint32_t kFirst = wire::Tag(1, wire::kLen);

// Whether `part` may be one of the messages that headrace reads: they all have
// their content in field 1, so bytes without field 1 are another message.
bool IsOurs(wire::Span part) {
  if (part.size == 0) return true;
  wire::Cursor cursor(part);
  while (!cursor.done()) {
    uint32_t tag;
    if (!cursor.ReadTag(&tag)) return false;
    if (tag == kFirst) return true;
    if (!cursor.SkipValue(tag, 1)) return false;
  }
  return false;
}

// Sets `has_field` if the message has a field whose content IsOurs. Returns
// false for bytes that are not framed like a message. An empty `feature_lists`
// counts even if Examples are read, which do not have it.
bool Scan(wire::Span message, bool has_second, bool* has_field) {
  wire::Cursor cursor(message);
  return wire::ForEachPart(&cursor, [&](uint32_t number, wire::Span part) {
    const bool is_read = number == 1 || has_second;
    *has_field = *has_field || (is_read ? IsOurs(part) : part.size == 0);
    return true;
  });
}

bool HasFeature(std::string_view payload) {
  const Result<Message> example = ParseMessage(payload, MessageType::kExample);
  return example.ok() &&
         std::any_of(example->features.begin(), example->features.end(),
                     [](const auto& entry) {
                       return entry.second.kind != Kind::kNull;
                     });
}

}  // namespace

// Lists of Examples may happen to parse as SequenceExamples, with bytes as
// names of feature lists. So a record that looks like a list is not a
// SequenceExample, even if it is too late to decide that the records are lists.
void MessageJudge::Decide(std::string_view payload) {
  const bool has_lists = HasFeatureLists(payload);
  if ((may_be_lists_ || has_lists) && LooksLikeElwc(payload)) {
    if (may_be_lists_) message_ = MessageType::kElwc;
    return;
  }
  may_be_lists_ = may_be_lists_ && !HasFeature(payload);
  if (has_lists) message_ = MessageType::kSequence;
}

void MessageJudge::Look(std::string_view payload) {
  if (given_ == MessageType::kRaw) return;
  const bool decides = MayChange();
  if (has_field_ && !decides) return;
  ++seen_records_;
  seen_bytes_ += payload.size();
  if (decides) Decide(payload);
  bool has_field = false;
  const bool has_second =
      message_ == MessageType::kSequence || message_ == MessageType::kElwc;
  if (!Scan(wire::SpanOf(payload), has_second, &has_field)) return;
  // A SequenceExample that is read as an Example is not another message.
  has_field = has_field || (!has_second && HasFeatureLists(payload));
  has_field_ |= has_field;
  ++num_records_;
  num_bytes_ += payload.size();
}

bool MessageJudge::WantsMore() const {
  if (given_ == MessageType::kRaw || IsEnough()) return false;
  return message_ == MessageType::kAuto || !has_field_;
}

}  // namespace headrace
