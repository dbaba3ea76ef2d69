// The keys of a record, for looking at what it has without taking its values.

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_KEYS_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_KEYS_H_

#include <functional>
#include <string_view>

#include "headrace/types.h"

namespace headrace::decode {

// The key is a copy. `in_sequence` is true for a feature list, and for a
// feature of the Examples of a list.
using OnKey = std::function<void(std::string_view key, bool in_sequence)>;

// Calls `on_key` for each entry of the message's maps, in the order of the
// wire; the values of entries are not looked at. False where the bytes are no
// such message; keys before the fault have been given then.
bool WalkKeys(std::string_view payload, MessageType type, const OnKey& on_key);

// Whether the message `feature_lists` of a SequenceExample is there, even an
// empty one. The bytes are those of a message.
bool HasListsField(std::string_view payload);

}  // namespace headrace::decode

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_KEYS_H_
