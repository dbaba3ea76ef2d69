// Which compression a file has, from its first bytes. Its name has no say.

#ifndef HEADRACE_SRC_SOURCE_DETECT_H_
#define HEADRACE_SRC_SOURCE_DETECT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::source {

// Bytes that suffice for an answer. zlib and snappy are told by what they
// inflate to, and a deflate block's codes take up to 300 bytes.
inline constexpr size_t kDetectBytes = 4096;

// In this order (docs/formats/tfrecord.md): a plain file begins with a right
// record header; gzip and zstd with their magic; zlib with a valid header and
// something that inflates to a right record header; snappy with a block that
// does. kNone where nothing fits. `head` may be shorter where the file is.
// kOutOfMemory.
Result<Compression> DetectCompression(std::span<const uint8_t> head);

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_DETECT_H_
