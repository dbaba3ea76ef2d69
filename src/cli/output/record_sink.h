// RecordSink: an output to which `headrace convert` writes records one by one.

#ifndef HEADRACE_SRC_CLI_OUTPUT_RECORD_SINK_H_
#define HEADRACE_SRC_CLI_OUTPUT_RECORD_SINK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_writer.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/cli/output/projection.h"

namespace headrace::cli {

class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // The payload may have any bytes.
  virtual Status WritePayload(std::string_view payload) = 0;
  // The payload is a message of `type`. Sinks of JSON lines write the part that
  // the projection keeps, and return kMalformed for an invalid message; others
  // write the payload unchanged.
  virtual Status WriteRecord(std::string_view payload, MessageType type) = 0;
  // Gives the output its name. Without Close there is no output; standard
  // output keeps what was written, in whole records, through Flush.
  virtual Status Close() = 0;
  virtual Status Flush() = 0;
  virtual uint64_t num_bytes() const = 0;
};

// The projection must outlive the sink.
Result<std::unique_ptr<RecordSink>> OpenJsonlSink(const std::string& path,
                                                  Projection* projection);

// Writes the records to the files in turn. Either all files get their names or
// none.
Result<std::unique_ptr<RecordSink>> OpenTfrecordSink(
    const std::vector<std::string>& paths, const RecordWriterOptions& stored);

// Writes an archive with files for each record, by Python.
Result<std::unique_ptr<RecordSink>> OpenWebdatasetSink(const std::string& path);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_RECORD_SINK_H_
