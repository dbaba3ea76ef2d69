// The constants of the format HRI, which docs/formats/index.md describes.

#ifndef HEADRACE_SRC_INPUT_INDEX_IMAGE_FORMAT_H_
#define HEADRACE_SRC_INPUT_INDEX_IMAGE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "headrace/record_reader.h"

namespace headrace::index {

inline constexpr std::string_view kMagic = "HRI1";
// Plain files have indexes of version 1, compressed ones of version 2.
inline constexpr uint16_t kVersion = 1;
inline constexpr uint16_t kVersionWithPoints = 2;

// Flags of the head.
inline constexpr uint16_t kHasTime = 1;
inline constexpr uint16_t kHasDigests = 2;

// Offsets in the head.
inline constexpr size_t kVersionAt = 4;
inline constexpr size_t kFlagsAt = 6;
inline constexpr size_t kDataSizeAt = 8;
inline constexpr size_t kTimeAt = 16;
inline constexpr size_t kFirstDigestAt = 24;
inline constexpr size_t kLastDigestAt = 32;
inline constexpr size_t kRecordsAt = 40;
inline constexpr size_t kStreamBytesAt = 48;
inline constexpr size_t kDirectoryAt = 56;
inline constexpr size_t kHeadDigestAt = 64;
inline constexpr size_t kHeadBytes = 72;

// Offsets in an entry of the directory.
inline constexpr size_t kOffsetAt = 0;
inline constexpr size_t kLengthsAt = 8;
inline constexpr size_t kBaseAt = 16;
inline constexpr size_t kWidthAt = 24;
inline constexpr size_t kCheckAt = 28;
inline constexpr size_t kEntryBytes = 32;

// Offsets in the head of the points.
inline constexpr size_t kPointsCountAt = 0;
inline constexpr size_t kPointsCompressionAt = 8;
inline constexpr size_t kPointsCheckAt = 16;
inline constexpr size_t kPointsHeadBytes = 24;

// Offsets in the entry of a point.
inline constexpr size_t kPointBitAt = 0;
inline constexpr size_t kPointPlainAt = 8;
inline constexpr size_t kPointCheckAt = 16;
inline constexpr size_t kPointSizeAt = 20;
inline constexpr size_t kPointDigestAt = 24;
inline constexpr size_t kPointWindowAt = 32;
inline constexpr size_t kPointWindowSizeAt = 40;
inline constexpr size_t kPointFlagsAt = 44;
inline constexpr size_t kPointBytes = 48;
inline constexpr uint32_t kPointIsInside = 1;

inline constexpr size_t kBlockRecords = 64;
inline constexpr size_t kMaxWidth = 8;
// Sums of a few numbers up to this one do not overflow.
inline constexpr uint64_t kMaxStreamBytes = uint64_t{1} << 61;

// Bytes that each digest of the file covers.
inline constexpr uint64_t kDigestBytes = uint64_t{64} << 10;

// The last block may have fewer than kBlockRecords records.
inline uint64_t NumBlocks(uint64_t records) {
  return records / kBlockRecords + (records % kBlockRecords != 0 ? 1 : 0);
}

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_IMAGE_FORMAT_H_
