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

  // After an error nothing may be called any more.
  virtual Status Write(const uint8_t* data, size_t size) = 0;
  // A record ends here: those who write blocks end them between records.
  virtual Status EndRecord() { return Status(); }
  // This ends the stream, and leaves the file open.
  virtual Status Finish() = 0;
};

// `out` must outlive the encoder. kInvalidArgument for options that contradict
// one another.
Result<std::unique_ptr<Encoder>> MakeEncoder(const RecordWriterOptions& options,
                                             OutputFile* out);

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_WRITE_ENCODER_H_
