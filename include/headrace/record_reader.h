// RecordReader: the records of one TFRecord file, checked, one after another.
//
// The layout, the classes of damage and the policies are in
// docs/formats/tfrecord.md. Not thread-safe.

#ifndef HEADRACE_RECORD_READER_H_
#define HEADRACE_RECORD_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// Bytes of a record besides its payload: 8 length, 4 CRC, 4 CRC.
inline constexpr size_t kRecordOverhead = 16;

// Bytes [begin, end) of the uncompressed stream that were left out.
struct SkippedRegion {
  uint64_t begin = 0;
  uint64_t end = 0;
  ErrorCode reason = ErrorCode::kOk;

  bool operator==(const SkippedRegion&) const = default;
};

struct RecordReaderOptions {
  Compression compression = Compression::kAuto;
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  // The header's CRC is always checked: without it a hole in a file reads as
  // an endless row of empty records.
  bool verify_payload = true;
  // Map the file instead of reading it. The file must not shrink meanwhile:
  // the operating system then ends the process. Where it is written to in place
  // the records there may give any values, also after they have been given.
  bool mmap = false;
  // Whether to end: true makes the reader end with kCancelled. Called only on
  // the thread that is in a call of this reader: about once a window (256 KiB)
  // and, while that waits for a pipe or for somebody to write a FIFO, some 20
  // times a second. May be empty; must not throw.
  std::function<bool()> interrupted = {};
  Limits limits = {};
};

struct Record {
  std::string_view payload;  // valid until the next call of Next
  uint64_t number = 0;       // within the file, from 0
  uint64_t offset = 0;       // of its header, in the uncompressed stream
  bool recovered = false;    // found by rescanning after damage
};

class RecordReader {
 public:
  // A path, or "-" for standard input.
  static Result<RecordReader> Open(const std::string& path,
                                   const RecordReaderOptions& options = {});
  // What the caller has opened: it is read from where it stands, asked by the
  // thread that is in a call of this reader, and destroyed with the reader, or
  // where this fails. `name` is for errors; `mmap` says nothing. A null pointer
  // is kInvalidArgument.
  static Result<RecordReader> FromInput(
      std::unique_ptr<InputFile> input, const std::string& name,
      const RecordReaderOptions& options = {});
  // A whole file's bytes, which the caller keeps alive and unchanged.
  static Result<RecordReader> FromMemory(
      std::string_view file, const RecordReaderOptions& options = {});

  RecordReader(RecordReader&&) noexcept;
  RecordReader& operator=(RecordReader&&) noexcept;
  ~RecordReader();

  // The next record; empty at the end of the file. An error is final and is
  // returned by every later call; all records before it have been given.
  Result<std::optional<Record>> Next();

  // What the policy left out so far, in file order. The list is bounded by
  // Limits::max_reported, the count is not.
  const std::vector<SkippedRegion>& skipped() const;
  uint64_t num_skipped() const;

  // Bytes of the uncompressed stream up to the end of the last record given
  // or region skipped.
  uint64_t position() const;
  // Bytes of the stored (compressed) file read so far, for progress.
  uint64_t stored_position() const;
  // What was found or asked for; never kAuto.
  Compression compression() const;

 private:
  class Impl;
  explicit RecordReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_RECORD_READER_H_
