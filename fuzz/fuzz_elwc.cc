// Any bytes are lists of Examples, decoded by a spec that the input chooses.

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/decode_check.h"
#include "fuzz/fuzzing.h"
#include "fuzz/rows_input.h"
#include "headrace/message.h"
#include "src/exchange/json/json_lines.h"
#include "tests/naive/protobuf_oracle.h"
#include "tests/random/random_lists.h"

namespace headrace::fuzzing {
namespace {

using testing::RandomLists;

MessageType MessageOf(const RowsInput& input) {
  return input.plan_seed() % 4 == 0 ? MessageType::kExampleInExample
                                    : MessageType::kElwc;
}

FeatureSpec SpecOf(const RowsInput& input) {
  return RandomLists(input.plan_seed()).NextSpec(MessageOf(input));
}

// Plain messages and lines of JSON accept what libprotobuf accepts.
void CheckMessages(const std::vector<std::string>& rows) {
  JsonLineWriter writer(MessageType::kElwc);
  for (const std::string& row : rows) {
    const bool accepted = testing::ProtobufParseList(row).has_value();
    const auto message = ParseMessage(row, MessageType::kElwc);
    std::string line;
    Require(message.ok() == accepted, "another message than libprotobuf's");
    Require(writer.Append(row, &line).ok() == accepted, "another line");
    if (!accepted) continue;
    const auto written = SerializeMessage(*message);
    Require(written.ok(), "no bytes");
    const auto expected = testing::ProtobufParseList(row);
    const auto again = testing::ProtobufParseList(*written);
    Require(again && testing::Agree(*again, *expected), "other bytes");
  }
}

}  // namespace

void CheckInput(std::string_view input) {
  const RowsInput rows = RowsInput::Parse(input);
  CheckSpec(SpecOf(rows), rows.rows);
  CheckMessages(rows.rows);
}

std::string NewInput(Random* random) {
  RowsInput input;
  input.choices = random->Bytes(RowsInput::kChoices);
  const FeatureSpec spec = SpecOf(input);
  RandomLists lists(random->Bits());
  for (size_t rows = 1 + random->Below(4); rows > 0; --rows) {
    input.rows.push_back(lists.NextRecord(spec));
  }
  return input.Write();
}

std::string ChangeInput(std::string_view input, Random* random) {
  return ChangeRows(input, random);
}

}  // namespace headrace::fuzzing
