// `headrace convert` puts records into a RecordSink one by one.

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
  // The payload is one of `type`. Sinks of JSON lines write of it what the
  // projection keeps, and fail with kMalformed if it is no such message; others
  // write it as it is.
  virtual Status WriteRecord(std::string_view payload, MessageType type) = 0;
  // Close gives the output its name. Without it there is no output; standard
  // output keeps what was written, in whole records, through Flush.
  virtual Status Close() = 0;
  virtual Status Flush() = 0;
  virtual uint64_t num_bytes() const = 0;
};

// The projection outlives the sink.
Result<std::unique_ptr<RecordSink>> OpenJsonlSink(const std::string& path,
                                                  Projection* projection);

// The files take the records in turn. Either all get their names or none.
Result<std::unique_ptr<RecordSink>> OpenTfrecordSink(
    const std::vector<std::string>& paths, const RecordWriterOptions& stored);

// An archive with files for each record, which Python writes.
Result<std::unique_ptr<RecordSink>> OpenWebdatasetSink(const std::string& path);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_RECORD_SINK_H_
