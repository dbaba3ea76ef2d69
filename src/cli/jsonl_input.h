// JsonlInput reads messages from JSON lines in the form of json_line.h.

#ifndef HEADRACE_SRC_CLI_JSONL_INPUT_H_
#define HEADRACE_SRC_CLI_JSONL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/input_options.h"
#include "src/cli/process/console.h"
#include "src/read/reader/byte_reader.h"

namespace headrace::cli {

class JsonlInput {
 public:
  // Reads up to the first line, which decides kAuto.
  static Result<JsonlInput> Open(const InputOptions& options,
                                 const Console& console);

  // Returns the next message, empty at the end; for kRaw it has no features,
  // and payload() has the record. An invalid line is kMalformed and goes to
  // SkipRow; the next call returns the line after it.
  Result<std::optional<Message>> Next();
  // The record of kRaw that Next returned last.
  const std::string& payload() const { return payload_; }
  Status SkipRow(Status error) {
    return cli::SkipRow(options_, std::move(error), &report_);
  }
  // Adds file and line of a record that Next returned to `error`. Records are
  // counted over all files, from 0; an invalid line counts, a blank one does
  // not.
  Status WithPlace(const Status& error, uint64_t record) const;

  const std::vector<std::string>& files() const { return files_; }
  MessageType message() const { return message_; }
  const ReadReport& report() const { return report_; }
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }
  // The bytes of all files; 0 if unknown.
  uint64_t stored_size() const { return stored_size_; }

 private:
  // A run of lines, from this one on, that are all records.
  struct Run {
    uint64_t record;
    size_t file;
    uint64_t line;  // from 1
  };

  JsonlInput(const InputOptions& options, std::vector<std::string> files)
      : options_(options),
        files_(std::move(files)),
        message_(options.message),
        stored_size_(StoredSize(files_)) {}
  // Reads a line of any length; false at the end of the open file.
  Result<bool> ReadLine();
  // Reads the next line that is not blank; false at the end.
  Result<bool> NextLine();
  Result<std::optional<Message>> ParseLine();

  InputOptions options_;
  std::vector<std::string> files_;
  MessageType message_;
  ReadReport report_;
  std::optional<ByteReader> reader_;  // of file_; empty: not open yet
  std::string_view rest_;             // unread bytes that reader_ returned
  size_t file_ = 0;
  uint64_t line_number_ = 0;  // from 1
  std::string line_;
  bool held_ = false;  // line_ decided kAuto and is still to be returned
  std::string payload_;
  uint64_t num_records_ = 0;
  uint64_t num_bytes_ = 0;
  uint64_t stored_size_;
  std::vector<Run> runs_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_JSONL_INPUT_H_
