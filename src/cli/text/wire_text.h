// The form in which `headrace head --message raw` shows payloads of any
// message.

#ifndef HEADRACE_SRC_CLI_TEXT_WIRE_TEXT_H_
#define HEADRACE_SRC_CLI_TEXT_WIRE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace headrace::cli {

// Returns a payload as `protoc --decode_raw` shows it, one line per field, with
// the type on the wire: number, type, value, and messages inside it indented.
// Bytes are text if all characters can be printed, otherwise a message if they
// are framed like one. Other bytes are text with escapes, and so is everything
// deeper than ten messages. Lines have about `width` columns, and there are at
// most 200; the last says how many fields were left out. A payload that is not
// a message is one line.
std::string WireText(std::string_view payload, size_t width);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_WIRE_TEXT_H_
