// Records from JSON lines: as messages, and as the bytes of a TFRecord file.

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
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/input_file.h"
#include "headrace/message.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/input_options.h"
#include "src/cli/process/console.h"
#include "src/read/reader/byte_reader.h"

namespace headrace::cli {

// JsonlInput reads messages from JSON lines in the form of json_line.h.
class JsonlInput {
 public:
  // Reads up to the first line, which decides kAuto.
  static Result<JsonlInput> Open(const InputOptions& options,
                                 const Console& console);

  // Returns the next message, empty at the end; for kRaw it has no features,
  // and payload() has the record. An invalid line is a kMalformed error, which
  // the caller may pass to SkipRow; the next call returns the line after it.
  Result<std::optional<Message>> Next();
  // The record of kRaw that Next returned last.
  const std::string& payload() const { return payload_; }
  Status SkipRow(Status error) {
    return cli::SkipRow(options_, std::move(error), &report_);
  }
  // Returns `error` with the file and line of a record that Next returned.
  // Records are counted over all files, from 0; an invalid line counts, a blank
  // one does not.
  Status WithPlace(const Status& error, uint64_t record) const;

  const std::vector<std::string>& files() const { return files_; }
  MessageType message() const { return message_; }
  const ReadReport& report() const { return report_; }
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const { return num_bytes_; }
  // The bytes of all files; 0 if unknown.
  uint64_t stored_size() const { return stored_size_; }

 private:
  // Consecutive lines that are all records. The members describe the first of
  // them.
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

// JsonlRecords turns JSON lines into the TFRecord stream of the same messages,
// so that Reader makes columns of them as of any other stream.
//
// Each line that is not blank is a record, in the order of JsonlInput. An
// invalid line becomes an invalid record, so that the reader skips it or fails
// under the same policies as for any row. With kRaw any bytes are a record, so
// an invalid line is skipped here. Any number of threads may use a
// JsonlRecords.
class JsonlRecords {
 public:
  static Result<std::shared_ptr<JsonlRecords>> Open(const InputOptions& options,
                                                    const Console& console);

  MessageType message() const { return options_.message; }
  // Returns the ReadOptions::open_input that reads `records`, whatever name it
  // is called with.
  static OpenInput Opener(std::shared_ptr<JsonlRecords> records);

  // Returns an error of the reader with file and line instead of the record.
  Status WithLine(const Status& error) const;
  // The number of lines that were skipped here, unknown to the reader;
  // AddSkipped adds them to a report.
  uint64_t num_skipped() const {
    const std::lock_guard lock(mutex_);
    return input_.report().num_rows;
  }
  void AddSkipped(ReadReport* report) const {
    const std::lock_guard lock(mutex_);
    AddRows(input_.report(), report);
  }

  // Bytes of the lines read so far, and of all files (0 if unknown).
  uint64_t num_bytes() const {
    const std::lock_guard lock(mutex_);
    return input_.num_bytes();
  }
  uint64_t stored_size() const {
    const std::lock_guard lock(mutex_);
    return input_.stored_size();
  }

 private:
  class File;

  JsonlRecords(const InputOptions& options, JsonlInput input);
  // Begins with the first line, even if lines were read before.
  Status Begin();
  bool can_reopen() const;
  // Has the contract of InputFile::Read.
  Result<size_t> Read(std::span<uint8_t> out);
  // Returns false at the end, or after an error, which failure_ holds.
  bool NextRecord();
  Result<std::optional<std::string>> NextPayload();

  InputOptions options_;
  // The threads of the reader read while the caller's thread asks for counts.
  mutable std::mutex mutex_;
  JsonlInput input_;
  bool begun_ = false;
  std::string record_;  // with its framing
  size_t begin_ = 0;    // where the unread part of record_ begins
  Status failure_;
  std::map<uint64_t, Status> bad_;  // by record; only those that are reported
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONVERT_JSONL_RECORDS_H_
