// Encoder writes records as a compressed stream to an OutputFile.

#ifndef HEADRACE_SRC_INPUT_WRITE_ENCODER_H_
#define HEADRACE_SRC_INPUT_WRITE_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "headrace/output_file.h"
#include "headrace/record_writer.h"
#include "headrace/status.h"

namespace headrace::record {

class Encoder {
 public:
  virtual ~Encoder() = default;

  // After an error, no function may be called again.
  virtual Status Write(const uint8_t* data, size_t size) = 0;
  // Ends a record. Encoders that write blocks end them between records.
  virtual Status EndRecord() { return Status(); }
  // Ends the stream and leaves the file open.
  virtual Status Finish() = 0;
};

// `out` must outlive the encoder. Fails with kInvalidArgument for options that
// contradict each other.
Result<std::unique_ptr<Encoder>> MakeEncoder(const RecordWriterOptions& options,
                                             OutputFile* out);

// Returns the encoder of gzip or zstd, for options that MakeEncoder has
// checked. Fails with kOutOfMemory.
Result<std::unique_ptr<Encoder>> MakeBlockEncoder(
    const RecordWriterOptions& options, int level, OutputFile* out);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_WRITE_ENCODER_H_
