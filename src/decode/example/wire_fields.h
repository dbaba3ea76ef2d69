// ReadWireFields: what protobuf's wire format says of a message whose type
// nobody knows.
//
//   if (auto message = headrace::ReadWireFields(payload, 100)) {
//     for (const headrace::WireField& field : message->fields) Use(field);
//   }

#ifndef HEADRACE_SRC_DECODE_EXAMPLE_WIRE_FIELDS_H_
#define HEADRACE_SRC_DECODE_EXAMPLE_WIRE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headrace {

// How a field is written; the numbers are those of the wire.
enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLen = 2,  // bytes, a string, a message or packed numbers
  kGroup = 3,
  kFixed32 = 5,
};

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;           // of a number
  std::string_view bytes = {};  // of kLen and kGroup; lies in the payload
};

struct WireMessage {
  std::vector<WireField> fields;  // the first, as they lie in the payload
  uint64_t num_fields = 0;        // of all
};

// Returns the first `most` fields of the payload, but not those of messages
// inside of it; nothing if the bytes are not framed like a message, as
// libprotobuf judges it. The payload must not change during the call.
std::optional<WireMessage> ReadWireFields(std::string_view payload,
                                          size_t most);

}  // namespace headrace

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_WIRE_FIELDS_H_
