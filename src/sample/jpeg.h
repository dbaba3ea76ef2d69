// Makes a colour JPEG of random content, like those of robots' cameras.

#ifndef HEADRACE_SRC_SAMPLE_JPEG_H_
#define HEADRACE_SRC_SAMPLE_JPEG_H_

#include <cstddef>
#include <string>

#include "src/sample/random.h"

namespace headrace::sample {

// Returns a baseline JPEG that is not subsampled. The side is in pixels, a
// multiple of 8 below 65536.
std::string RandomJpeg(size_t side, Random* random);

}  // namespace headrace::sample

#endif  // HEADRACE_SRC_SAMPLE_JPEG_H_
