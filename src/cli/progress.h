// Progress of a verb that may take long, as a line on the terminal.

#ifndef HEADRACE_SRC_CLI_PROGRESS_H_
#define HEADRACE_SRC_CLI_PROGRESS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/cli/process/console.h"

namespace headrace::cli {

// The line is overwritten and, at the end, erased; messages erase it, too. It
// is not shown in the first second, under --quiet, and where standard error is
// a dumb terminal, a pipe or a file.
class Progress {
 public:
  // `output` is the output that the verb writes; empty if there is none. If it
  // is a terminal, too, the line is not shown, because the two would mix.
  Progress(std::string_view verb, const Console& console,
           const std::string& output = "");
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Reports the number of stored bytes that all threads together have done;
  // `total` is 0 if unknown. Any thread may call this, after every record, as
  // it seldom reads the clock.
  void Update(uint64_t done, uint64_t total) { Update(done, done, total); }
  // For work that is not measured in bytes: `done` of `total` is done, and
  // `bytes` were read or written.
  void Update(uint64_t bytes, uint64_t done, uint64_t total);
  // Must be called before something is written to standard output.
  void Clear() {
    if (enabled_) EraseLine();
  }

 private:
  bool IsDue(uint64_t bytes);

  const std::string verb_;
  const bool enabled_;
  const int64_t start_ns_;
  std::atomic<int64_t> next_draw_ns_;
  std::atomic<uint64_t> next_look_ = 0;  // in bytes
  std::atomic<uint32_t> calls_ = 0;
};

// Returns text like "count: 45%, 81.2 MB/s, 0:07 left" or, if the share, from 0
// to 1, is unknown, "count: 1.3 GB, 81.2 MB/s".
std::string ProgressText(std::string_view verb, uint64_t bytes,
                         std::optional<double> share, double seconds);

class Stopwatch {
 public:
  double Seconds() const {
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    return elapsed.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

double MegabytesPerSecond(uint64_t bytes, double seconds);
// Returns the end of a summary: " in 1.25 s (81.2 MB/s)".
std::string SpeedText(uint64_t bytes, double seconds);

// Returns the note that files were read for `seconds` to find where their
// records are; empty for less than five seconds.
std::string SlowOpeningNote(double seconds);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROGRESS_H_
