// Notice: something that a reader, a decoder or a census noticed in records,
// which is not an error but which the user should know.
//
//   for (const headrace::Notice& notice : reader.report().notices) {
//     std::cerr << headrace::NoticeText(notice) << "\n";
//   }

#ifndef HEADRACE_NOTICE_H_
#define HEADRACE_NOTICE_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cstdint>
#include <span>
#include <string>

#include "headrace/export.h"
#include "headrace/types.h"

namespace headrace {

enum class NoticeKind : uint8_t {
  // None of the first `records` records, `bytes` bytes together, has a field of
  // the message that they are read as.
  kOtherMessage,
  // The plan is for Examples. The first `records` records have feature lists,
  // or are lists of Examples, and have none of the features that the plan
  // names.
  kOtherType,
  // None of the first `records` records has `feature`, but some have `similar`.
  kMisspelt,
  // No record had `feature`.
  kAbsent,
  // `records` records were read as Examples, so their feature lists were left
  // out.
  kListsLeftOut,
};

// The names are "other_message", "other_type", "misspelt", "absent" and
// "lists_left_out".
template <>
HEADRACE_EXPORT std::span<const EnumName<NoticeKind>> EnumNames();

// A name whose values were skipped because the sample did not show them: a key
// without a column, or a column of kind kNull. With strict_columns such a value
// is an error.
struct LateFeature {
  std::string name = {};
  Kind kind = Kind::kNull;  // of the first value skipped
  uint64_t rows = 0;
  bool in_columns = false;   // true for a column of kind kNull
  bool in_sequence = false;  // a feature list
};

// A feature that the given plan names and that no row has had so far: check its
// name. It may be a feature of any layout, a partition or an index.
struct AbsentFeature {
  std::string name = {};
  bool in_sequence = false;  // a feature list
  bool has_default = false;  // true if rows got a default instead
};

struct Notice {
  NoticeKind kind = NoticeKind::kOtherMessage;
  MessageType message = MessageType::kExample;  // that the records are read as
  // For kOtherType and kListsLeftOut: the likely type of the records, kSequence
  // or kElwc.
  MessageType likely = MessageType::kSequence;
  uint64_t records = 0;
  uint64_t bytes = 0;
  std::string feature = {};  // key on the wire
  // True for a feature list, and for a feature of the Examples of a list.
  bool in_sequence = false;
  bool has_default = false;  // rows get a default instead
  std::string similar = {};  // a key of the records that the plan does not name
  bool similar_in_sequence = false;

  bool operator==(const Notice&) const = default;
};

// How a text names options: as values (message "raw"), as the program spells
// them (--message raw) or as Python does (message="raw").
enum class Words : uint8_t { kPlain, kProgram, kPython };

// Returns the notice as text, without a full stop: `none of the first 256
// records has "age_"; did you mean "age"?`.
HEADRACE_EXPORT std::string NoticeText(const Notice& notice,
                                       Words words = Words::kPlain);

// Returns one text for several kAbsent notices, which says that no record had
// their features. It names the first ten features that have a default, and the
// first ten that have none. `of_part` means that only a part of the records was
// read. For one notice the text is the same as that of NoticeText.
HEADRACE_EXPORT std::string AbsentText(std::span<const Notice> absent,
                                       bool of_part = false);

}  // namespace headrace

#endif  // HEADRACE_NOTICE_H_
