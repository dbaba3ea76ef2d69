// Base64 (RFC 4648 section 4, with padding): how bytes that are no text stand
// in JSON and CSV.

#ifndef HEADRACE_SRC_CLI_JSON_BASE64_H_
#define HEADRACE_SRC_CLI_JSON_BASE64_H_

#include <string>
#include <string_view>

namespace headrace::cli {

void AppendBase64(std::string_view bytes, std::string* out);

// False for anything that AppendBase64 does not write: other characters,
// missing padding, padding bits that are not zero. `out` is then undefined.
bool DecodeBase64(std::string_view text, std::string* out);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSON_BASE64_H_
