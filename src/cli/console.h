// Standard error, exit codes, and what the program asks of its terminal.

#ifndef HEADRACE_SRC_CLI_CONSOLE_H_
#define HEADRACE_SRC_CLI_CONSOLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/reader.h"
#include "headrace/status.h"

namespace headrace::cli {

// What the program answers; docs/cli.md.
enum ExitCode : int {
  kExitOk = 0,
  kExitData = 1,   // the data is bad
  kExitUsage = 2,  // the request is
  kExitIo = 3,     // missing, unreadable, no space
};
ExitCode ExitCodeOf(ErrorCode code);

// Opens what is closed of the three standard streams, so that no file gets
// their numbers, and asks for EPIPE instead of SIGPIPE, EFBIG instead of
// SIGXFSZ.
void PrepareStandardStreams();

// True when whoever read standard output has gone: then the program ends
// without a word.
bool StandardOutputIsGone();
// Of a failed write to standard output: a reader that has gone is success.
ExitCode ExitCodeOfOutput(const Status& status);
// Writes the text to standard output.
ExitCode Print(std::string_view text);
// The same of lines that have names in them as they are.
ExitCode PrintLines(std::string_view text);

bool StandardOutputIsTerminal();
// Whether an output of this name ("-" is standard output) is a terminal.
bool IsTerminal(const std::string& path);
// Names and values for standard output, line by line: as they are, or, where
// that is a terminal, Printable, so that what comes from a file never drives
// it. Everything that is not Printable anyway goes through here.
std::string ForStandardOutput(std::string_view line);
// Columns of the terminal on standard output, 120 where there is none.
size_t TerminalWidth();
// A terminal, and neither NO_COLOR nor a dumb one.
bool UseColor();

// One line on standard error: "headrace: " and the text, made printable.
void Complain(std::string_view text);
// Complains and gives the exit code. `hint` is added as a line of its own.
ExitCode Complain(const Status& status, std::string_view hint = {});

// What is worth saying unless --quiet.
class Console {
 public:
  explicit Console(bool quiet) : quiet_(quiet) {}

  // One line on standard error.
  void Note(std::string_view text) const;
  // The same, also under --quiet: that is for what nobody asked to lose.
  void Warn(std::string_view text) const;
  bool quiet() const { return quiet_; }

 private:
  bool quiet_;
};

// A line on a terminal that is written over; nothing elsewhere, and nothing on
// a dumb one.
class Progress {
 public:
  // `output`, where it is not empty, is written meanwhile: where that is a
  // terminal, too, the two would mix, and there is no line.
  explicit Progress(const Console& console, const std::string& output = "");
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap: looks at the clock once in a while. `total` is 0 where unknown;
  // otherwise `position` of `total` is done, which gives the time that is left.
  void Update(uint64_t records, uint64_t bytes, uint64_t position = 0,
              uint64_t total = 0);
  // Before anything else is written to the terminal.
  void Clear();

 private:
  void Draw(uint64_t records, uint64_t bytes, uint64_t position,
            uint64_t total);

  bool enabled_;
  bool drawn_ = false;
  uint32_t calls_ = 0;
  uint64_t next_look_ = 0;  // bytes
  int64_t start_ns_ = 0;
  int64_t next_draw_ns_ = 0;
};

// "FILE [begin, end): reason".
std::string DescribeRegion(const FileRegion& region);

// Lists on standard error what a policy left out: file, [begin, end), reason,
// and the rows. The lists of the report are bounded, the counts are not. Under
// --quiet only the counts.
void ListLosses(const ReadReport& report, const Console& console);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONSOLE_H_
