#ifndef HEADRACE_SRC_SOURCE_RAW_INFLATE_ISAL_H_
#define HEADRACE_SRC_SOURCE_RAW_INFLATE_ISAL_H_

#include <memory>

#include "src/source/raw_inflate.h"

namespace headrace::source {

// ISA-L's igzip, where HEADRACE_HAVE_ISAL is 1.
std::unique_ptr<RawInflate> NewIsalInflate();

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_RAW_INFLATE_ISAL_H_
