// ParseBinary makes a message of message_table.h from protobuf's wire format.
// It accepts and merges the same bytes as libprotobuf (C++)
// (docs/semantics.md).

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "headrace/status.h"
#include "src/plan/tfmd/message_table.h"
#include "src/plan/tfmd/parsed_message.h"
#include "wire/cursor.h"
#include "wire/utf8.h"
#include "wire/wire.h"

namespace headrace::tfmd_forms {
namespace {

wire::WireType WireTypeOf(FieldType type) {
  switch (type) {
    case FieldType::kFloat:
      return wire::kFixed32;
    case FieldType::kDouble:
      return wire::kFixed64;
    case FieldType::kString:
    case FieldType::kBytes:
    case FieldType::kMessage:
      return wire::kLen;
    default:
      return wire::kVarint;
  }
}

// Lists of int64 may also be packed; no other field of a Schema could be.
bool MayHave(const Field& field, wire::WireType type) {
  return type == WireTypeOf(field.type()) ||
         (type == wire::kLen && field.repeated() &&
          field.type() == FieldType::kInt64);
}

bool Keeps(const Field& field, const ParsedMessage* message) {
  return message != nullptr && field.is_kept();
}

// Turns a varint into a value of the field. Returns false if the field cannot
// have the value; the field then counts as unknown.
bool FromVarint(const Field& field, uint64_t* value) {
  switch (field.type()) {
    case FieldType::kBool:
      *value = *value != 0;
      return true;
    case FieldType::kEnum: {
      // Numbers are read modulo 2^32.
      const auto number = static_cast<int32_t>(*value);
      *value = static_cast<uint64_t>(int64_t{number});
      const EnumTable& type = field.enumeration();
      return type.open || type.Find(number) != nullptr;
    }
    default:
      return true;
  }
}

// Clears the other members of a oneof, one of which is now set.
void ClearOthers(const Field& field, ParsedMessage* message) {
  if (message == nullptr || !field.in_oneof()) return;
  for (size_t i = 0; i < message->values.size(); ++i) {
    const Field& other = message->type->fields[i];
    if (other.label == field.label && &other != &field) {
      message->values[i] = std::monostate();
    }
  }
}

// A parser reads one serialized Schema.
class BinaryParser {
 public:
  explicit BinaryParser(std::string_view bytes) : bytes_(wire::SpanOf(bytes)) {}

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

Result<ParsedMessage> BinaryParser::Parse() {
  ParsedMessage message = {&SchemaMessage()};
  if (!ParseFields(SchemaMessage(), bytes_, 0, &message)) {
    return Status(ErrorCode::kBadSpec, error_);
  }
  return message;
}

bool BinaryParser::Fail(const MessageTable& type, const uint8_t* at,
                        const char* what) {
  error_ = "byte " + std::to_string(at - bytes_.data) +
           " of the serialized Schema: " + what + ", in " +
           std::string(type.name);
  return false;
}

bool BinaryParser::ParseFields(const MessageTable& type, wire::Span fields,
                               int depth, ParsedMessage* message) {
  wire::Cursor cursor(fields);
  while (!cursor.done()) {
    uint32_t tag;
    if (!cursor.ReadTag(&tag)) return Fail(type, cursor);
    const Field* const field = type.Find(tag >> 3);
    const auto wire_type = static_cast<wire::WireType>(tag & 7);
    if (field == nullptr || !MayHave(*field, wire_type)) {
      if (!cursor.SkipValue(tag, depth)) return Fail(type, cursor);
    } else if (wire_type == wire::kLen) {
      wire::Span value;
      if (!cursor.ReadLen(&value)) return Fail(type, cursor);
      if (!ParseLen(type, *field, value, depth, message)) return false;
    } else if (!ParseNumber(type, *field, &cursor, message)) {
      return false;
    }
  }
  return true;
}

bool BinaryParser::ParseNumber(const MessageTable& type, const Field& field,
                               wire::Cursor* cursor, ParsedMessage* message) {
  const bool kept = Keeps(field, message);
  if (WireTypeOf(field.type()) == wire::kVarint) {
    uint64_t value;
    if (!cursor->ReadVarint(&value)) return Fail(type, *cursor);
    if (!FromVarint(field, &value)) return true;
    ClearOthers(field, message);
    if (kept) message->Set(field, value);
    return true;
  }
  // The field is a double or a float.
  const uint8_t* const bytes = cursor->position();
  const uint32_t tag = field.number << 3 | WireTypeOf(field.type());
  if (!cursor->SkipValue(tag, 0)) return Fail(type, *cursor);
  ClearOthers(field, message);
  if (!kept) return true;
  const double value = field.type() == FieldType::kFloat
                           ? std::bit_cast<float>(wire::LoadFixed32(bytes))
                           : std::bit_cast<double>(wire::LoadFixed64(bytes));
  message->Set(field, value);
  return true;
}

bool BinaryParser::ParseLen(const MessageTable& type, const Field& field,
                            wire::Span value, int depth,
                            ParsedMessage* message) {
  const bool kept = Keeps(field, message);
  switch (field.type()) {
    case FieldType::kInt64:
      return CheckPacked(type, value);
    case FieldType::kMessage: {
      if (depth == wire::kMaxDepth) {
        return Fail(type, value.data,
                    "more than 100 messages inside one another");
      }
      ClearOthers(field, message);
      // A message that occurs twice is merged, so its fields so far stay.
      ParsedMessage* const inner = kept ? message->MakeMessage(field) : nullptr;
      return ParseFields(field.message(), value, depth + 1, inner);
    }
    default: {
      const bool utf8 = field.type() == FieldType::kString &&
                        type.syntax != MessageTable::Syntax::kProto2;
      if (utf8 && !wire::IsUtf8(value)) {
        return Fail(type, value.data, "a string that is not UTF-8");
      }
      ClearOthers(field, message);
      if (kept) {
        message->Set(field, std::string(wire::TextOf(value)));
      }
      return true;
    }
  }
}

bool BinaryParser::CheckPacked(const MessageTable& type, wire::Span run) {
  wire::Cursor cursor(run);
  while (!cursor.done()) {
    uint64_t ignored;
    if (!cursor.ReadVarint(&ignored)) return Fail(type, cursor);
  }
  return true;
}

}  // namespace

Result<ParsedMessage> ParseBinary(std::string_view bytes) {
  return BinaryParser(bytes).Parse();
}

}  // namespace headrace::tfmd_forms
