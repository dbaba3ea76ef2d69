// Numbers and strings as protobuf's text format writes them: what libprotobuf
// reads or Python's parser does.

#ifndef HEADRACE_SRC_SCHEMA_TFMD_TEXT_SCALAR_H_
#define HEADRACE_SRC_SCHEMA_TFMD_TEXT_SCALAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::tfmd_forms {

enum class ScalarFault : uint8_t { kNone, kSyntax, kTooLarge };

// A number token, or for ParseDecimal also a word. `sign` is what stands before
// it, '-' or '+', or 0.
ScalarFault ParseWhole(std::string_view text, char sign, uint64_t* magnitude);

// Too large is an infinity and too small a zero, which are no faults. `text`
// may be "inf", "infinity" or "nan" in any case.
ScalarFault ParseDecimal(std::string_view text, char sign, double* value);

// Whether libprotobuf, too, takes the whole number for one. Python knows more
// forms, but not everywhere.
bool IsPlainWhole(std::string_view text);

// Adds the bytes of a string literal, with its quotes, to `out` unless that is
// null. False where an escape is none; then `*fault` is its index in `literal`.
bool Unescape(std::string_view literal, std::string* out, size_t* fault);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_SCHEMA_TFMD_TEXT_SCALAR_H_
