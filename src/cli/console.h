
#ifndef HEADRACE_SRC_CLI_CONSOLE_H_
#define HEADRACE_SRC_CLI_CONSOLE_H_

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

// Progress is a line on a terminal that is written over; elsewhere, and on a
// dumb terminal, it is nothing.
class Progress {
 public:
  // `output`, unless empty, is written meanwhile: if it is a terminal, too, the
  // two would mix, so there is no line.
  explicit Progress(const Console& console, const std::string& output = "");
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // This is cheap, as it seldom reads the clock. `total` is 0 where unknown;
  // otherwise `position` of `total` is done, which gives the time that is left.
  void Update(uint64_t records, uint64_t bytes, uint64_t position = 0,
              uint64_t total = 0);
  // Must be called before anything else is written to the terminal.
  void Clear();

 private:
  void Draw(uint64_t records, uint64_t bytes, uint64_t position,
            uint64_t total);

  bool enabled_;
  bool drawn_ = false;
  uint32_t calls_ = 0;
  uint64_t next_look_ = 0;  // in bytes
  int64_t start_ns_ = 0;
  int64_t next_draw_ns_ = 0;
};

// The text is "FILE [begin, end): reason".
std::string DescribeRegion(const FileRegion& region);

// Lists on standard error what a policy left out: file, [begin, end), reason,
// and the rows. The lists of the report are bounded, the counts are not. Under
// --quiet only counts are written.
void ListLosses(const ReadReport& report, const Console& console);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONSOLE_H_
