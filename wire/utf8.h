// UTF-8 is checked as by protobuf: it has no surrogates, overlong forms or
// anything above U+10FFFF; NUL is a character like any other.

#ifndef HEADRACE_WIRE_UTF8_H_
#define HEADRACE_WIRE_UTF8_H_

#include <cstdint>

#include "wire/wire.h"

namespace headrace::wire {

bool IsUtf8(Span text);

}  // namespace headrace::wire

#endif  // HEADRACE_WIRE_UTF8_H_
