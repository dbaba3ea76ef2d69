// Any bytes are one message for us and for libprotobuf: both must accept the
// same bytes, read the same and write the same. They become the line of JSON
// that their message becomes.

#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "headrace/message.h"
#include "src/exchange/json/json_lines.h"
#include "tests/agreement/wire_agreement.h"
#include "tests/naive/naive_json.h"
#include "tests/naive/protobuf_oracle.h"
#include "tests/random/mutator.h"

namespace headrace::fuzzing {
namespace {

constexpr size_t kLongest = 4096;

// A message that is written again must mean the same, and be written the same
// once more.
void CheckSerialized(std::string_view bytes, MessageType type) {
  const Result<Message> message = ParseMessage(bytes, type);
  if (!message.ok()) return;
  const Result<std::string> written = SerializeMessage(*message);
  Require(written.ok(), written.status().ToString());
  Require(testing::ProtobufParse(*written, type) ==
              testing::ProtobufParse(bytes, type),
          "libprotobuf reads what is written otherwise");
  const Result<Message> again = ParseMessage(*written, type);
  Require(again.ok(), again.status().ToString());
  Require(*SerializeMessage(*again) == *written, "written otherwise");
}

// The writer remembers the keys of all inputs.
void CheckLine(std::string_view bytes, MessageType type,
               JsonLineWriter* writer) {
  const Result<Message> message = ParseMessage(bytes, type);
  std::string expected;
  if (message.ok()) testing::AppendJsonMessage(*message, &expected);
  std::string line;
  const Status status = writer->Append(bytes, &line);
  Require(status.ToString() == message.status().ToString(), "another error");
  Require(line == expected, "another line");
}

}  // namespace

void CheckInput(std::string_view input) {
  // Mapping its guard pages takes longer than many checks.
  static auto* const agreement = new testing::Agreement(kLongest);
  static auto* const example = new JsonLineWriter(MessageType::kExample);
  static auto* const sequence = new JsonLineWriter(MessageType::kSequence);
  input = input.substr(0, kLongest);
  for (const MessageType type :
       {MessageType::kExample, MessageType::kSequence}) {
    Require(agreement->Check(input, type));
    CheckSerialized(input, type);
    CheckLine(input, type, type == MessageType::kExample ? example : sequence);
  }
}

std::string NewInput(Random* random) {
  testing::RandomExample examples(
      random->Bits(), {.plain = random->OneIn(4), .one_kind_a_key = false});
  return random->OneIn(2) ? examples.Next() : examples.NextSequence();
}

std::string ChangeInput(std::string_view input, Random* random) {
  return testing::Mutator(random->Bits()).Mutate(input);
}

}  // namespace headrace::fuzzing
