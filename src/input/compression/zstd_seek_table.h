// The constants of zstd's seekable format (contrib/seekable_format): a
// skippable frame at the end of a file lists the frames before it.

#ifndef HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_SEEK_TABLE_H_
#define HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_SEEK_TABLE_H_

#include <cstddef>
#include <cstdint>

namespace headrace::compression {

inline constexpr uint32_t kSeekTableMagic = 0x184D2A5E;
inline constexpr uint32_t kSeekFooterMagic = 0x8F92EAB1;
inline constexpr size_t kSeekHeadBytes = 8;
// An entry has the stored and the inflated size of a frame, four bytes each,
// and a checksum if a flag of the descriptor says so.
inline constexpr size_t kSeekEntryBytes = 8;
inline constexpr size_t kSeekCheckedEntryBytes = 12;
inline constexpr uint8_t kSeekHasChecksums = 0x80;
// The footer: the number of frames, the descriptor, the magic number.
inline constexpr size_t kSeekDescriptorAt = 4;
inline constexpr size_t kSeekFooterMagicAt = 5;
inline constexpr size_t kSeekFooterBytes = 9;
inline constexpr size_t kMaxSeekFrames = 0x8000000;

}  // namespace headrace::compression

#endif  // HEADRACE_SRC_INPUT_COMPRESSION_ZSTD_SEEK_TABLE_H_
