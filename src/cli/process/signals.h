// Removes temporary files when a signal ends the program.

#ifndef HEADRACE_SRC_CLI_PROCESS_SIGNALS_H_
#define HEADRACE_SRC_CLI_PROCESS_SIGNALS_H_

#include <signal.h>

#include <string>

#include "headrace/output_file.h"
#include "headrace/status.h"

namespace headrace::cli {

// Must be called before the first output is opened, on the thread that will
// open them all. Signals that end a program then remove its temporary files
// first, and end it as they always do: a shell sees 128 and the number. Ignored
// signals (nohup) stay ignored.
void PrepareSignals();

// Returns the list that code that writes a file puts into its options.
TemporaryFiles* Temporaries();

// Opens a file that is in the list until it is complete.
Result<OutputFile> OpenOutput(const std::string& path);

// Blocks these signals while it lives, for steps that must all happen or none.
class HoldSignals {
 public:
  HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;
  ~HoldSignals();

 private:
  sigset_t before_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROCESS_SIGNALS_H_
