#include "src/cli/plan_file.h"

#include <utility>

#include "headrace/byte_reader.h"
#include "headrace/feature_spec.h"
#include "headrace/schema.h"

namespace headrace::cli {
namespace {

// A larger file is no spec or schema.
constexpr size_t kMostBytes = size_t{64} << 20;

}  // namespace

Result<std::string> ReadText(const std::string& path) {
  Result<ByteReader> file =
      ByteReader::Open(path, {.compression = Compression::kNone});
  if (!file) return file.status();
  std::string text;
  auto part = file->Next();
  for (; part && text.size() <= kMostBytes; part = file->Next()) text += *part;
  if (!part.ok()) return part.status();
  if (text.size() <= kMostBytes) return text;
  return Status(
      ErrorInfo{.code = ErrorCode::kBadSpec,
                .message = "more than 64 MiB, which no spec or schema has",
                .file = path});
}

Status WithFile(const Status& error, const std::string& path) {
  ErrorInfo info = *error.info();
  info.file = path;
  return Status(std::move(info));
}

namespace {

Result<Plan> PlanOfSpec(const std::string& text) {
  Result<FeatureSpec> spec = FeatureSpec::FromJson(text);
  if (!spec) return spec.status();
  return Plan::Compile(*spec);
}

Result<Plan> PlanOfSchema(const PlanFile& file, const std::string& text,
                          const std::vector<std::string>& names,
                          MessageType message, const Console& console) {
  Result<Schema> schema = Schema::Parse(text);
  if (!schema) return schema.status();
  for (const std::string& warning : schema->Warnings()) {
    console.Note(file.schema + ": " + warning);
  }
  if (!file.tensors) {
    Result<Plan> plan = Plan::ForColumnsOf(*schema, message);
    if (!plan || names.empty()) return plan;
    return plan->Select(names);
  }
  if (!names.empty()) {
    Result<Schema> projected = schema->Project(names);
    if (!projected) return projected.status();
    schema = *std::move(projected);
  }
  return Plan::Compile(*schema, {}, message);
}

}  // namespace

Result<Plan> ReadPlan(const PlanFile& file,
                      const std::vector<std::string>& names,
                      const Console& console, InputOptions* input) {
  Result<std::string> text = ReadText(file.path());
  if (!text) return text.status();
  Result<Plan> plan = file.spec.empty() ? PlanOfSchema(file, *text, names,
                                                       input->message, console)
                                        : PlanOfSpec(*text);
  if (!plan) return WithFile(plan.status(), file.path());
  const MessageType wanted = plan->message();
  if (input->message != MessageType::kAuto && input->message != wanted) {
    return Status(ErrorCode::kInvalidArgument,
                  "--message " + std::string(MessageTypeName(input->message)) +
                      ", but " + file.path() + " is for --message " +
                      std::string(MessageTypeName(wanted)));
  }
  input->message = wanted;
  return plan;
}

}  // namespace headrace::cli
