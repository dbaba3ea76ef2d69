// ReadWireFields shows what protobuf's wire format says about a message of
// unknown type.
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

// How a field is encoded; the numbers are those of the wire format.
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
  std::string_view bytes = {};  // of kLen and kGroup; points into the payload
};

struct WireMessage {
  std::vector<WireField> fields;  // the first ones, in wire order
  uint64_t num_fields = 0;        // in all
};

// Returns the first `most` fields of the payload, without those of nested
// messages; nothing if libprotobuf would not accept the bytes as a message. The
// payload must not change during the call.
std::optional<WireMessage> ReadWireFields(std::string_view payload,
                                          size_t most);

}  // namespace headrace

#endif  // HEADRACE_SRC_DECODE_EXAMPLE_WIRE_FIELDS_H_
