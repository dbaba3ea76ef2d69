// JsonlInput: messages from files of JSON lines, in the form of json_line.h.

#ifndef HEADRACE_SRC_CLI_JSONL_INPUT_H_
#define HEADRACE_SRC_CLI_JSONL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/message.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/console.h"
#include "src/cli/json/line_reader.h"
#include "src/cli/record_input.h"

namespace headrace::cli {

class JsonlInput {
 public:
  // Reads up to the first line, which decides kAuto.
  static Result<JsonlInput> Open(const InputOptions& options,
                                 const Console& console);

  // The next message; of kRaw a message of no features, see payload(). Empty
  // at the end. A line that is no message is kMalformed and goes to SkipRow;
  // then Next gives the line after it.
  Result<std::optional<Message>> Next();
  // The record of kRaw that Next gave last.
  const std::string& payload() const { return payload_; }
  // As RecordInput::SkipRow.
  Status SkipRow(Status error);
  // `error` of the message given last with file and line.
  Status WithPlace(const Status& error) const;

  MessageType message() const { return message_; }
  const ReadReport& report() const { return report_; }
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }
  // Bytes of all files, 0 if unknown.
  uint64_t stored_size() const { return stored_size_; }

 private:
  JsonlInput(const InputOptions& options, std::vector<std::string> files)
      : options_(options),
        files_(std::move(files)),
        message_(options.message),
        stored_size_(StoredSize(files_)) {}
  // Moves to the next line that is not blank; false at the end.
  Result<bool> NextLine();
  Result<std::optional<Message>> ParseLine();

  InputOptions options_;
  std::vector<std::string> files_;
  MessageType message_;
  ReadReport report_;
  std::optional<LineReader> reader_;  // of file_; empty: not open yet
  size_t file_ = 0;
  uint64_t line_number_ = 0;  // from 1
  std::string line_;
  bool held_ = false;  // line_ was read to decide, and is not given yet
  std::string payload_;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  uint64_t stored_size_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSONL_INPUT_H_
