// IsUtf8 checks UTF-8 as protobuf does: it rejects surrogates, overlong forms
// and code points above U+10FFFF, and accepts NUL like any other character.

#ifndef HEADRACE_WIRE_UTF8_H_
#define HEADRACE_WIRE_UTF8_H_

#include <string_view>

#include "wire/wire.h"

namespace headrace::wire {

bool IsUtf8(Span text);
inline bool IsUtf8(std::string_view text) { return IsUtf8(SpanOf(text)); }

}  // namespace headrace::wire

#endif  // HEADRACE_WIRE_UTF8_H_
