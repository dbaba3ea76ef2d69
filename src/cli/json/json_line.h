// A message becomes one line of JSON, in the form of docs/cli.md: it loses
// nothing, and ParseJsonLine (json_line_parser.h) reads it back.

#ifndef HEADRACE_SRC_CLI_JSON_JSON_LINE_H_
#define HEADRACE_SRC_CLI_JSON_JSON_LINE_H_

#include <string>
#include <string_view>

#include "headrace/message.h"

namespace headrace::cli {

// There is no line feed. AppendJsonBytes is for messages of kRaw.
void AppendJsonMessage(const Message& message, std::string* out);
void AppendJsonFeature(const Feature& feature, std::string* out);

// UTF-8 becomes a JSON string, anything else {"b64": "..."}.
void AppendJsonBytes(std::string_view bytes, std::string* out);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSON_JSON_LINE_H_
