// Sizes in bytes, as users write them on the command line.

#ifndef HEADRACE_SRC_CLI_TEXT_BYTE_SIZE_H_
#define HEADRACE_SRC_CLI_TEXT_BYTE_SIZE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace headrace::cli {

// Reads a whole number of bytes, or of K, M, G or T, which are powers of 1024:
// "4096", "256M", "2g". Empty if the text is anything else, or too large.
std::optional<uint64_t> ParseByteSize(std::string_view text);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_TEXT_BYTE_SIZE_H_
