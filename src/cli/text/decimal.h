// Numbers, as users write them on the command line.

#ifndef HEADRACE_SRC_CLI_TEXT_DECIMAL_H_
#define HEADRACE_SRC_CLI_TEXT_DECIMAL_H_

#include <limits>
#include <string_view>

namespace headrace::cli {

// Reads a number from 0 to `most`: "0.25", "3", "1e-3". False if the text is
// anything else.
bool ParseDecimal(std::string_view text, double* number,
                  double most = std::numeric_limits<double>::max());

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_DECIMAL_H_
