// A colour JPEG of random content, as cameras of robots give them.

#ifndef HEADRACE_SRC_SAMPLE_GEN_JPEG_H_
#define HEADRACE_SRC_SAMPLE_GEN_JPEG_H_

#include <cstddef>
#include <string>

#include "src/sample/random.h"

namespace headrace::cli {

// Baseline, not subsampled. The side is in pixels, a multiple of 8 below 65536.
std::string RandomJpeg(size_t side, Random* random);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_SAMPLE_GEN_JPEG_H_
