// Reads numbers and strings of protobuf's text format, in any form that
// libprotobuf or Python's parser accepts.

#ifndef HEADRACE_SRC_PLAN_TFMD_TEXT_SCALAR_H_
#define HEADRACE_SRC_PLAN_TFMD_TEXT_SCALAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::tfmd_forms {

enum class ScalarFault : uint8_t { kNone, kSyntax, kTooLarge };

// `text` is a number token; ParseDecimal accepts a word, too. `sign` is the
// sign before it: '-', '+' or 0.
ScalarFault ParseWhole(std::string_view text, char sign, uint64_t* magnitude);

// A number that is too large becomes an infinity, and one that is too small 0;
// neither is a fault. `text` may be "inf", "infinity" or "nan", in upper or
// lower case.
ScalarFault ParseDecimal(std::string_view text, char sign, double* value);

// Whether libprotobuf, too, accepts `text` as a whole number. Python accepts
// more forms, but not everywhere.
bool IsPlainWhole(std::string_view text);

// Appends the bytes of a string literal, which includes its quotes, to `out`,
// which may be null. If an escape is invalid, returns false and sets `*fault`
// to its index.
bool Unescape(std::string_view literal, std::string* out, size_t* fault);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_TEXT_SCALAR_H_
