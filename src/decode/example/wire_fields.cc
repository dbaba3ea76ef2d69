#include "src/decode/example/wire_fields.h"

#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace {
namespace {

constexpr uint32_t kTypeBits = 3;

// Reads a group after its start tag. `content` leaves out the end tag.
bool ReadGroup(wire::Cursor* cursor, uint32_t number,
               std::string_view* content) {
  const uint8_t* const begin = cursor->position();
  while (true) {
    const uint8_t* const end = cursor->position();
    uint32_t tag;
    if (!cursor->ReadTag(&tag)) return false;
    if ((tag & ((1u << kTypeBits) - 1)) == wire::kEndGroup) {
      *content = wire::TextOf({begin, static_cast<size_t>(end - begin)});
      return tag >> kTypeBits == number;
    }
    if (!cursor->SkipValue(tag, /*depth=*/1)) return false;
  }
}

bool ReadField(wire::Cursor* cursor, WireField* field) {
  uint32_t tag;
  if (!cursor->ReadTag(&tag)) return false;
  field->number = tag >> kTypeBits;
  const uint32_t type = tag & ((1u << kTypeBits) - 1);
  field->type = static_cast<WireType>(type);
  switch (type) {
    case wire::kVarint:
      return cursor->ReadVarint(&field->value);
    case wire::kLen: {
      wire::Span span;
      if (!cursor->ReadLen(&span)) return false;
      field->bytes = wire::TextOf(span);
      return true;
    }
    case wire::kStartGroup:
      return ReadGroup(cursor, field->number, &field->bytes);
    case wire::kFixed32: {
      uint32_t value;
      if (!cursor->ReadFixed32(&value)) return false;
      field->value = value;
      return true;
    }
    case wire::kFixed64: {
      const uint8_t* const begin = cursor->position();
      if (!cursor->SkipValue(tag, /*depth=*/0)) return false;
      field->value = wire::LoadFixed64(begin);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

std::optional<WireMessage> ReadWireFields(std::string_view payload,
                                          size_t most) {
  WireMessage message;
  wire::Cursor cursor(wire::SpanOf(payload));
  while (!cursor.done()) {
    WireField field;
    if (!ReadField(&cursor, &field)) return std::nullopt;
    if (message.fields.size() < most) message.fields.push_back(field);
    ++message.num_fields;
  }
  return message;
}

}  // namespace headrace
