// How a verb stores the records that it writes, and the outputs themselves.

#ifndef HEADRACE_SRC_CLI_OUTPUT_RECORD_OUTPUT_H_
#define HEADRACE_SRC_CLI_OUTPUT_RECORD_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_writer.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/cli/output/projection.h"
#include "src/cli/process/console.h"
#include "src/cli/process/signals.h"

namespace headrace::cli {

struct RecordOutput {
  Compression compression = Compression::kAuto;  // by the name
  std::optional<int> level = {};
  std::optional<uint64_t> block_bytes = {};
  uint64_t threads = 1;

  bool has_blocks_or_level() const { return level || block_bytes; }
  // Returns the options for a file of this name.
  RecordWriterOptions WriterOptions(const std::string& path) const;
};

// Warns on standard error of indexes that describe the earlier contents of
// files that were written.
void WarnOfStaleIndexes(std::span<const std::string> paths,
                        const Console& console);

// Closes finished outputs that belong together: all get their names, or none.
// paths[i] is the name of (*outputs)[i].
template <class Output>
Status CommitAll(const std::vector<std::string>& paths,
                 std::vector<Output>* outputs) {
  const HoldSignals hold;
  for (size_t i = 0; i < outputs->size(); ++i) {
    Status status = (*outputs)[i].Close();
    if (status.ok()) continue;
    // A part of a shard set is worse than none.
    for (size_t j = 0; j < i; ++j) std::remove(paths[j].c_str());
    return status;
  }
  return Status();
}

// RecordSink: an output to which `headrace convert` writes records one by one.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // The payload may have any bytes.
  virtual Status WritePayload(std::string_view payload) = 0;
  // The payload is a message of `type`. Sinks of JSON lines write the part that
  // the projection keeps, and return kMalformed for an invalid message; others
  // write the payload unchanged.
  virtual Status WriteRecord(std::string_view payload, MessageType type) = 0;
  // Gives the output its name. Without Close there is no output, except on
  // standard output: Flush writes the whole records so far to it.
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

#endif  // HEADRACE_SRC_CLI_OUTPUT_RECORD_OUTPUT_H_
