// ParseJsonLine reads what json_line.h writes.

#ifndef HEADRACE_SRC_CLI_JSON_JSON_LINE_PARSER_H_
#define HEADRACE_SRC_CLI_JSON_JSON_LINE_PARSER_H_

#include <string_view>

#include "headrace/message.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::cli {

// Reads what AppendJsonMessage writes, and the wrapped form everywhere. `type`
// is kExample, kSequence or kElwc. An error is kMalformed with the feature and
// a message that says what to write instead; the caller adds file and line.
Result<Message> ParseJsonLine(std::string_view line, MessageType type);

// Reads what AppendJsonBytes writes: a record of --message raw.
Result<std::string> ParseJsonBytes(std::string_view line);

// Returns kSequence for an object with "context" and "feature_lists" and
// nothing else, kElwc for one with "context" and a list "examples" of objects,
// otherwise kExample: features of these names seldom look like this.
MessageType JsonLineType(std::string_view line);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSON_JSON_LINE_PARSER_H_
