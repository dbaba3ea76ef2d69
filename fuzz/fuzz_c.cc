// Options of the C interface, a NUL, and a message: a plan that they compile to
// decodes the message, and codes, errors and structures agree.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "fuzz/text_input.h"
#include "headrace/c.h"
#include "headrace/feature_spec.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/random/random_tensors.h"

namespace headrace::fuzzing {
namespace {

// True for success.
bool CheckError(int32_t code, headrace_error* error) {
  Require((code == HEADRACE_OK) == (error == nullptr), "code without error");
  if (error == nullptr) return true;
  Require(error->code == code, "the error has another code");
  Require(*error->message != '\0', "an error without a message");
  Require(code != HEADRACE_INTERNAL, error->message);
  headrace_error_free(error);
  return false;
}

void CheckDecode(const headrace_plan* plan, std::string_view message) {
  const void* const record = message.data();
  const size_t size = message.size();
  ArrowArray array;
  ArrowSchema schema;
  headrace_error* error = nullptr;
  const int32_t code = headrace_decode(plan, &record, &size, 1, nullptr, &array,
                                       &schema, &error);
  const bool ok = CheckError(code, error);
  Require(ok == (array.release != nullptr), "an array after a failure");
  Require(ok == (schema.release != nullptr), "a schema after a failure");
  if (!ok) return;
  const std::string violation = testing::Violation(schema, array);
  Require(violation.empty(), violation);
  array.release(&array);
  schema.release(&schema);
}

void CheckPlan(const headrace_plan* plan, std::string_view message) {
  headrace_error* error = nullptr;
  char* text = nullptr;
  const int32_t code = headrace_plan_text(plan, &text, &error);
  Require(CheckError(code, error) && text != nullptr, "no text");
  headrace_text_free(text);
  CheckDecode(plan, message);
}

}  // namespace

void CheckInput(std::string_view input) {
  const std::string options(input.substr(0, input.find('\0')));
  headrace_plan* plan = nullptr;
  headrace_error* error = nullptr;
  const int32_t code = headrace_plan_compile(options.c_str(), &plan, &error);
  const bool ok = CheckError(code, error);
  Require(ok == (plan != nullptr), "a plan after a failure");
  if (!ok) return;
  CheckPlan(plan, options.size() < input.size()
                      ? input.substr(options.size() + 1)
                      : std::string_view());
  headrace_plan_free(plan);
}

std::string NewInput(Random* random) {
  const MessageType message =
      random->OneIn(2) ? MessageType::kExample : MessageType::kSequence;
  testing::RandomTensors tensors(random->Bits());
  const FeatureSpec spec = tensors.NextSpec(message);
  return "{\"spec\": " + spec.ToJson() + "}" + '\0' + tensors.NextRecord(spec);
}

std::string ChangeInput(std::string_view input, Random* random) {
  return ChangeText(input, random);
}

}  // namespace headrace::fuzzing
