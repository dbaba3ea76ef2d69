// Looks at the first bytes of a file, not at its name: finds its compression,
// which decides how it is read, and a noun for messages and for warnings about
// skipped files.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_DETECT_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_DETECT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::compression {

// Bytes that suffice for an answer. zlib and snappy have no magic number and
// are recognised by how well the bytes inflate.
inline constexpr size_t kDetectBytes = 4096;

// Returns what kRecordHeaderBytes bytes, or fewer, show: kNone for a right
// record header, or the compression whose magic number is there, otherwise
// nothing.
std::optional<Compression> CompressionByMagic(std::span<const uint8_t> head);

// Returns CompressionByMagic, or else zlib or snappy (docs/formats/tfrecord.md
// says when), or kNone if nothing fits. The inflated bytes need not be records,
// because the container may be whole when its content is damaged. `head` has
// kDetectBytes bytes, or all bytes of a shorter file. Fails with kOutOfMemory.
Result<Compression> DetectCompression(std::span<const uint8_t> head);

// Returns a noun for a file that begins with these bytes ("a Parquet file",
// "text"), empty if nothing is recognised. 64 bytes suffice, 262 for a tar
// archive. Never decides how a file is read.
std::string_view LooksLike(const uint8_t* head, size_t size);

// Whether a file of this noun may hold TFRecord after all, because it is
// compressed, an archive, not fetched yet, or not recognised. Text and images
// may not.
bool MayHoldRecords(std::string_view noun);

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_DETECT_H_
