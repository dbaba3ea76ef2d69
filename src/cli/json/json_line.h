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

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSON_JSON_LINE_H_
