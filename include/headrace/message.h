// Message: one tf.train.Example or tf.train.SequenceExample as plain values.
//
// For looking at single records, for writing them, and for tests. Slow and
// simple; columns come from Reader and Decoder.

#ifndef HEADRACE_MESSAGE_H_
#define HEADRACE_MESSAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// A tf.train.Feature. Only the list of its kind is used.
struct Feature {
  Kind kind = Kind::kNull;
  std::vector<std::string> bytes = {};
  std::vector<float> floats = {};
  std::vector<int64_t> int64s = {};

  // Number of values.
  size_t size() const;
};

// Keys are UTF-8 and sorted byte-wise; of duplicates the last one counted.
struct Message {
  MessageType type = MessageType::kExample;
  std::map<std::string, Feature> features =
      {};  // of a SequenceExample: context
  // SequenceExample only.
  std::map<std::string, std::vector<Feature>> feature_lists = {};
  // The feature_lists message is there, even if it is empty.
  bool has_feature_lists = false;
};

// Accepts exactly the bytes that libprotobuf accepts (docs/semantics.md);
// anything else is kMalformed with the offset within `payload` and, where
// known, the feature. `type` is kExample or kSequence; an Example read as
// SequenceExample has only a context, and the other way round.
Result<Message> ParseMessage(std::string_view payload, MessageType type);

// Canonical bytes: keys sorted, numbers packed. Parsing them gives equal
// values. kInvalidArgument for a key that is not UTF-8.
Result<std::string> SerializeMessage(const Message& message);

// True when the payload carries feature lists: how kAuto tells the two apart.
// False for bytes that are no message at all.
bool HasFeatureLists(std::string_view payload);

// True for well-formed UTF-8 as protobuf means it: no surrogates, nothing
// above U+10FFFF, no overlong forms; NUL is fine.
bool IsUtf8(std::string_view text);

}  // namespace headrace

#endif  // HEADRACE_MESSAGE_H_
