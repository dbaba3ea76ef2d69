// The streams that Decompress chooses from, and the properties of their formats
// that detection needs, too. The New functions return null if there is no
// memory.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_STREAMS_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_STREAMS_H_

#include <cstdint>
#include <memory>

#include "src/input/compression/decompressor.h"
#include "src/input/deflate/raw_inflate.h"

namespace headrace::compression {

std::unique_ptr<Decompressor> NewGzipStream(InputBuffer input,
                                            InflateLibrary library);
std::unique_ptr<Decompressor> NewZlibStream(InputBuffer input,
                                            InflateLibrary library);
std::unique_ptr<Decompressor> NewSnappyStream(InputBuffer input);
std::unique_ptr<Decompressor> NewZstdStream(InputBuffer input);

// Returns true if these two bytes begin a zlib stream that can be read:
// deflate, a window of at most 32 KiB, no preset dictionary, and a right check.
bool IsZlibHeader(uint8_t first, uint8_t second);

// Returns the maximum number of bytes that `size` bytes of a raw snappy block
// inflate to: the best element is a copy of 64 bytes, which takes 3 bytes.
constexpr uint64_t MostInflated(uint64_t size) { return size * 64 / 3; }

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_STREAMS_H_
