// Message: one tf.train.Example or tf.train.SequenceExample, or a list of
// Examples with a context (tensorflow.serving), as plain values. Use it to look
// at single records, to write them, and in tests. It is slow and simple; for
// columns use Reader and Decoder.

#ifndef HEADRACE_MESSAGE_H_
#define HEADRACE_MESSAGE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/export.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// A tf.train.Feature. Only the list of its kind is used.
struct HEADRACE_EXPORT Feature {
  Kind kind = Kind::kNull;
  std::vector<std::string> bytes = {};
  std::vector<float> floats = {};
  std::vector<int64_t> int64s = {};

  size_t size() const;  // number of values
};

// A message. Keys are UTF-8, sorted byte-wise; the last of equal keys counts.
struct Message {
  MessageType type = MessageType::kExample;
  // A SequenceExample and a list of Examples have their context here.
  std::map<std::string, Feature> features = {};
  // Only a SequenceExample has feature lists.
  std::map<std::string, std::vector<Feature>> feature_lists = {};
  // Whether the feature_lists message is there, even if it is empty.
  bool has_feature_lists = false;
  // Only a list (kElwc) has Examples.
  std::vector<Message> examples = {};
  // Whether the context of a list is there, even if it is empty.
  bool has_context = false;
};

// A payload, and the number of its record in errors and reports.
struct NumberedRecord {
  std::string_view payload;
  uint64_t number = 0;
};

// Called for each record of a block that is not counted, with the index of the
// record in the block and the error. If it returns an error, the rest of the
// block is not counted.
using RefusedRecord = std::function<Status(size_t index, const Status& error)>;

// Parses a payload as `type`, kExample, kSequence or kElwc. It accepts exactly
// the bytes that libprotobuf accepts (docs/semantics.md). Anything else is
// kMalformed, with the offset within `payload` and, if known, the feature; the
// message says so if the bytes look like a list of Examples. An Example read as
// a SequenceExample has only a context, and vice versa.
HEADRACE_EXPORT Result<Message> ParseMessage(std::string_view payload,
                                             MessageType type);

// Returns canonical bytes: keys are sorted and numbers packed. Parsing them
// returns equal values. kInvalidArgument for a key that is not UTF-8.
HEADRACE_EXPORT Result<std::string> SerializeMessage(const Message& message);

// Returns whether the payload looks like a list of Examples (kElwc) with some
// feature, and not like an Example.
HEADRACE_EXPORT bool LooksLikeElwc(std::string_view payload);

// Returns whether the payload has feature lists, which is how kAuto
// distinguishes the two types: it is a SequenceExample with an entry in
// `feature_lists`, even one with an empty key. False for an empty
// `feature_lists`, and for bytes that are not a SequenceExample.
HEADRACE_EXPORT bool HasFeatureLists(std::string_view payload);

// Returns whether the text is UTF-8 as protobuf defines it: no surrogates, no
// overlong forms, nothing above U+10FFFF; NUL is fine.
HEADRACE_EXPORT bool IsUtf8(std::string_view text);

}  // namespace headrace

#endif  // HEADRACE_MESSAGE_H_
