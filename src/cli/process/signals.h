// Removes temporary files when a signal ends the program.

#ifndef HEADRACE_SRC_CLI_PROCESS_SIGNALS_H_
#define HEADRACE_SRC_CLI_PROCESS_SIGNALS_H_

#include <signal.h>

#include <string>

#include "headrace/output_file.h"
#include "headrace/status.h"

namespace headrace::cli {

// Must be called before the first output is opened, on the thread that will
// open them all. From then on a signal that ends the program first removes its
// temporary files. The program still ends by the signal: a shell sees 128 plus
// the number of the signal. Ignored signals (nohup) stay ignored.
void PrepareSignals();

// Returns the list of temporary files, for the options of code that writes
// files.
TemporaryFiles* Temporaries();

// Opens a file that is in that list until it is complete.
Result<OutputFile> OpenOutput(const std::string& path);

// While it lives, blocks the signals that end the program, for steps that must
// all happen or none.
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
