// A signal that ends the program leaves no temporary files behind.

#ifndef HEADRACE_SRC_CLI_PROCESS_SIGNALS_H_
#define HEADRACE_SRC_CLI_PROCESS_SIGNALS_H_

#include <signal.h>

#include "headrace/output_file.h"

namespace headrace::cli {

// Must be called before the first output is opened, on the thread that will
// open them all. Signals that end a program remove its temporary files first,
// and then end it as they always do: a shell sees 128 and the number. Those
// that are ignored (nohup) stay ignored.
void PrepareSignals();

// Whatever writes a file puts this into its options.
TemporaryFiles* Temporaries();

// While it lives, these signals wait: for steps of which all happen or none.
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
