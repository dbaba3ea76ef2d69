#include "src/cli/process/python_filter.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "src/cli/process/signals.h"
#include "src/cli/text/argument.h"

extern char** environ;

namespace headrace::cli {
namespace {

// The filter writes two lines to this descriptor when it ends: kDone and the
// number of rows that it has read or written, or the name of an error code and
// a text.
constexpr int kReportFd = 3;
constexpr std::string_view kDone = "done";

Status SystemError(std::string_view what) {
  return Status(ErrorCode::kIo,
                std::string(what) + ": " + std::strerror(errno));
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("a pipe");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string Interpreter() {
  const char* const named = std::getenv("HEADRACE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "python3";
}

// Returns empty at the end of the pipe, or after an error, which `status`
// holds.
std::string_view ReadSome(const Descriptor& pipe, std::span<char> buffer,
                          Status* status) {
  while (true) {
    const ssize_t size = read(pipe.fd(), buffer.data(), buffer.size());
    if (size >= 0) return {buffer.data(), static_cast<size_t>(size)};
    if (errno == EINTR) continue;
    *status = SystemError("reading what Python makes");
    return {};
  }
}

}  // namespace

Result<PythonFilter> PythonFilter::Start(
    const std::string& purpose, const std::vector<std::string>& arguments,
    int input) {
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.status();
  Result<Pipe> output = MakePipe();
  if (!output) return output.status();
  Result<Pipe> error = MakePipe();
  if (!error) return error.status();

  PythonFilter filter;
  filter.purpose_ = purpose;
  filter.interpreter_ = Interpreter();
  // With -P no file in the current folder is imported as a module.
  std::vector<std::string> words = {filter.interpreter_, "-P", "-m",
                                    "headrace.filters"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto give = [&actions](int fd, int as) {
    posix_spawn_file_actions_adddup2(&actions, fd, as);
  };
  if (input == kEmpty) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
  } else {
    give(input == kPipe ? pipe->read.fd() : input, STDIN_FILENO);
  }
  give(output->write.fd(), STDOUT_FILENO);
  give(error->write.fd(), kReportFd);
  const int failed = posix_spawnp(&filter.process_, pointers[0], &actions,
                                  nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return Status(ErrorCode::kIo, purpose + ", and there is no Python " +
                                      filter.interpreter_ + " (" +
                                      std::strerror(failed) +
                                      "); HEADRACE_PYTHON may name another");
  }
  if (input == kPipe) filter.input_ = std::move(pipe->write);
  filter.output_ = std::move(output->read);
  filter.error_ = std::move(error->read);
  return filter;
}

PythonFilter::PythonFilter(PythonFilter&& other) noexcept
    : purpose_(std::move(other.purpose_)),
      interpreter_(std::move(other.interpreter_)),
      process_(std::exchange(other.process_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      error_(std::move(other.error_)) {}

void PythonFilter::Stop() {
  if (process_ < 0) return;
  kill(process_, SIGTERM);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

std::string PythonFilter::ReadReport() {
  std::string text;
  Status ignored;
  std::array<char, 4096> buffer;
  while (true) {
    const std::string_view bytes = ReadSome(error_, buffer, &ignored);
    if (bytes.empty()) return text;
    text += bytes;
  }
}

Status PythonFilter::Wait(uint64_t expected) {
  if (process_ < 0) return Status();
  const std::string report = ReadReport();
  int how = 0;
  while (waitpid(process_, &how, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  const size_t end = report.find('\n');
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) {
    uint64_t count = 0;
    if (end == std::string::npos || report.substr(0, end) != kDone ||
        !ParseNumber(std::string_view(report).substr(end + 1), &count)) {
      return Failed(
          "ended before it was done; HEADRACE_PYTHON may name another "
          "interpreter");
    }
    if (expected == kUnknown || count == expected) return Status();
    return Failed("has counted " + std::to_string(count) + ", but there are " +
                  std::to_string(expected));
  }
  if (end != std::string::npos) {
    const auto code =
        ParseName<ErrorCode>(std::string_view(report).substr(0, end));
    return Status(code.value_or(ErrorCode::kIo), report.substr(end + 1));
  }
  return Failed(
      "failed; it needs the package headrace, and HEADRACE_PYTHON may name "
      "another interpreter that has it");
}

Status PythonFilter::Failed(const std::string& how) const {
  return Status(ErrorCode::kIo, purpose_ + ", and \"" + interpreter_ +
                                    " -m headrace.filters\" " + how);
}

Result<std::unique_ptr<FilteredSink>> FilteredSink::Open(
    const std::string& path, const std::string& purpose,
    const std::vector<std::string>& arguments) {
  Result<OutputFile> file = OpenOutput(path);
  if (!file) return file.status();
  Result<PythonFilter> filter =
      PythonFilter::Start(purpose, arguments, PythonFilter::kPipe);
  if (!filter) return filter.status();
  return std::unique_ptr<FilteredSink>(
      new FilteredSink(*std::move(file), *std::move(filter)));
}

FilteredSink::FilteredSink(OutputFile file, PythonFilter filter)
    : file_(std::move(file)), filter_(std::move(filter)) {
  copier_ = std::thread([this] { Copy(); });
}

FilteredSink::~FilteredSink() {
  filter_.Stop();
  if (copier_.joinable()) copier_.join();
}

void FilteredSink::Copy() {
  std::vector<char> buffer(size_t{256} << 10);
  while (copied_.ok()) {
    const std::string_view bytes = ReadSome(filter_.output(), buffer, &copied_);
    if (bytes.empty()) break;
    copied_ = file_.Write(bytes);
  }
  // After an error the filter must not wait for a reader.
  filter_.output().Close();
}

Status FilteredSink::Write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t size =
        write(filter_.input().fd(), bytes.data(), bytes.size());
    if (size >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(size));
    } else if (errno == EPIPE) {
      // The filter ended early, and has said why.
      const Status status = End();
      return status.ok() ? SystemError("writing to Python") : status;
    } else if (errno != EINTR) {
      return SystemError("writing to Python");
    }
  }
  return Status();
}

Status FilteredSink::Close() {
  if (Status status = End(); !status.ok()) return status;
  return file_.Close();
}

Status FilteredSink::End() {
  filter_.input().Close();
  if (copier_.joinable()) copier_.join();
  // If the file cannot be written, that is why the filter could not go on.
  if (!copied_.ok()) return copied_;
  return filter_.Wait(rows_);
}

}  // namespace headrace::cli
