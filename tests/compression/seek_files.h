// Compressed files with their seek tables, and the obvious slow way to read
// them: from the beginning.

#ifndef HEADRACE_TESTS_COMPRESSION_SEEK_FILES_H_
#define HEADRACE_TESTS_COMPRESSION_SEEK_FILES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "headrace/types.h"
#include "src/input/blocks/block_inflater.h"
#include "src/input/deflate/raw_inflate.h"
#include "src/input/deflate/seek_table.h"
#include "tests/compression/stored.h"

namespace headrace::compression {

struct SeekFile {
  std::string name;
  Compression compression = Compression::kGzip;
  std::string plain;
  std::string stored;
};
std::ostream& operator<<(std::ostream& out, const SeekFile& file);

// A point every so many bytes: a few hundred kilobytes have several.
inline constexpr uint64_t kSpacing = 40'000;

std::string PlainBytes(size_t size = 300'000, unsigned seed = 7);

// `plain` in every form that has, or lacks, places to inflate from.
std::vector<SeekFile> SeekFiles(const std::string& plain);
// Few of them: one of each way by which members are found.
std::vector<SeekFile> FewSeekFiles(const std::string& plain);

// Files that say of themselves that a member, or frame, begins inside another:
// a payload of the first member holds one whose records have the same lengths,
// and other bytes. `plain` is what all of the file inflates to in order, or of
// "HR lies" would, were its lie no error.
std::vector<SeekFile> LyingFiles();

enum class Windows { kSparse, kDense };

// Found by inflating all of an intact file; null if it is damaged.
std::shared_ptr<const SeekTable> BuildTable(
    const SeekFile& file, uint64_t spacing, Windows windows = Windows::kSparse,
    InflateLibrary library = kBestInflate);
// What the file says of itself.
std::shared_ptr<const SeekTable> HopTable(const SeekFile& file);

// From the beginning, by one thread and by zlib.
Outcome Truth(Compression compression, const std::string& stored);

// Each block is inflated by itself, and is what it should be.
void ExpectBlocks(const SeekFile& file,
                  const std::shared_ptr<const SeekTable>& table);

using WindowBytes = std::array<uint8_t, kDeflateWindow>;
WindowBytes WindowOf(const SeekPoint& point);

// A table of changed points, if there can be one.
std::shared_ptr<const SeekTable> Remade(const SeekTable& table,
                                        std::vector<SeekPoint> points);
std::vector<SeekPoint> PointsOf(const SeekTable& table);

std::unique_ptr<ByteStream> StreamOf(const std::string& stored);
BlockInflater InflaterOf(const SeekFile& file,
                         const std::shared_ptr<const SeekTable>& table);

// Returns the bytes that the inflater gives there, which must not fail.
std::string ReadAt(BlockInflater* inflater, uint64_t offset, size_t size);

}  // namespace headrace::compression

#endif  // HEADRACE_TESTS_COMPRESSION_SEEK_FILES_H_
