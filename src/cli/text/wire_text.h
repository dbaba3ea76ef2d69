// `headrace head --message raw` shows payloads of any message like this.

#ifndef HEADRACE_SRC_CLI_TEXT_WIRE_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_WIRE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace headrace::cli {

// Gives a payload as `protoc --decode_raw` does, a line a field, with the type
// on the wire: number, type, value, and messages inside of it indented. Bytes
// are a text if all characters can be printed, otherwise a message if they are
// framed like one. What is neither is text with escapes, and so is all deeper
// than ten messages. Lines have about `width` columns, and there are at most
// 200; the last says how many fields were left out. A payload that is not a
// message is one line.
std::string WireText(std::string_view payload, size_t width);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_WIRE_TEXT_H_
