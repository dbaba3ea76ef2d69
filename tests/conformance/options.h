// The command line of headrace-conformance.

#ifndef HEADRACE_TESTS_CONFORMANCE_OPTIONS_H_
#define HEADRACE_TESTS_CONFORMANCE_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

namespace headrace::conformance {

struct Options {
  std::vector<std::string> files;
  std::string target;        // empty: what this CPU would choose
  bool all_targets = false;  // each case once per target
  int threads = 1;
  bool without_schema = false;  // leave out cases that carry a schema
  std::string only;             // glob over ids; empty: all
  std::string message;          // only cases of this message; empty: all
  bool help = false;            // the usage was printed; nothing to run
};

// Empty when the arguments make no sense; the reason is on standard error.
std::optional<Options> ParseOptions(int argc, char** argv);

}  // namespace headrace::conformance

#endif  // HEADRACE_TESTS_CONFORMANCE_OPTIONS_H_
