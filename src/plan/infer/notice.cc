// Puts notices into words: NoticeText and AbsentText.

#include "headrace/notice.h"

#include <vector>

#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/plan/infer/message_judge.h"

namespace headrace {

namespace {

constexpr EnumName<NoticeKind> kNames[] = {
    {NoticeKind::kOtherMessage, "other_message"},
    {NoticeKind::kOtherType, "other_type"},
    {NoticeKind::kMisspelt, "misspelt"},
    {NoticeKind::kAbsent, "absent"},
    {NoticeKind::kListsLeftOut, "lists_left_out"}};

// The maximum number of absent features that a sentence names.
constexpr size_t kMaxNamed = 10;

// Returns text like message "raw", --message raw or message="raw".
std::string Option(std::string_view name, std::string_view value, Words words) {
  const std::string option(name), text(value);
  switch (words) {
    case Words::kProgram:
      return "--" + option + " " + text;
    case Words::kPython:
      return option + "=\"" + text + "\"";
    case Words::kPlain:
      break;
  }
  return option + " \"" + text + "\"";
}

std::string SequenceOption(Words words) {
  return Option("message",
                words == Words::kProgram ? "sequence_example" : "sequence",
                words);
}

// Returns "none of the first 256 records has" or "the first record does not
// have".
std::string FirstLack(uint64_t records) {
  if (records == 1) return "the first record does not have";
  return "none of the first " + std::to_string(records) + " records has";
}

// Returns text like "tokens", the feature list "tokens", or "tokens" in its
// Examples.
std::string Named(const Notice& notice, const std::string& name,
                  bool in_sequence) {
  if (IsListOfExamples(notice.message)) {
    return Quote(name) + (in_sequence ? " in its Examples" : " in its context");
  }
  return (in_sequence ? "the feature list " : "") + Quote(name);
}

std::string OtherMessageText(const Notice& notice, Words words) {
  const bool is_one = notice.records == 1;
  return FirstLack(notice.records) + " a feature, though " +
         (is_one ? "it has " : "they have ") + Counted(notice.bytes, "byte") +
         (is_one ? ": it seems" : ": they seem") +
         " to hold another message (an event file of TensorBoard?); " +
         Option("message", "raw", words) + " reads payloads";
}

std::string OtherTypeText(const Notice& notice, Words words) {
  const std::string text = FirstLack(notice.records) +
                           " a feature of the plan, which is for Examples; ";
  if (notice.likely == MessageType::kElwc) {
    return text + "they look like ExampleListWithContext: " +
           Option("message", "elwc", words) + " and a spec for it read them";
  }
  return text + "they have feature lists: " + SequenceOption(words) +
         " and a spec for it read them";
}

std::string MisspeltText(const Notice& notice) {
  std::string text = FirstLack(notice.records) + " " +
                     Named(notice, notice.feature, notice.in_sequence);
  if (notice.similar.empty()) return text;
  text += "; did you mean " +
          Named(notice, notice.similar, notice.similar_in_sequence);
  if (IsListOfExamples(notice.message)) return text + "?";
  if (notice.in_sequence && !notice.similar_in_sequence) {
    return text + ", which is not a feature list?";
  }
  const bool is_other_type =
      notice.message == MessageType::kExample && notice.similar_in_sequence;
  return text +
         (is_other_type ? ", which a spec for SequenceExamples reads?" : "?");
}

// Returns "no record has feature "a": all rows have its default", or the same
// for several features, of which either all or none have a default.
std::string AlikeText(std::span<const Notice* const> absent, std::string text) {
  const Notice& first = *absent.front();
  if (absent.size() == 1) {
    const bool is_plain =
        !first.in_sequence && !IsListOfExamples(first.message);
    return text + (is_plain ? " has feature " : " has ") +
           Named(first, first.feature, first.in_sequence) +
           (first.has_default ? ": all rows have its default" : "");
  }
  text += first.has_default
              ? " has these features, so that all rows have their defaults: "
              : " has these features: ";
  for (size_t i = 0; i < absent.size() && i < kMaxNamed; ++i) {
    const Notice& notice = *absent[i];
    text +=
        (i > 0 ? ", " : "") + Named(notice, notice.feature, notice.in_sequence);
  }
  if (absent.size() > kMaxNamed) {
    text += ", " + std::to_string(absent.size()) + " in all";
  }
  return text;
}

std::string ListsText(const Notice& notice, Words words) {
  const bool is_one = notice.records == 1;
  return "left out the feature lists of " + Counted(notice.records, "record") +
         (is_one ? ", which is read as an Example; "
                 : ", which are read as Examples; ") +
         (notice.likely == MessageType::kElwc ? Option("message", "elwc", words)
                                              : SequenceOption(words)) +
         (is_one ? " reads it" : " reads them");
}

}  // namespace

template <>
std::span<const EnumName<NoticeKind>> EnumNames() {
  return kNames;
}

std::string NoticeText(const Notice& notice, Words words) {
  switch (notice.kind) {
    case NoticeKind::kOtherMessage:
      return OtherMessageText(notice, words);
    case NoticeKind::kOtherType:
      return OtherTypeText(notice, words);
    case NoticeKind::kMisspelt:
      return MisspeltText(notice);
    case NoticeKind::kAbsent:
      return AbsentText({&notice, 1});
    case NoticeKind::kListsLeftOut:
      return ListsText(notice, words);
  }
  return "";
}

std::string AbsentText(std::span<const Notice> absent, bool of_part) {
  std::string text;
  for (const bool has_default : {true, false}) {
    std::vector<const Notice*> alike;
    for (const Notice& notice : absent) {
      if (notice.has_default == has_default) alike.push_back(&notice);
    }
    if (alike.empty()) continue;
    if (!text.empty()) text += "; ";
    text += AlikeText(alike, of_part ? "no record of this part" : "no record");
  }
  return text;
}

Notice OtherMessageNotice(const MessageJudge& judge) {
  return OtherMessageNotice(judge.message(), judge.num_records(),
                            judge.num_bytes());
}

Notice OtherMessageNotice(MessageType message, uint64_t records,
                          uint64_t bytes) {
  return {.kind = NoticeKind::kOtherMessage,
          .message = message,
          .records = records,
          .bytes = bytes};
}

Notice ListsLeftOutNotice(uint64_t records, MessageType likely) {
  return {
      .kind = NoticeKind::kListsLeftOut, .likely = likely, .records = records};
}

}  // namespace headrace
