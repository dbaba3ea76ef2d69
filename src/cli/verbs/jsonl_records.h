// JsonlRecords: JSON lines as the TFRecord stream that holds the same messages,
// so that Reader makes columns of them as of any other.

#ifndef HEADRACE_SRC_CLI_VERBS_JSONL_RECORDS_H_
#define HEADRACE_SRC_CLI_VERBS_JSONL_RECORDS_H_

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
#include "src/cli/console.h"
#include "src/cli/jsonl_input.h"
#include "src/cli/record_input.h"

namespace headrace::cli {

// Each line that is not blank is a record, in the order of JsonlInput. A line
// that is no message becomes a record that is none, so that the reader skips it
// or fails under the same policies as any row; of kRaw, where any bytes are a
// record, it is skipped here. Used by any number of threads at once.
class JsonlRecords {
 public:
  static Result<std::shared_ptr<JsonlRecords>> Open(const InputOptions& options,
                                                    const Console& console);

  MessageType message() const { return options_.message; }
  // For ReadOptions::open_input; the name of the one input says nothing.
  static OpenInput Opener(std::shared_ptr<JsonlRecords> records);

  // An error of the reader, which knows records, with file and line instead.
  Status WithLine(const Status& error) const;
  // How many lines were skipped here, which the reader does not know;
  // AddSkipped adds them.
  uint64_t num_skipped() const;
  void AddSkipped(ReadReport* report) const;

  // Bytes of the lines read so far, and of all files (0 if unknown).
  uint64_t num_bytes() const;
  uint64_t stored_size() const;

 private:
  class File;

  JsonlRecords(const InputOptions& options, JsonlInput input);
  // From the first line on, again where it was opened before.
  Status Begin();
  bool can_reopen() const;
  // As InputFile::Read.
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
  size_t begin_ = 0;    // of what was not given of record_
  Status failure_;
  std::map<uint64_t, Status> bad_;  // by record; no more than are reported
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_JSONL_RECORDS_H_
