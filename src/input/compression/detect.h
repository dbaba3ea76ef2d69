// Which compression a file has, from its first bytes. Its name has no say.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_DETECT_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_DETECT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::compression {

// Bytes that suffice for an answer. zlib and snappy have no magic number, so
// they are told by how well the bytes inflate.
inline constexpr size_t kDetectBytes = 4096;

// What kRecordHeaderBytes bytes, or fewer, say by themselves: kNone where they
// are a right record header, kGzip and kZstd where they begin with a magic
// number; nothing otherwise.
std::optional<Compression> CompressionByMagic(std::span<const uint8_t> head);

// CompressionByMagic, or else zlib or snappy (docs/formats/tfrecord.md says
// when); kNone where nothing fits. What is inflated need not be records, for
// the container may be whole where its content is damaged. `head` may be
// shorter where the file is. kOutOfMemory.
Result<Compression> DetectCompression(std::span<const uint8_t> head);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_DETECT_H_
