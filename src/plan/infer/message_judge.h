// MessageJudge decides which message some records hold, from the first of them.
//
//   headrace::MessageJudge judge;
//   for (std::string_view payload : payloads) {
//     if (judge.WantsMore()) judge.Look(payload);
//   }
//   Use(judge.message(), judge.HoldOther());
//
// Readers, censuses and the program all ask a judge (rules M7 and Q10 of
// docs/semantics.md). One thread at a time may use it.

#ifndef HEADRACE_SRC_PLAN_INFER_MESSAGE_JUDGE_H_
#define HEADRACE_SRC_PLAN_INFER_MESSAGE_JUDGE_H_

#include <cstdint>
#include <string_view>

#include "headrace/notice.h"
#include "headrace/types.h"

namespace headrace {

class MessageJudge {
 public:
  // The number of records that decide what the message is; fewer do if together
  // they have kBytes bytes.
  static constexpr uint64_t kRecords = 100;
  static constexpr uint64_t kBytes = uint64_t{64} << 20;

  // `message` is what the records are read as; with kAuto the judge decides.
  explicit MessageJudge(MessageType message = MessageType::kAuto)
      : given_(message), message_(message) {}

  // Looks at a payload. A payload that is not framed like a message decides
  // nothing: reading it reports what is wrong with it.
  void Look(std::string_view payload);

  // Whether further records, up to kRecords and kBytes, may change the answers.
  bool WantsMore() const;

  // Whether further records may change message().
  bool MayChange() const {
    return message_ == MessageType::kAuto && !IsEnough();
  }
  // Returns the message given. For kAuto: kElwc if a record of the first
  // kRecords looks like a list of Examples (LooksLikeElwc of message.h) and
  // none before it has a feature as an Example; kSequence if a record that does
  // not look like a list has feature lists (HasFeatureLists), whichever is
  // first; kExample otherwise.
  MessageType message() const {
    return message_ == MessageType::kAuto ? MessageType::kExample : message_;
  }
  // Whether the records hold another message: they have bytes, and no record
  // looked at has a field of message(). The fields of message() are `features`,
  // `context` and `feature_lists`, or the two of a list of Examples; they may
  // be empty. SequenceExamples that are read as Examples do not count as
  // another message, and raw records hold no message.
  bool HoldOther() const {
    return num_bytes_ > 0 && !has_field_ && given_ != MessageType::kRaw;
  }
  // Whether a further record may show that all are lists of Examples.
  bool may_be_lists() const {
    return message_ == MessageType::kAuto && may_be_lists_;
  }
  // Whether a record has a field of message(). Empty records have none.
  bool has_field() const { return has_field_; }

  // The messages looked at, and the bytes of their payloads.
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }

 private:
  void Decide(std::string_view payload);
  bool IsEnough() const {
    return seen_records_ >= kRecords || seen_bytes_ >= kBytes;
  }

  MessageType given_;
  MessageType message_;
  bool may_be_lists_ = true;
  bool has_field_ = false;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  // Including payloads that are not messages.
  uint64_t seen_records_ = 0;
  uint64_t seen_bytes_ = 0;
};

// Returns the notice kOtherMessage for records that hold another message.
Notice OtherMessageNotice(const MessageJudge& judge);
// The same for `records` records of `bytes` bytes that are read as `message`.
Notice OtherMessageNotice(MessageType message, uint64_t records,
                          uint64_t bytes);

// Returns the notice kListsLeftOut for `records` records; `likely` is what they
// seem to be.
Notice ListsLeftOutNotice(uint64_t records,
                          MessageType likely = MessageType::kSequence);

}  // namespace headrace

#endif  // HEADRACE_SRC_PLAN_INFER_MESSAGE_JUDGE_H_
