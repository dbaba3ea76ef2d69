// Numbers and sizes, as users write them on the command line.

#ifndef HEADRACE_SRC_CLI_TEXT_ARGUMENT_H_
#define HEADRACE_SRC_CLI_TEXT_ARGUMENT_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace headrace::cli {

// Reads a whole number in decimal digits: "010" is 10. False if the text is
// anything else, or too large.
bool ParseNumber(std::string_view text, uint64_t* number);

// Reads a number from 0 to `most`: "0.25", "3", "1e-3". False if the text is
// anything else.
bool ParseDecimal(std::string_view text, double* number,
                  double most = std::numeric_limits<double>::max());

// Reads a whole number of bytes, or of K, M, G or T, which are powers of 1024:
// "4096", "256M", "2g". Empty if the text is anything else, or too large.
std::optional<uint64_t> ParseByteSize(std::string_view text);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_ARGUMENT_H_
