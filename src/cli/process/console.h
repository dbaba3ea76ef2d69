// The program's output: text on standard output, messages on standard error,
// and exit codes.

#ifndef HEADRACE_SRC_CLI_PROCESS_CONSOLE_H_
#define HEADRACE_SRC_CLI_PROCESS_CONSOLE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "headrace/reader.h"
#include "headrace/status.h"

namespace headrace::cli {

// The exit codes, as docs/cli.md explains them.
enum ExitCode : int {
  kExitOk = 0,
  kExitData = 1,   // the data is bad
  kExitUsage = 2,  // the request is bad
  kExitIo = 3,     // missing, unreadable, no space
};
ExitCode ExitCodeOf(ErrorCode code);

// Opens those of the three standard streams that are closed, so that no file
// gets their numbers. Makes writes fail with EPIPE instead of SIGPIPE, and with
// EFBIG instead of SIGXFSZ.
void PrepareStandardStreams();

// Returns whether the reader of standard output has gone; the program then ends
// silently.
bool StandardOutputIsGone();
// Returns the exit code after a write to standard output: success even if its
// reader has gone.
ExitCode ExitCodeOfOutput(const Status& status);
ExitCode Print(std::string_view text);
// Prints lines that may have unescaped names, as ForStandardOutput does.
ExitCode PrintLines(std::string_view text);

bool StandardOutputIsTerminal();
// Whether the output is a terminal; "-" is standard output.
bool IsTerminal(const std::string& path);
// Returns a line with names and values for standard output: unchanged or, on a
// terminal, Printable, so that bytes of a file never drive the terminal. All
// text that is not already Printable goes through here.
std::string ForStandardOutput(std::string_view line);
// Returns the columns of standard output's terminal; 120 without one.
size_t TerminalWidth();
// Returns true on a terminal that is not dumb, unless NO_COLOR is set.
bool UseColor();

// Writes one line to standard error: "headrace: " and the text, made printable.
void Complain(std::string_view text);
// Complains and returns the exit code. `hint` is added as a separate line.
ExitCode Complain(const Status& status, std::string_view hint = {});
// Complains about what was asked for, and returns kExitUsage.
ExitCode ComplainUsage(std::string_view text);

// Returns whether standard error is a terminal that is not dumb.
bool CanRedrawLines();
// Draws one line of Printable text on standard error, over the line drawn
// before. The next complaint erases it first. Any thread may draw and erase.
void DrawLine(std::string_view text);
void EraseLine();

// Writes lines that are worth writing unless --quiet is given.
class Console {
 public:
  explicit Console(bool quiet) : quiet_(quiet) {}

  void Note(std::string_view text) const;
  // Also written under --quiet: it reports a loss that the user did not ask
  // for.
  void Warn(std::string_view text) const;
  bool quiet() const { return quiet_; }

 private:
  bool quiet_;
};

// Returns "FILE [begin, end): reason".
std::string DescribeRegion(const FileRegion& region);

// Lists on standard error what a policy left out: file, [begin, end), reason,
// and the rows. The lists of the report are bounded, but its counts include
// everything. Under --quiet only the counts are written. The notices follow
// (reading_report.h).
void ListLosses(const ReadReport& report, const Console& console);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROCESS_CONSOLE_H_
