// JsonlRecords gives JSON lines as the TFRecord stream that holds the same
// messages, so that Reader makes columns of them as of any other.

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

// Each line that is not blank is a record, in the order of JsonlInput. A line
// that is no message becomes a record that is none, so that the reader skips it
// or fails under the same policies as for any row. With kRaw any bytes are a
// record, so such a line is skipped here. Any number of threads may use this at
// once.
class JsonlRecords {
 public:
  static Result<std::shared_ptr<JsonlRecords>> Open(const InputOptions& options,
                                                    const Console& console);

  MessageType message() const { return options_.message; }
  // ReadOptions::open_input gets this; the name of the one input is ignored.
  static OpenInput Opener(std::shared_ptr<JsonlRecords> records);

  // The reader's errors know records; file and line replace these.
  Status WithLine(const Status& error) const;
  // So many lines were skipped here, unknown to the reader; AddSkipped adds
  // them.
  uint64_t num_skipped() const;
  void AddSkipped(ReadReport* report) const;

  // Bytes are those of the lines read so far, and of all files (0 if unknown).
  uint64_t num_bytes() const;
  uint64_t stored_size() const;

 private:
  class File;

  JsonlRecords(const InputOptions& options, JsonlInput input);
  // Begins with the first line, again if it was opened before.
  Status Begin();
  bool can_reopen() const;
  // InputFile::Read has the same contract.
  Result<size_t> Read(std::span<uint8_t> out);
  // False at the end, or where failure_ says why there is no more.
  bool NextRecord();
  Result<std::optional<std::string>> NextPayload();

  InputOptions options_;
  // The reader's threads read, while the caller's asks.
  mutable std::mutex mutex_;
  JsonlInput input_;
  bool begun_ = false;
  std::string record_;  // with its framing
  size_t begin_ = 0;    // what was given of record_ ends here
  Status failure_;
  std::map<uint64_t, Status> bad_;  // by record; no more than are reported
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONVERT_JSONL_RECORDS_H_
