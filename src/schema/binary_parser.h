// Protobuf's wire format to a message of tfmd_types.h. Accepts what libprotobuf
// (C++) accepts and merges as it does; docs/semantics.md lists the rules.

#ifndef HEADRACE_SRC_SCHEMA_BINARY_PARSER_H_
#define HEADRACE_SRC_SCHEMA_BINARY_PARSER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "src/schema/tfmd_message.h"
#include "src/schema/tfmd_types.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace::schema {

// Of a Schema. For one string of bytes.
class BinaryParser {
 public:
  explicit BinaryParser(std::string_view bytes)
      : bytes_{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()} {}

  Result<Message> Parse();

 private:
  // All return false after an error, which is in error_. `message` is null
  // where nothing is kept, `depth` the number of messages around `type`'s.
  bool ParseFields(const MessageType& type, wire::Span fields, int depth,
                   Message* message);
  bool ParseNumber(const MessageType& type, const Field& field,
                   wire::Cursor* cursor, Message* message);
  bool ParseLen(const MessageType& type, const Field& field, wire::Span value,
                int depth, Message* message);
  bool CheckPacked(const MessageType& type, wire::Span run);
  bool Fail(const MessageType& type, const uint8_t* at, const char* what);
  bool Fail(const MessageType& type, const wire::Cursor& cursor) {
    return Fail(type, cursor.position(), wire::FaultText(cursor.fault()));
  }

  wire::Span bytes_;
  std::string error_;
};

}  // namespace headrace::schema

#endif  // HEADRACE_SRC_SCHEMA_BINARY_PARSER_H_
