// Texts for values and for payloads, shortened for people and safe to show on a
// terminal.

#ifndef HEADRACE_SRC_CLI_TEXT_VALUE_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_VALUE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/message.h"

namespace headrace::cli {

// Returns about `width` columns at most; Table cuts the rest. Text is quoted;
// other bytes are shown as their size and the first ones in hexadecimal.
std::string DescribeBytes(std::string_view bytes, size_t width);

// One value is shown without brackets, several in brackets; [] is an empty
// list, and null a feature without a kind.
std::string DescribeFeature(const Feature& feature, size_t width);

// Returns text like "[[1, 2], [3]]". Steps of a list (kElwc) are its Examples.
std::string DescribeSteps(const std::vector<Feature>& steps, MessageType type,
                          size_t width);

// Returns a payload of any message, as `protoc --decode_raw` shows it, one line
// per field, with its number, its type on the wire and its value; messages
// inside it are indented. Bytes are text if all characters can be printed,
// otherwise a message if they are framed like one. Other bytes are text with
// escapes, and so is everything deeper than ten messages. Lines have about
// `width` columns, and there are at most 200; the last says how many fields
// were left out. A payload that is not a message is one line.
std::string WireText(std::string_view payload, size_t width);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_VALUE_TEXT_H_
