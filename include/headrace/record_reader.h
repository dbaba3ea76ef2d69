// RecordReader: the records of one TFRecord file, checked, one after another.
//
//   auto reader = headrace::RecordReader::Open("a.tfrecord");
//   if (!reader) return reader.status();
//   while (auto record = reader->Next()) Use(record->payload);
//   return reader->status();  // damage ends the loop, too
//
// Use it for payloads that are no tf.train message, and to look at single
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

// The bytes of a record besides its payload: 8 for the length, 4 for its CRC
// and 4 for the payload's CRC.
inline constexpr size_t kRecordOverhead = 16;

// The bytes [begin, end) of the uncompressed stream, which were skipped.
struct SkippedRegion {
  uint64_t begin = 0;
  // kUnknown of the rest of a compressed file that is damaged.
  uint64_t end = 0;
  ErrorCode reason = ErrorCode::kOk;
  std::string message = {};  // what was found there; only for kDecompress

  bool operator==(const SkippedRegion&) const = default;
};

// The part of a file that has the records whose headers begin in [begin, end)
// of the uncompressed stream. Parts that meet, from 0 to the end of the file or
// beyond, together have each record once; their bounds may be any. So several
// readers can share a file that none of them has read before.
//
// The reader reads only these records, and a few around the bounds, of a plain
// file that can be read at any place: docs/formats/tfrecord.md has the rule.
// Records then have numbers only if the part begins with the file, or an index
// of the file says them (Reader alone looks for one). kSplitSeam says that a
// part does not end where the next one begins, because a record holds a
// TFRecord file or because bytes there are damaged; it is never a guess, and no
// record is lost or read twice without it. Of any other file (compressed, a
// pipe) the bytes before the part are read, too, and records have their numbers
// in the file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = ~uint64_t{0};

  bool operator==(const ByteRange&) const = default;
};

// Part `index`, below `count`, of as many parts of like size that `size` bytes
// are cut into.
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
  // shrinks, the operating system kills the process. If somebody writes to it,
  // the records there may have any values, even after Next returned them.
  bool mmap = false;
  // Read only this part. Default: the whole file. kInvalidArgument if it ends
  // before it begins.
  ByteRange range = {};
  // Asked whether to stop: true makes the reader end with kCancelled. It is
  // called only on the thread inside a call of this reader: about once per
  // window (256 KiB), and some 20 times per second while it waits for a pipe or
  // for somebody to write a FIFO. It may be empty and must not throw.
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
  // Reads what the caller has opened, from where it stands. kInvalidArgument
  // for a null pointer. The reader owns `input`, also if this call fails, and
  // calls it only on the thread inside a call of the reader. `name` is for
  // errors; `mmap` is ignored.
  static Result<RecordReader> FromInput(
      std::unique_ptr<InputFile> input, const std::string& name,
      const RecordReaderOptions& options = {});
  // Reads a whole file's bytes, which the caller keeps alive and unchanged.
  static Result<RecordReader> FromMemory(
      std::string_view file, const RecordReaderOptions& options = {});

  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  // Returns the next record; empty at the end of the file. An error is final:
  // every later call returns it. All records before it were returned first.
  Result<std::optional<Record>> Next();
  // Returns all that can be had without reading on, at least one record; none
  // at the end of the file. The same records as of Next, and they are valid for
  // as long.
  Result<std::span<const Record>> NextBlock();

  Status status() const;  // the error that ended the records, or success

  // The regions that the policy skipped so far, in file order. The list has at
  // most Limits::max_reported entries; num_skipped counts all.
  const std::vector<SkippedRegion>& skipped() const HEADRACE_LIFETIME_BOUND;
  uint64_t num_skipped() const;

  // Progress, which other threads may ask for, too, while this reader lives and
  // is not moved. The bytes of the uncompressed stream up to the end of the
  // last record returned or region skipped.
  uint64_t position() const;
  // The bytes of the stored (compressed) file read so far, for progress.
  uint64_t stored_position() const;
  Compression compression() const;  // as given, or found for kAuto

 private:
  class Impl;
  explicit RecordReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A ClaimedSize is what a file of blocked gzip
// (RecordWriterOptions::block_bytes) says of itself in the headers of its
// blocks. Nothing is inflated, so it is a claim: reading
// the file tells whether it is true.
struct ClaimedSize {
  uint64_t records = 0;
  uint64_t bytes = 0;  // of the uncompressed stream, with framing
};

// Empty for anything else, also for pipes, for files that there are not, and
// where blocks do not follow one another to the end of the file. Reads some
// bytes of each block.
HEADRACE_EXPORT Result<std::optional<ClaimedSize>> ReadClaimedSize(
    const std::string& path);

// Compares what a compressed file says of itself, where its gzip members or
// zstd frames lie, with what lies there: kDecompress where it is not so, and
// the other errors of reading the file. Success where a file says nothing, and
// for what is not a regular file. Inflates most such files.
HEADRACE_EXPORT Status CheckClaimedPlaces(const std::string& path);

}  // namespace headrace

#endif  // HEADRACE_RECORD_READER_H_
