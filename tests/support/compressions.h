
#ifndef HEADRACE_TESTS_SUPPORT_COMPRESSIONS_H_
#define HEADRACE_TESTS_SUPPORT_COMPRESSIONS_H_

#include "headrace/types.h"

namespace headrace::testing {

inline constexpr Compression kCompressions[] = {
    Compression::kNone, Compression::kGzip, Compression::kZlib,
    Compression::kSnappy, Compression::kZstd};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_COMPRESSIONS_H_
