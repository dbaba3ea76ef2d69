#ifndef HEADRACE_SRC_INPUT_DEFLATE_RAW_INFLATE_ISAL_H_
#define HEADRACE_SRC_INPUT_DEFLATE_RAW_INFLATE_ISAL_H_

#include <memory>

#include "src/input/deflate/raw_inflate.h"

namespace headrace::compression {

// ISA-L's igzip, if HEADRACE_HAVE_ISAL is 1; null if there is no memory.
std::unique_ptr<RawInflate> NewIsalInflate();

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_DEFLATE_RAW_INFLATE_ISAL_H_
