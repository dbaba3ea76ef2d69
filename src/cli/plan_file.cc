#include "src/cli/plan_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "headrace/feature_spec.h"
#include "headrace/schema.h"

namespace headrace::cli {
namespace {

// Beyond this it is some other file.
constexpr size_t kMostBytes = size_t{64} << 20;

Status FileError(const std::string& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return Status(
      ErrorInfo{.code = missing ? ErrorCode::kNotFound : ErrorCode::kIo,
                .message = std::generic_category().message(error),
                .file = path});
}

Result<std::string> ReadText(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return FileError(path, errno);
  std::string text;
  std::array<char, 4096> part;
  while (text.size() <= kMostBytes) {
    const size_t size = std::fread(part.data(), 1, part.size(), file.get());
    if (size == 0 && std::ferror(file.get())) return FileError(path, errno);
    if (size == 0) return text;
    text.append(part.data(), size);
  }
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

Result<Plan> PlanOfSpec(const std::string& text) {
  Result<FeatureSpec> spec = FeatureSpec::FromJson(text);
  if (!spec) return spec.status();
  return Plan::Compile(*spec);
}

// The columns of these names, in that order. Feature lists come last in a plan.
Result<Plan> SelectColumns(const Plan& plan,
                           const std::vector<std::string>& names) {
  std::vector<ColumnField> columns;
  for (const std::string& name : names) {
    const size_t before = columns.size();
    std::copy_if(plan.columns().begin(), plan.columns().end(),
                 std::back_inserter(columns),
                 [&](const ColumnField& c) { return c.name == name; });
    if (columns.size() == before) {
      return Status(ErrorInfo{
          .code = ErrorCode::kBadSpec,
          .message = "--features: the schema has no feature \"" + name + "\"",
          .feature = name});
    }
  }
  std::stable_partition(columns.begin(), columns.end(),
                        [](const ColumnField& c) { return !c.in_sequence; });
  return Plan::ForColumns(std::move(columns), plan.message(),
                          /*sequence_struct=*/false);
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
    return SelectColumns(*plan, names);
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
