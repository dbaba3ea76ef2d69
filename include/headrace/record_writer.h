// RecordWriter: writes TFRecord files. One thread at a time may use it.
//
//   auto writer = headrace::RecordWriter::Open("out.tfrecord");
//   if (!writer) return writer.status();
//   for (std::string_view payload : payloads) {
//     HEADRACE_RETURN_IF_ERROR(writer->Write(payload));
//   }
//   return writer->Close();

#ifndef HEADRACE_RECORD_WRITER_H_
#define HEADRACE_RECORD_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/export.h"
#include "headrace/output_file.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

struct RecordWriterOptions {
  // The compression: kNone, kGzip, kZlib, kSnappy or kZstd. Default kNone;
  // kAuto means kNone, too.
  Compression compression = Compression::kNone;
  // The level of compression: gzip and zlib 1 to 9, zstd 1 to 22. Default: 6,
  // and 3 for zstd. kInvalidArgument for any other level, and for a level with
  // any other compression.
  std::optional<int> level = {};
  // Uncompressed bytes per block of gzip and zstd files. A block holds whole
  // records, so it may exceed this size by up to one record; it is compressed
  // on its own. headrace can find and inflate a single block; any reader of
  // gzip or zstd can read the whole file. Smaller blocks compress less. Default
  // 1 MiB; 4 KiB to 1 GiB.
  uint64_t block_bytes = uint64_t{1} << 20;
  // The number of threads that compress blocks. Meanwhile the thread that calls
  // Write continues, and only that thread writes the finished blocks, in order;
  // the file is the same for any number. Default 1: the caller's. 0: one per
  // processor. Any number above 1024 means 1024. Files without blocks need no
  // threads. Each thread holds two blocks.
  size_t threads = 1;
  // Force the data to the disk before the file gets its name. Default false.
  bool fsync = false;
  TemporaryFiles* temporaries = nullptr;  // see OutputFileOptions
};

class HEADRACE_EXPORT RecordWriter {
 public:
  // Opens a temporary file beside `path`. Close renames it to `path`. Until
  // then, and after any failure, there is no file of that name, or the old one
  // is untouched. "-" writes to standard output directly.
  static Result<RecordWriter> Open(const std::string& path,
                                   const RecordWriterOptions& options = {});

  // Writes to a sink that the caller provides. kInvalidArgument for a null
  // pointer. The writer owns the sink, even if this call fails. Only Close
  // closes the sink, so without Close the output is incomplete. `name` is for
  // errors; `fsync` and `temporaries` are ignored.
  static Result<RecordWriter> ToSink(std::unique_ptr<OutputSink> sink,
                                     const std::string& name,
                                     const RecordWriterOptions& options = {});

  RecordWriter(RecordWriter&&) noexcept;
  RecordWriter& operator=(RecordWriter&&) noexcept;
  ~RecordWriter();  // removes the temporary file if Close was not called

  // Appends one record of at most 2^31 - 1 bytes. An error is final: every
  // later call returns it.
  Status Write(std::string_view payload);

  // Does everything that Close does except giving the file its name; see
  // OutputFile::Finish. A sink is closed. Call it once.
  Status Finish();
  // Finishes the stream, and gives the file its name or closes the sink. Call
  // it once. If this replaces a file, the index FILE.hri of the old file is
  // removed, as by RemoveStaleIndexes.
  Status Close();

  // The records and uncompressed bytes written so far. Other threads may call
  // these, too, while this writer lives and is not moved.
  uint64_t num_records() const;
  uint64_t num_bytes() const;

 private:
  class Impl;
  explicit RecordWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Removes the index PATH.hri of a file that is about to be replaced, if
// headrace wrote the index, and returns the paths of the other indexes beside
// the file. These other indexes are then stale and must be written again. Call
// it before the new file gets its name, so that an index of the new file is
// never removed.
HEADRACE_EXPORT std::vector<std::string> RemoveStaleIndexes(
    const std::string& path);

}  // namespace headrace

#endif  // HEADRACE_RECORD_WRITER_H_
