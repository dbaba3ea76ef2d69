// RecordReader: the records of one TFRecord file, checked, one after another.
//
//   auto reader = headrace::RecordReader::Open("a.tfrecord");
//   if (!reader) return reader.status();
//   while (auto record = reader->Next()) Use(record->payload);
//   return reader->status();  // damage ends the loop, too
//
// Use it for payloads that are not tf.train messages, and to look at single
// records; Reader makes columns. docs/formats/tfrecord.md has the layout, the
// classes of damage and the policies. One thread at a time may use it.

#ifndef HEADRACE_RECORD_READER_H_
#define HEADRACE_RECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/export.h"
#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// The number of bytes of a record that are not payload: 8 for the length, 4 for
// the CRC of the length and 4 for the CRC of the payload.
inline constexpr size_t kRecordOverhead = 16;

// The skipped bytes [begin, end) of the uncompressed stream.
struct SkippedRegion {
  uint64_t begin = 0;
  // kUnknown if the region is the rest of a damaged compressed file.
  uint64_t end = 0;
  ErrorCode reason = ErrorCode::kOk;
  std::string message = {};  // what was found there; only for kDecompress

  bool operator==(const SkippedRegion&) const = default;
};

// The part of a file that has the records whose headers begin in [begin, end)
// of the uncompressed stream. Adjacent parts, from 0 to the end of the file or
// beyond, together have each record once, wherever the file is cut. So several
// readers can share a file that none of them has read before.
//
// In a plain file that can be read at any place, the reader reads only these
// records and a few near the bounds: docs/formats/tfrecord.md has the rule.
// Records then have numbers only if the part begins at 0, or if an index of the
// file provides them (only Reader looks for an index). kSplitSeam says that a
// part does not end where the next one begins, because a record holds a
// TFRecord file or because bytes there are damaged. This error is never a
// guess, and if no part fails with it, every record is read exactly once. In
// any other file (compressed, a pipe) the bytes before the part are read, too,
// and records have their numbers in the file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = ~uint64_t{0};

  bool operator==(const ByteRange&) const = default;
};

// Returns part `index`, below `count`, of `size` bytes that are cut into
// `count` parts of nearly equal size.
constexpr ByteRange PartOf(uint64_t size, uint64_t index, uint64_t count) {
  const auto cut = [size, count](uint64_t i) {
    return size / count * i + size % count * i / count;
  };
  return {.begin = cut(index), .end = cut(index + 1)};
}

struct RecordReaderOptions {
  Compression compression = Compression::kAuto;
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  // Check the payload's CRC. Default true. The header's CRC is always checked:
  // without it a hole in a file would read as endless empty records.
  bool verify_payload = true;
  // Map the file instead of reading it. Default false. If a mapped file
  // shrinks, the operating system kills the process. If another program writes
  // to it, the records there may have any values, even after Next returned
  // them.
  bool mmap = false;
  // Read only this part. Default: the whole file. kInvalidArgument if it ends
  // before it begins.
  ByteRange range = {};
  // Asked whether to stop: true makes the reader end with kCancelled. It is
  // called only on the thread inside a call of this reader: about once per
  // window (256 KiB), and some 20 times per second while it waits for a pipe or
  // for the writer of a FIFO. It may be empty and must not throw.
  std::function<bool()> interrupted = {};
  Limits limits = {};
};

struct Record {
  // Valid until the next call of Next or NextBlock. kPadding bytes (limits.h)
  // after it are readable.
  std::string_view payload;
  uint64_t number = 0;     // within the file, from 0; or kUnknown (ByteRange)
  uint64_t offset = 0;     // of its header, in the uncompressed stream
  bool recovered = false;  // found by rescanning after damage
};

class HEADRACE_EXPORT RecordReader {
 public:
  // Opens a path, or standard input for "-".
  static Result<RecordReader> Open(const std::string& path,
                                   const RecordReaderOptions& options = {});
  // Reads an input that the caller has opened, from its current position.
  // kInvalidArgument for a null pointer. The reader owns `input`, even if this
  // call fails, and calls it only on the thread inside a call of the reader.
  // `name` is for errors; `mmap` is ignored.
  static Result<RecordReader> FromInput(
      std::unique_ptr<InputFile> input, const std::string& name,
      const RecordReaderOptions& options = {});
  // Reads a whole file from memory, which the caller keeps alive and unchanged.
  static Result<RecordReader> FromMemory(
      std::string_view file, const RecordReaderOptions& options = {});

  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  // Returns the next record; empty at the end of the file. An error is final:
  // every later call returns it. All records before it are returned first.
  Result<std::optional<Record>> Next();
  // Returns all records that are available without reading on, at least one;
  // none at the end of the file. They are the records that Next would return,
  // and are valid for as long.
  Result<std::span<const Record>> NextBlock();

  Status status() const;  // the error that ended the records, or success

  // The regions that the policy skipped so far, in file order. The list has at
  // most Limits::max_reported entries; num_skipped counts all.
  const std::vector<SkippedRegion>& skipped() const HEADRACE_LIFETIME_BOUND;
  uint64_t num_skipped() const;

  // Progress: the bytes of the uncompressed stream up to the end of the last
  // record returned or region skipped. Other threads may call this and
  // stored_position, too, while this reader lives and is not moved.
  uint64_t position() const;
  // The bytes of the stored (compressed) file read so far.
  uint64_t stored_position() const;
  Compression compression() const;  // as given, or found for kAuto

 private:
  class Impl;
  explicit RecordReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The size that a file of blocked gzip (RecordWriterOptions::block_bytes)
// states in the headers of its blocks. It is a claim, because nothing is
// inflated: only reading the file shows whether it is true.
struct ClaimedSize {
  uint64_t records = 0;
  uint64_t bytes = 0;  // of the uncompressed stream, with framing
};

// Returns the claimed size. Empty for a file that is not blocked gzip, for
// pipes, for files that do not exist, and if the blocks do not follow one
// another to the end of the file. Reads some bytes of each block.
HEADRACE_EXPORT Result<std::optional<ClaimedSize>> ReadClaimedSize(
    const std::string& path);

// Checks that the gzip members or zstd frames of a compressed file are where
// the file says they are. kDecompress if they are not; otherwise the errors of
// reading the file. Returns success for a file that does not state these
// places, and for anything but a regular file. Most files that state them are
// inflated for this check.
HEADRACE_EXPORT Status CheckClaimedPlaces(const std::string& path);

}  // namespace headrace

#endif  // HEADRACE_RECORD_READER_H_
