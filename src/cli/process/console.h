
#ifndef HEADRACE_SRC_CLI_PROCESS_CONSOLE_H_
#define HEADRACE_SRC_CLI_PROCESS_CONSOLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/reader.h"
#include "headrace/status.h"

namespace headrace::cli {

// docs/cli.md explains these answers.
enum ExitCode : int {
  kExitOk = 0,
  kExitData = 1,   // the data is bad
  kExitUsage = 2,  // the request is bad
  kExitIo = 3,     // missing, unreadable, no space
};
ExitCode ExitCodeOf(ErrorCode code);

// Opens those of the three standard streams that are closed, so that no file
// gets their numbers, and asks for EPIPE instead of SIGPIPE, EFBIG instead of
// SIGXFSZ.
void PrepareStandardStreams();

// Whoever read standard output has gone, so the program ends silently.
bool StandardOutputIsGone();
// A write to standard output failed; it is a success if its reader has gone.
ExitCode ExitCodeOfOutput(const Status& status);
ExitCode Print(std::string_view text);
// Lines may have names in them as they are, so they go to ForStandardOutput.
ExitCode PrintLines(std::string_view text);

bool StandardOutputIsTerminal();
// The output "-" is standard output.
bool IsTerminal(const std::string& path);
// Lines with names and values for standard output stay as they are or, on a
// terminal, become Printable, so that what comes from a file never drives it.
// Everything that is not Printable anyway goes through here.
std::string ForStandardOutput(std::string_view line);
// Counts columns of standard output's terminal; 120 where there is none.
size_t TerminalWidth();
// True on a terminal, unless NO_COLOR is set or it is a dumb one.
bool UseColor();

// Writes one line to standard error: "headrace: " and the text, made printable.
void Complain(std::string_view text);
// Complains and gives the exit code. `hint` is added as a line of its own.
ExitCode Complain(const Status& status, std::string_view hint = {});

// Standard error is a terminal that is not dumb.
bool CanRedrawLines();
// Draws one line of Printable text on standard error, over the last one. The
// next complaint erases it first. Any thread may draw and erase.
void DrawLine(std::string_view text);
void EraseLine();

// These lines are worth writing unless --quiet is given.
class Console {
 public:
  explicit Console(bool quiet) : quiet_(quiet) {}

  void Note(std::string_view text) const;
  // This is also written under --quiet: it tells of a loss nobody asked for.
  void Warn(std::string_view text) const;
  bool quiet() const { return quiet_; }

 private:
  bool quiet_;
};

// The text is "FILE [begin, end): reason".
std::string DescribeRegion(const FileRegion& region);

// Lists on standard error what a policy left out: file, [begin, end), reason,
// and the rows. The lists of the report are bounded, the counts are not. Under
// --quiet only counts are written. Then come the notices, of late.h.
void ListLosses(const ReadReport& report, const Console& console);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROCESS_CONSOLE_H_
