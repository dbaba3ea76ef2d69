#include "src/cli/spec_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "headrace/feature_spec.h"

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
  return Status(ErrorInfo{.code = ErrorCode::kBadSpec,
                          .message = "more than 64 MiB, which no spec has",
                          .file = path});
}

Status WithFile(const Status& error, const std::string& path) {
  ErrorInfo info = *error.info();
  info.file = path;
  return Status(std::move(info));
}

}  // namespace

Result<Plan> ReadSpec(const std::string& path) {
  Result<std::string> text = ReadText(path);
  if (!text) return text.status();
  Result<FeatureSpec> spec = FeatureSpec::FromJson(*text);
  if (!spec) return WithFile(spec.status(), path);
  Result<Plan> plan = Plan::Compile(*spec);
  if (!plan) return WithFile(plan.status(), path);
  return plan;
}

Result<Plan> ReadSpec(const std::string& path, InputOptions* input) {
  Result<Plan> plan = ReadSpec(path);
  if (!plan) return plan;
  const MessageType wanted = plan->message();
  if (input->message != MessageType::kAuto && input->message != wanted) {
    return Status(ErrorCode::kInvalidArgument,
                  "--message " + std::string(MessageTypeName(input->message)) +
                      ", but the spec " + path + " is for --message " +
                      std::string(MessageTypeName(wanted)));
  }
  input->message = wanted;
  return plan;
}

}  // namespace headrace::cli
