// The streams that Decompress chooses from, and the properties of their formats
// that detection needs, too.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_STREAMS_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_STREAMS_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "headrace/types.h"
#include "src/input/compression/decompressor.h"
#include "src/input/deflate/raw_inflate.h"

namespace headrace::compression {

// Returns null if there is no memory. `library` inflates deflate.
using NewStream = std::unique_ptr<Decompressor>(InputBuffer input,
                                                InflateLibrary library);
NewStream NewGzipStream;
NewStream NewZlibStream;
NewStream NewSnappyStream;
NewStream NewZstdStream;

// How files of a compression are read, and how they begin.
struct StreamFormat {
  NewStream* make = nullptr;    // null for kAuto and kNone
  std::string_view magic = {};  // the first bytes; empty if it has none
};
constexpr StreamFormat FormatOf(Compression compression) {
  switch (compression) {
    case Compression::kAuto:
    case Compression::kNone:
      break;
    case Compression::kGzip:
      return {NewGzipStream, "\x1f\x8b\x08"};
    case Compression::kZlib:
      return {NewZlibStream};
    case Compression::kSnappy:
      return {NewSnappyStream};
    case Compression::kZstd:
      return {NewZstdStream, "\x28\xb5\x2f\xfd"};
  }
  return {};
}

// Returns true if these two bytes begin a zlib stream that can be read:
// deflate, a window of at most 32 KiB, no preset dictionary, and a right check.
bool IsZlibHeader(uint8_t first, uint8_t second);

// Returns the maximum number of bytes that `size` bytes of a raw snappy block
// inflate to: the best element is a copy of 64 bytes, which takes 3 bytes.
constexpr uint64_t MostInflated(uint64_t size) { return size * 64 / 3; }

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_STREAMS_H_
