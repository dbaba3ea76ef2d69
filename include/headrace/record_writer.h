// RecordWriter: writes TFRecord files. Not thread-safe.

#ifndef HEADRACE_RECORD_WRITER_H_
#define HEADRACE_RECORD_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/output_file.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

struct RecordWriterOptions {
  // kNone, kGzip, kZlib, kSnappy or kZstd; kAuto is kNone.
  Compression compression = Compression::kNone;
  // Force the data to the disk before the file gets its name.
  bool fsync = false;
  TemporaryFiles* temporaries = nullptr;  // see OutputFileOptions
};

class RecordWriter {
 public:
  // Writes to a temporary file beside `path`, which gets its name in Close:
  // until then, and after any failure, nothing of that name exists or what
  // existed is untouched. "-" writes to standard output, at once.
  static Result<RecordWriter> Open(const std::string& path,
                                   const RecordWriterOptions& options = {});

  // Writes to what the caller provides, which the writer then owns, also where
  // this fails. `name` is for errors; `fsync` and `temporaries` say nothing.
  // The sink is closed by Close alone: without it the output is not whole. A
  // null pointer is kInvalidArgument.
  static Result<RecordWriter> ToSink(std::unique_ptr<OutputSink> sink,
                                     const std::string& name,
                                     const RecordWriterOptions& options = {});

  RecordWriter(RecordWriter&&) noexcept;
  RecordWriter& operator=(RecordWriter&&) noexcept;
  // Without Close the temporary file is removed.
  ~RecordWriter();

  // Appends one record. After an error every later call returns it.
  Status Write(std::string_view payload);

  // Finishes the stream without giving the file its name, as
  // OutputFile::Finish. A sink is closed. Once.
  Status Finish();
  // Finishes the stream, and gives the file its name or closes the sink. Once.
  Status Close();

  // Records and bytes of the uncompressed stream written so far.
  uint64_t num_records() const;
  uint64_t num_bytes() const;

 private:
  class Impl;
  explicit RecordWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_RECORD_WRITER_H_
