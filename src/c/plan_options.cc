#include "src/c/plan_options.h"

#include <string_view>
#include <utility>

#include "headrace/schema.h"
#include "src/base/json/json_text.h"
#include "src/c/error.h"
#include "src/plan/spec/spec_json_reader.h"

namespace headrace::c {
namespace {

using spec::JsonValue;

// A serialized schema may have any bytes; JSON has them as {"b64": "..."}.
std::optional<std::string> BytesFrom(const JsonValue& value) {
  if (const auto* const text = value.As<std::string>()) return *text;
  const auto* const object = value.As<JsonValue::Object>();
  if (object == nullptr || object->size() != 1) return std::nullopt;
  const JsonValue* const base64 = Find(*object, "b64");
  const auto* const text = base64 ? base64->As<std::string>() : nullptr;
  return text ? ParseBase64(*text) : std::nullopt;
}

Result<Plan> PlanOfSpec(const JsonValue& json, bool files,
                        const PlanOptions& given) {
  const Result<FeatureSpec> spec = spec::ReadSpec(json, {.files = files});
  if (!spec) return spec.status();
  const MessageType message = spec->message();
  if (given.message != MessageType::kAuto && given.message != message) {
    return InvalidArgument(
        "\"message\" is \"" + std::string(NameOf(given.message)) +
        "\", but the spec is for \"" + std::string(NameOf(message)) + "\"");
  }
  if (!given.features.empty()) {
    return InvalidArgument(
        "\"columns\" cannot be combined with a spec: leave features out of "
        "the spec instead");
  }
  return Plan::Compile(*spec);
}

Result<Plan> PlanOfSchema(const std::string& bytes, bool tensors,
                          const PlanOptions& given) {
  Result<Schema> schema = Schema::Parse(bytes);
  if (!schema) return schema.status();
  if (!tensors) {
    const Result<Plan> plan = Plan::ForColumnsOf(*schema, given.message);
    if (!plan || given.features.empty()) return plan;
    return plan->Select(given.features);
  }
  if (!given.features.empty()) {
    schema = schema->Project(given.features);
    if (!schema) return schema.status();
  }
  return Plan::Compile(*schema, {}, given.message);
}

}  // namespace

Result<std::optional<Plan>> TakePlan(GivenOptions* options,
                                     const PlanOptions& given) {
  bool tensors = false;
  bool files = true;
  options->Take("tensors", &tensors);
  options->Take("files", &files);
  const JsonValue* const spec = options->Get("spec");
  const JsonValue* const schema = options->Get("schema");
  const std::optional<std::string> bytes =
      schema ? BytesFrom(*schema) : std::nullopt;
  if (spec && schema) {
    options->Complain(InvalidArgument("give \"spec\" or \"schema\", not both"));
  } else if (schema && !bytes) {
    options->Refuse("schema", *schema,
                    "the text of a schema, or {\"b64\": \"...\"} of its bytes");
  } else if (tensors && !schema) {
    options->Complain(InvalidArgument("\"tensors\" is for a \"schema\""));
  }
  if ((!spec && !schema) || !options->problem().ok()) {
    return std::optional<Plan>();
  }
  Result<Plan> plan = spec ? PlanOfSpec(*spec, files, given)
                           : PlanOfSchema(*bytes, tensors, given);
  if (!plan) return plan.status();
  return std::optional<Plan>(*std::move(plan));
}

}  // namespace headrace::c
