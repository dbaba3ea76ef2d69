#include "fuzz/file_input.h"

#include <algorithm>

#include "headrace/fuzzing.h"
#include "tests/support/record_file.h"

namespace headrace::fuzzing {
namespace {

using testing::FramedRecord;

std::string NewChoices(Random* random) { return random->Bytes(kFileChoices); }

std::string NewPayload(Random* random) {
  if (random->OneIn(3)) {
    return testing::RandomExample(random->Bits(), {}).Next();
  }
  // A rescan may take a file in a file for records.
  std::string payload = random->Bytes(random->Below(20));
  if (random->OneIn(4)) payload += FramedRecord(payload);
  return payload;
}

}  // namespace

std::string NewFile(Random* random) {
  std::string input = NewChoices(random);
  for (size_t i = random->Below(5); i > 0; --i) {
    input += FramedRecord(NewPayload(random));
  }
  return input;
}

std::string ChangeFile(std::string_view input, Random* random) {
  if (input.size() <= kFileChoices || random->OneIn(12)) {
    const std::string_view file =
        input.substr(std::min<size_t>(input.size(), kFileChoices));
    return NewChoices(random).append(file);
  }
  Choice choice(random->Bits());
  return std::string(input.substr(0, kFileChoices)) +
         RecordsMutator::Mutate(
             input.substr(kFileChoices), &choice,
             [random] { return NewPayload(random); },
             [&choice](std::string_view payload) {
               return MessageMutator(&choice).Mutate(payload);
             });
}

}  // namespace headrace::fuzzing
