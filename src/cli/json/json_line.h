// A message as one line of JSON. The form is that of docs/cli.md: it loses
// nothing, and ParseJsonLine (json_line_parser.h) reads it back.

#ifndef HEADRACE_SRC_CLI_JSON_JSON_LINE_H_
#define HEADRACE_SRC_CLI_JSON_JSON_LINE_H_

#include <string>
#include <string_view>

#include "headrace/message.h"

namespace headrace::cli {

// Without a line feed. Of a kRaw message this is not the way: AppendJsonBytes.
void AppendJsonMessage(const Message& message, std::string* out);
void AppendJsonFeature(const Feature& feature, std::string* out);

// A JSON string where the bytes are UTF-8, otherwise {"b64": "..."}.
void AppendJsonBytes(std::string_view bytes, std::string* out);

// A JSON string of UTF-8 text. Control characters, also those above 0x7e, are
// escaped, so that a line never drives a terminal.
void AppendJsonString(std::string_view text, std::string* out);

// As AppendJsonString, for text that may be anything (a path, a message):
// bytes that are no UTF-8 become U+FFFD.
void AppendJsonText(std::string_view text, std::string* out);

// Shortest decimal text that reads back as the same float32, always with a
// '.' or an exponent. For a value that is not finite its name, or the bits of
// a NaN that is not the canonical one, as a JSON string.
void AppendJsonFloat(float value, std::string* out);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSON_JSON_LINE_H_
