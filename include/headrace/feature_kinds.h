// FeatureKinds allows each key only one kind, so that records that are written
// one after another can be read as one dataset.
//
// A reader of columns, and every spec, needs one kind per key in all records. A
// writer that judges each record by itself accepts 0.5 and then 1 for "score",
// and makes a file that no spec reads. Add each message here before it is
// written:
//
//   headrace::FeatureKinds kinds;
//   if (Status status = kinds.Add(message); !status.ok()) return status;
//
// One thread at a time may use it. Copies are independent.

#ifndef HEADRACE_FEATURE_KINDS_H_
#define HEADRACE_FEATURE_KINDS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/export.h"
#include "headrace/message.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

class HEADRACE_EXPORT FeatureKinds {
 public:
  // Learns the kinds: a key must keep the first kind that it has.
  FeatureKinds() = default;
  // Knows the keys that the plan reads, and their kinds; other keys are errors.
  explicit FeatureKinds(const Plan& plan);

  // Returns whether a new key is accepted, with any kind.
  bool learns() const { return learns_; }
  // Returns the kind that the key must have; empty if it may have any.
  // `in_sequence` is as in ColumnField.
  std::optional<Kind> KindOf(std::string_view key, bool in_sequence) const;

  // Remembers the kinds of all features of a message; a feature without a kind
  // agrees with any. After an error nothing of the message is remembered.
  // kWrongKind, with feature, expected and found, for a key of another kind;
  // kInvalidArgument, with the feature, for a key that the plan does not read.
  Status Add(const Message& message);
  // Does the same for one feature.
  Status Add(std::string_view key, bool in_sequence, Kind kind);

 private:
  using Kinds = std::map<std::string, Kind, std::less<>>;

  // The kinds that Add has learned, to be forgotten after an error.
  using Learned = std::vector<Kinds::iterator>;

  Status Unknown(std::string_view key, bool in_sequence) const;
  Status Add(std::string_view key, bool in_sequence, Kind kind,
             Learned* learned);
  Status Add(const Message& message, Learned* learned);

  Kinds features_;
  Kinds in_sequence_;  // feature lists, and features of the Examples of a list
  bool learns_ = true;
};

}  // namespace headrace

#endif  // HEADRACE_FEATURE_KINDS_H_
