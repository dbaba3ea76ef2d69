#include "src/cli/plan_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "src/cli/process/descriptor.h"
#include "src/read/reader/byte_reader.h"

namespace headrace::cli {
namespace {

// A larger file is not a spec or schema.
constexpr size_t kMaxBytes = size_t{64} << 20;

Status Failed(const std::string& path, const char* what) {
  return Status(
      ErrorInfo{.code = ErrorCode::kIo, .message = what, .file = path});
}

bool IsPipe(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
}

// Reads the pipe of `--spec <(command)`, which has a writer. Opening a pipe
// without a writer would block for ever, so this opens it without blocking.
Status ReadPipe(const std::string& path, std::string* text) {
  const Descriptor pipe(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (pipe.fd() < 0) return Failed(path, std::strerror(errno));
  std::array<char, 4096> buffer;
  while (text->size() <= kMaxBytes) {
    const ssize_t size = read(pipe.fd(), buffer.data(), buffer.size());
    if (size == 0) break;
    if (size > 0) {
      text->append(buffer.data(), static_cast<size_t>(size));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) {
      return Failed(path, std::strerror(errno));
    }
    pollfd waiting = {.fd = pipe.fd(), .events = POLLIN, .revents = 0};
    static_cast<void>(poll(&waiting, 1, -1));
  }
  return text->empty() ? Failed(path, "a pipe into which nobody writes")
                       : Status();
}

Status ReadFile(const std::string& path, std::string* text) {
  Result<ByteReader> file =
      ByteReader::Open(path, {.compression = Compression::kNone});
  if (!file) return file.status();
  auto part = file->Next();
  for (; part && text->size() <= kMaxBytes; part = file->Next()) {
    *text += *part;
  }
  return part.status();
}

bool IsRegular(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// Vocabulary files are beside the spec, unless that comes through a pipe.
Result<Plan> PlanOfSpec(const PlanFile& file, const std::string& text) {
  SpecJsonOptions options{.files = file.vocabulary_files};
  const size_t slash = file.spec.rfind('/');
  if (slash != std::string::npos && IsRegular(file.spec)) {
    options.folder = file.spec.substr(0, slash + 1);
  }
  Result<FeatureSpec> spec = FeatureSpec::FromJson(text, options);
  if (!spec) return spec.status();
  return Plan::Compile(*spec);
}

Result<Plan> PlanOfSchema(const PlanFile& file, const std::string& text,
                          const std::vector<std::string>& names,
                          const InputOptions& input) {
  Result<Schema> schema = Schema::Parse(text);
  if (!schema) return schema.status();
  for (const std::string& warning : schema->Warnings()) {
    input.console().Note(file.schema + ": " + warning);
  }
  if (!file.tensors) {
    Result<Plan> plan = Plan::ForColumnsOf(*schema, input.message);
    return plan && !names.empty() ? plan->Select(names) : plan;
  }
  if (!names.empty()) {
    schema = schema->Project(names);
    if (!schema) return schema.status();
  }
  return Plan::Compile(*schema, {}, input.message);
}

}  // namespace

Result<std::string> ReadText(const std::string& path) {
  std::string text;
  Status status = IsPipe(path) ? ReadPipe(path, &text) : ReadFile(path, &text);
  if (!status.ok()) return status;
  if (text.size() <= kMaxBytes) return text;
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

Status ReadPlan(const PlanFile& file, const std::vector<std::string>& names,
                InputOptions* input, std::optional<Plan>* plan) {
  if (!file.is_given()) return Status();
  Result<std::string> text = ReadText(file.path());
  if (!text) return text.status();
  Result<Plan> read = file.spec.empty()
                          ? PlanOfSchema(file, *text, names, *input)
                          : PlanOfSpec(file, *text);
  if (!read) {
    // That of a vocabulary has its name.
    const bool is_named = !read.status().info()->file.empty();
    return is_named ? read.status() : WithFile(read.status(), file.path());
  }
  const MessageType wanted = read->message();
  if (input->message != MessageType::kAuto && input->message != wanted) {
    return Status(ErrorCode::kInvalidArgument,
                  "--message " + std::string(MessageTypeName(input->message)) +
                      ", but " + file.path() + " is for --message " +
                      std::string(MessageTypeName(wanted)));
  }
  input->message = wanted;
  *plan = *std::move(read);
  return Status();
}

}  // namespace headrace::cli
