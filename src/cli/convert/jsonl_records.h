// JsonlRecords turns JSON lines into the TFRecord stream of the same messages,
// so that Reader makes columns of them like of any other.

#ifndef HEADRACE_SRC_CLI_CONVERT_JSONL_RECORDS_H_
#define HEADRACE_SRC_CLI_CONVERT_JSONL_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "headrace/input_file.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/input_options.h"
#include "src/cli/jsonl_input.h"
#include "src/cli/process/console.h"

namespace headrace::cli {

// Each line that is not blank is a record, in the order of JsonlInput. An
// invalid line becomes an invalid record, so that the reader skips it or fails
// under the same policies as for any row. With kRaw any bytes are a record, so
// an invalid line is skipped here. Any number of threads may use this.
class JsonlRecords {
 public:
  static Result<std::shared_ptr<JsonlRecords>> Open(const InputOptions& options,
                                                    const Console& console);

  MessageType message() const { return options_.message; }
  // Returns the ReadOptions::open_input that reads `records`; it ignores the
  // name of its one input.
  static OpenInput Opener(std::shared_ptr<JsonlRecords> records);

  // Replaces the record in an error of the reader by file and line.
  Status WithLine(const Status& error) const;
  // The number of lines that were skipped here, unknown to the reader;
  // AddSkipped adds them to a report.
  uint64_t num_skipped() const;
  void AddSkipped(ReadReport* report) const;

  // Bytes of the lines read so far, and of all files (0 if unknown).
  uint64_t num_bytes() const;
  uint64_t stored_size() const;

 private:
  class File;

  JsonlRecords(const InputOptions& options, JsonlInput input);
  // Begins with the first line; begins again if it was opened before.
  Status Begin();
  bool can_reopen() const;
  // Has the contract of InputFile::Read.
  Result<size_t> Read(std::span<uint8_t> out);
  // Returns false at the end, or after an error, which failure_ holds.
  bool NextRecord();
  Result<std::optional<std::string>> NextPayload();

  InputOptions options_;
  // The reader's threads read while the caller's asks.
  mutable std::mutex mutex_;
  JsonlInput input_;
  bool begun_ = false;
  std::string record_;  // with its framing
  size_t begin_ = 0;    // the part of record_ not yet returned
  Status failure_;
  std::map<uint64_t, Status> bad_;  // by record; no more than are reported
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONVERT_JSONL_RECORDS_H_
