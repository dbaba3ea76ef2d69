// Any bytes are Examples, decoded by a plan that the input chooses.

#include <string>
#include <string_view>

#include "fuzz/decode_check.h"
#include "fuzz/fuzzing.h"
#include "fuzz/rows_input.h"

namespace headrace::fuzzing {

void CheckInput(std::string_view input) {
  CheckDecode(RowsInput::Parse(input), MessageType::kExample);
}

std::string NewInput(Random* random) {
  return NewRows(MessageType::kExample, random);
}

std::string ChangeInput(std::string_view input, Random* random) {
  return ChangeRows(input, random);
}

}  // namespace headrace::fuzzing
