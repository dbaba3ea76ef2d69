// A message becomes one line of JSON, in the form of docs/cli.md: it loses
// nothing, and ParseJsonLine (json_line_parser.h) reads it back. Serialized
// messages become the same lines, much faster, through JsonLineWriter
// (headrace/json_lines.h).

#ifndef HEADRACE_SRC_CLI_JSON_JSON_LINE_H_
#define HEADRACE_SRC_CLI_JSON_JSON_LINE_H_

#include <string>

#include "headrace/message.h"

namespace headrace::cli {

// There is no line feed.
void AppendJsonMessage(const Message& message, std::string* out);
void AppendJsonFeature(const Feature& feature, std::string* out);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSON_JSON_LINE_H_
