// libprotobuf (C++) judges what a record says. Python's protobuf cannot: it
// accepts and rejects other bytes.

#ifndef HEADRACE_TESTS_NAIVE_PROTOBUF_ORACLE_H_
#define HEADRACE_TESTS_NAIVE_PROTOBUF_ORACLE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/types.h"
#include "tests/naive/naive_decoder.h"

namespace headrace::testing {

// Empty for bytes that libprotobuf rejects. `type` is kExample or kSequence.
std::optional<NaiveMessage> ProtobufParse(std::string_view bytes,
                                          MessageType type);

// The messages of a list of Examples, in canonical form.
struct ProtobufList {
  std::string context = {};
  std::vector<std::string> examples = {};
};

// Whether both say the same; an Example may have an empty `features`, or none.
bool Agree(const ProtobufList& a, const ProtobufList& b);

// Empty for bytes that libprotobuf rejects as ExampleListWithContext.
std::optional<ProtobufList> ProtobufParseList(std::string_view bytes);

// libprotobuf reads `bytes` and writes the message again, with map keys in
// order; empty when it rejects them.
std::optional<std::string> ProtobufCanonical(std::string_view bytes,
                                             MessageType type);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_PROTOBUF_ORACLE_H_
