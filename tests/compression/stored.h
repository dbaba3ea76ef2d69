// Files to read, made with the libraries' own compressors, and ways to read
// them.

#ifndef HEADRACE_TESTS_COMPRESSION_STORED_H_
#define HEADRACE_TESTS_COMPRESSION_STORED_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "src/base/byte_stream.h"
#include "src/input/deflate/raw_inflate.h"
#include "src/input/source/source.h"
#include "src/input/source/streams.h"

namespace headrace::compression {

using source::kSlack;
using source::MemoryStream;
using source::OpenFile;
using source::OpenMemory;
using source::Source;
using source::SourceOptions;
using source::Tail;
using source::Window;

inline std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Four bytes, the highest first.
std::string Big(uint32_t value);

// zlib's deflate. `wrapper` is its windowBits: -15 raw, 15 zlib, 31 gzip.
std::string Deflate(const std::string& plain, int wrapper, int level = 6,
                    int strategy = 0, int memory = 8);
std::string Gzip(const std::string& plain, int level = 6);
std::string Zlib(const std::string& plain, int level = 6);
// TensorFlow's framing, `block` bytes of `plain` a block.
std::string Snappy(const std::string& plain, size_t block = 1000);
std::string Zstd(const std::string& plain, int level = 3, bool checksum = true);
std::string Compress(Compression compression, const std::string& plain);

using Pieces = std::vector<std::string>;
std::string Joined(const Pieces& pieces);
// Pieces of `size` bytes; the last one may be shorter.
Pieces Split(const std::string& plain, size_t size);

// Two, four bytes and so on, the lowest first.
std::string Little(uint64_t value, int bytes);
// A gzip member whose header has these subfields, if any.
std::string GzipMember(const std::string& plain, const std::string& extra = "",
                       int level = 6);
// One member a piece, without claims.
std::string GzipMembers(const Pieces& pieces, int level = 6);
// A member a piece that says how long it is, and that it has so many records.
std::string BlockedGzip(const Pieces& pieces,
                        const std::vector<uint32_t>& records = {});
// As bgzip writes it, with its empty member at the end.
std::string Bgzf(const Pieces& pieces);
// One frame a piece, then the table of zstd's seekable format.
std::string SeekableZstd(const Pieces& pieces, bool checksums = false);
// One deflate stream that is flushed (zlib's Z_..._FLUSH) after each piece.
std::string FlushedDeflate(const Pieces& pieces, int wrapper, int flush);
// One gzip member whose deflate data is a single block of fixed codes.
std::string OneFixedBlock(const std::string& plain);

// Framed records with right checksums.
std::string SomeRecords(int count, unsigned seed = 1);

// Bytes that compress somewhat: literals, runs and repeats in turn.
std::string SomeBytes(size_t size, std::mt19937* random);

// What a stream or source gave, and how it ended.
struct Outcome {
  std::string bytes;
  Status failure;
  Compression compression = Compression::kAuto;

  bool operator==(const Outcome& other) const {
    return bytes == other.bytes && failure.code() == other.failure.code() &&
           failure.message() == other.failure.message();
  }
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

Outcome ReadAll(ByteStream* stream, size_t piece = 1000);
// Keeps up to `kept` bytes of each window, and checks that they come again.
Outcome ReadAll(Source* source, size_t kept = 0, size_t at_least = 1);
// Opens memory and reads it; an error of opening is its failure.
Outcome ReadMemory(const std::string& stored, const SourceOptions& options,
                   size_t kept = 0);
// Through Decompress, whose stored stream gives `piece` bytes a read.
Outcome ReadCompressed(Compression compression, const std::string& stored,
                       size_t piece, size_t window,
                       InflateLibrary library = kBestInflate);

}  // namespace headrace::compression

#endif  // HEADRACE_TESTS_COMPRESSION_STORED_H_
