// Lists the keys of a record without decoding its values.

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_KEYS_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_KEYS_H_

#include <functional>
#include <string_view>

#include "headrace/types.h"

namespace headrace::decode {

// The key is a copy. `in_sequence` is true for a feature list, and for a
// feature of the Examples of a list.
using OnKey = std::function<void(std::string_view key, bool in_sequence)>;

// Calls `on_key` for each entry of the message's maps, in wire order; does not
// look at the values of entries. Returns false if the bytes are not a message
// of this type; `on_key` has then been called for the keys before the fault.
bool WalkKeys(std::string_view payload, MessageType type, const OnKey& on_key);

// True if a SequenceExample has the message `feature_lists`, even an empty one.
// `payload` must be a valid message.
bool HasListsField(std::string_view payload);

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_KEYS_H_
