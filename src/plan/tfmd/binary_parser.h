// BinaryParser makes a message of message_table.h from protobuf's wire format.
// It accepts and merges what libprotobuf (C++) does (docs/semantics.md).

#ifndef HEADRACE_SRC_PLAN_TFMD_BINARY_PARSER_H_
#define HEADRACE_SRC_PLAN_TFMD_BINARY_PARSER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/parsed_message.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace::tfmd_forms {

// A parser reads one serialized Schema.
class BinaryParser {
 public:
  explicit BinaryParser(std::string_view bytes)
      : bytes_{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()} {}

  Result<ParsedMessage> Parse();

 private:
  // These return false after an error, which is in error_. `message` is null if
  // nothing is kept; `depth` counts the messages around that of `type`.
  bool ParseFields(const MessageTable& type, wire::Span fields, int depth,
                   ParsedMessage* message);
  bool ParseNumber(const MessageTable& type, const Field& field,
                   wire::Cursor* cursor, ParsedMessage* message);
  bool ParseLen(const MessageTable& type, const Field& field, wire::Span value,
                int depth, ParsedMessage* message);
  bool CheckPacked(const MessageTable& type, wire::Span run);
  bool Fail(const MessageTable& type, const uint8_t* at, const char* what);
  bool Fail(const MessageTable& type, const wire::Cursor& cursor) {
    return Fail(type, cursor.position(), wire::FaultText(cursor.fault()));
  }

  wire::Span bytes_;
  std::string error_;
};

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_BINARY_PARSER_H_
