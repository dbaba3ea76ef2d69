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
  // How to compress: kNone, kGzip, kZlib, kSnappy or kZstd. Default kNone, as
  // is kAuto.
  Compression compression = Compression::kNone;
  // How hard to compress: gzip and zlib 1 to 9, zstd 1 to 22. Default: 6, and 3
  // for zstd. kInvalidArgument for any other, and for other compressions.
  std::optional<int> level = {};
  // Gzip and zstd files consist of blocks of whole records, compressed one by
  // one, of so many uncompressed bytes or, at most by a record, more. Readers
  // find and inflate each by itself; any reader of gzip or zstd reads them all.
  // Smaller blocks compress less. Default 1 MiB; 4 KiB to 1 GiB.
  uint64_t block_bytes = uint64_t{1} << 20;
  // So many threads compress blocks, while the caller of Write goes on and
  // writes them in order; the file is the same for any number. Default 1: the
  // caller. 0: one per processor. More than 1024 are 1024, and other
  // compressions have none. Each holds two blocks.
  size_t threads = 1;
  // Force the data to the disk before the file gets its name. Default false.
  bool fsync = false;
  TemporaryFiles* temporaries = nullptr;  // see OutputFileOptions
};

class HEADRACE_EXPORT RecordWriter {
 public:
  // Opens a temporary file beside `path`, which gets its name in Close. Until
  // then, and after any failure, there is no file of that name, or the old one
  // is untouched. "-" writes to standard output, at once.
  static Result<RecordWriter> Open(const std::string& path,
                                   const RecordWriterOptions& options = {});

  // Writes to a sink that the caller provides. kInvalidArgument for a null
  // pointer. The writer owns the sink, also if this call fails; Close alone
  // closes it, so without Close the output is not whole. `name` is for errors;
  // `fsync` and `temporaries` are ignored.
  static Result<RecordWriter> ToSink(std::unique_ptr<OutputSink> sink,
                                     const std::string& name,
                                     const RecordWriterOptions& options = {});

  RecordWriter(RecordWriter&&) noexcept;
  RecordWriter& operator=(RecordWriter&&) noexcept;
  ~RecordWriter();  // removes the temporary file if Close was not called

  // Appends one record of at most 2^31 - 1 bytes. An error is final: every
  // later call returns it.
  Status Write(std::string_view payload);

  // Does all of Close except giving the file its name; see OutputFile::Finish.
  // A sink is closed. Call it once.
  Status Finish();
  // Finishes the stream, and gives the file its name or closes the sink. Call
  // it once. The index FILE.hri of a file that is replaced is removed, as by
  // RemoveStaleIndexes.
  Status Close();

  // The records and uncompressed bytes written so far. Other threads may ask,
  // too, while this writer lives and is not moved.
  uint64_t num_records() const;
  uint64_t num_bytes() const;

 private:
  class Impl;
  explicit RecordWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// For who replaces a file: removes its index, PATH.hri, if headrace wrote that,
// and returns the paths of the other indexes that lie beside the file. They are
// stale then, and must be written again. Call it before the new file gets its
// name, so that an index of that is never removed.
HEADRACE_EXPORT std::vector<std::string> RemoveStaleIndexes(
    const std::string& path);

}  // namespace headrace

#endif  // HEADRACE_RECORD_WRITER_H_
