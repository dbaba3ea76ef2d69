#include "src/cli/process/console.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "headrace/output_file.h"
#include "src/cli/process/descriptor.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

constexpr size_t kDefaultWidth = 120;
constexpr size_t kNarrowest = 20;

constexpr std::string_view kErase = "\r\x1b[K";

// Threads may write messages while another one draws.
constinit std::mutex stderr_mutex;
bool line_is_drawn = false;

// Each line is one write, so that lines of several programs do not mix. A
// non-blocking stream may accept only a part, and gets the rest later.
void WriteStderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(STDERR_FILENO, text.data(), text.size());
    if (put >= 0) {
      text.remove_prefix(static_cast<size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd waiting = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
      static_cast<void>(poll(&waiting, 1, -1));
    } else if (errno != EINTR) {
      return;  // nobody is left to read it
    }
  }
}

size_t WidthOf(int terminal) {
  winsize size = {};
  if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kDefaultWidth;
  }
  return std::max<size_t>(size.ws_col, kNarrowest);
}

bool HasDumbTerminal() {
  const char* const term = std::getenv("TERM");
  return term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
}

}  // namespace

ExitCode ExitCodeOf(ErrorCode code) {
  if (code == ErrorCode::kOk) return kExitOk;
  if (code == ErrorCode::kInvalidArgument || code == ErrorCode::kBadSpec) {
    return kExitUsage;
  }
  const bool is_io = code == ErrorCode::kNotFound || code == ErrorCode::kIo ||
                     code == ErrorCode::kOutOfMemory ||
                     code == ErrorCode::kCancelled;
  return is_io ? kExitIo : kExitData;
}

void PrepareStandardStreams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The stream is opened in the wrong direction on purpose, so that using it
    // still fails. open() uses the lowest free number, which is fd.
    static_cast<void>(open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY));
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool StandardOutputIsGone() {
  pollfd stream = {.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return poll(&stream, 1, 0) == 1 && (stream.revents & POLLERR) != 0;
}

ExitCode ExitCodeOfOutput(const Status& status) {
  if (status.ok() || StandardOutputIsGone()) return kExitOk;
  return Complain(status);
}

ExitCode Print(std::string_view text) {
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return ExitCodeOfOutput(out.status());
  Status status = out->Write(text);
  if (status.ok()) status = out->Close();
  return ExitCodeOfOutput(status);
}

ExitCode PrintLines(std::string_view text) {
  if (!StandardOutputIsTerminal()) return Print(text);
  std::string shown;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    shown += Printable(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return Print(shown);
}

bool IsTerminal(const std::string& path) {
  if (path == "-") return StandardOutputIsTerminal();
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) return false;
  const Descriptor file(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  return file.fd() >= 0 && isatty(file.fd()) == 1;
}

std::string ForStandardOutput(std::string_view line) {
  return StandardOutputIsTerminal() ? Printable(line) : std::string(line);
}

bool StandardOutputIsTerminal() { return isatty(STDOUT_FILENO) == 1; }

size_t TerminalWidth() {
  return StandardOutputIsTerminal() ? WidthOf(STDOUT_FILENO) : kDefaultWidth;
}

bool UseColor() {
  const char* const no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return !HasDumbTerminal() && StandardOutputIsTerminal();
}

void Complain(std::string_view text) {
  const std::lock_guard lock(stderr_mutex);
  std::string line(std::exchange(line_is_drawn, false) ? kErase : "");
  line += "headrace: " + Printable(text) + "\n";
  WriteStderr(line);
}

ExitCode ComplainUsage(std::string_view text) {
  Complain(text);
  return kExitUsage;
}

ExitCode Complain(const Status& status, std::string_view hint) {
  const ErrorInfo& info = *status.info();
  std::string text = status.ToString();
  // The name of the error class would not help a user who mistyped an option.
  if (info.code == ErrorCode::kInvalidArgument) {
    text = info.file.empty() ? info.message : info.file + ": " + info.message;
  }
  if (!info.feature.empty() && text.find(info.feature) == std::string::npos) {
    text += " (feature \"" + info.feature + "\")";
  }
  Complain(text);
  if (!hint.empty()) Complain(hint);
  const bool has_records = info.offset != kUnknown && info.offset > 0;
  if (info.code == ErrorCode::kDecompress && has_records) {
    Complain(
        "the records before the damage can be saved: "
        "headrace convert --repair");
  }
  return ExitCodeOf(status.code());
}

bool CanRedrawLines() {
  return isatty(STDERR_FILENO) == 1 && !HasDumbTerminal();
}

void DrawLine(std::string_view text) {
  // A line that wraps could not be erased.
  const std::string line = Shortened(text, WidthOf(STDERR_FILENO) - 1);
  const std::lock_guard lock(stderr_mutex);
  WriteStderr("\r" + line + "\x1b[K");
  line_is_drawn = true;
}

void EraseLine() {
  const std::lock_guard lock(stderr_mutex);
  if (std::exchange(line_is_drawn, false)) WriteStderr(kErase);
}

void Console::Note(std::string_view text) const {
  if (!quiet_) Complain(text);
}

void Console::Warn(std::string_view text) const { Complain(text); }

std::string DescribeRegion(const FileRegion& region) {
  // The end of a stream that cannot be inflated is unknown.
  const std::string end = region.region.end == kUnknown
                              ? "end of file"
                              : std::to_string(region.region.end);
  return region.file + " [" + std::to_string(region.region.begin) + ", " + end +
         "): " + std::string(NameOf(region.region.reason));
}

namespace {

void ListSkipped(const ReadReport& report, const Console& console) {
  if (report.num_regions == 0 && report.num_rows == 0) return;
  const std::string all =
      "skipped in all: " + Counted(report.num_regions, "damaged region") +
      ", " + Counted(report.num_rows, "bad row");
  if (console.quiet()) return console.Warn(all);
  for (const FileRegion& loss : report.regions) {
    console.Note("skipped " + DescribeRegion(loss));
  }
  for (const Status& row : report.rows) {
    console.Note("skipped " + row.ToString());
  }
  const uint64_t unlisted = report.num_regions - report.regions.size() +
                            report.num_rows - report.rows.size();
  if (unlisted > 0) console.Note("... and " + Grouped(unlisted) + " more");
  console.Note(all);
}

}  // namespace

void ListLosses(const ReadReport& report, const Console& console) {
  ListSkipped(report, console);
  ListNotices(report, console);
}

}  // namespace headrace::cli
