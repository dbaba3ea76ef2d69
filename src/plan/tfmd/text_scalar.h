// These read numbers and strings of protobuf's text format, in any form that
// libprotobuf or Python's parser reads.

#ifndef HEADRACE_SRC_PLAN_TFMD_TEXT_SCALAR_H_
#define HEADRACE_SRC_PLAN_TFMD_TEXT_SCALAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::tfmd_forms {

enum class ScalarFault : uint8_t { kNone, kSyntax, kTooLarge };

// `text` is a number token, or for ParseDecimal also a word. `sign` stands
// before it: '-', '+' or 0.
ScalarFault ParseWhole(std::string_view text, char sign, uint64_t* magnitude);

// A number that is too large is an infinity, one that is too small a zero, and
// neither is a fault. `text` may be "inf", "infinity" or "nan" in any case.
ScalarFault ParseDecimal(std::string_view text, char sign, double* value);

// True if libprotobuf takes it for a whole number, too. Python knows more
// forms, but not everywhere.
bool IsPlainWhole(std::string_view text);

// Adds the bytes of a string literal, which has its quotes, to `out` unless
// that is null. If an escape is invalid, returns false and `*fault` is its
// index.
bool Unescape(std::string_view literal, std::string* out, size_t* fault);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_TEXT_SCALAR_H_
