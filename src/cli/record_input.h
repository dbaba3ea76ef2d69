// RecordInput reads the records of all files of a command line, under its
// policies, for the verbs that look at single records; for columns see Reader.
//
// It reads the same stream as a Reader. Batches would not suffice: a batch does
// not say where damage is between its rows, and a verb may go from a bad file
// to the next.

#ifndef HEADRACE_SRC_CLI_RECORD_INPUT_H_
#define HEADRACE_SRC_CLI_RECORD_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/cli/input_options.h"
#include "src/cli/process/console.h"
#include "src/read/stream/record_stream.h"

namespace headrace::cli {

struct InputRecord {
  Record record;    // its payload lives until the next call of Next
  size_t file = 0;  // index into files()
};

// Records of one file, with no damaged region between them.
struct InputBlock {
  // Valid until the next call of NextBlock; empty after the last file.
  std::span<const Record> records;
  size_t file = 0;
};

class RecordInput {
 public:
  static Result<RecordInput> Open(const InputOptions& options);

  // Examines the first records, and notes on standard error for kAuto if they
  // are not Examples; it never decides on kRaw. The report gets a notice if
  // they hold another message. Errors are left to Next, which first returns the
  // records before the error.
  MessageType DecideMessage(const Console& console);

  // Returns empty at the end of the last file. After an error, only NextFile
  // may be called.
  Result<std::optional<InputRecord>> Next();
  // Does the same for blocks of records, which is faster; call only one of Next
  // and NextBlock. The caller counts the records that it uses, before the next
  // call. The report has the damaged regions before the block, and none after
  // it.
  Result<InputBlock> NextBlock();
  void Count(const Record& record);
  // After an error: skips the rest of the file and goes on with the next.
  void NextFile();
  // Parses the record returned last as the message decided on. An error has the
  // record's place and goes to SkipRow.
  Result<Message> Parse(const InputRecord& input) const;
  // Adds the record's place to an error that its bytes caused.
  Status WithPlace(const Status& error, const InputRecord& input) const;
  // Adds a bad row to the report, or returns its error, as the policy says.
  Status SkipRow(Status error) {
    return cli::SkipRow(source_->options, std::move(error), &report_);
  }

  MessageType message() const { return message_; }
  const std::vector<std::string>& files() const { return source_->files; }
  const ReadReport& report() const { return report_; }
  // For each region listed in the report, the number that a record there would
  // have in its file; kUnknown in a range of bytes.
  const std::vector<uint64_t>& region_records() const {
    return region_records_;
  }
  // Whether the first record returned looks like a list of Examples.
  bool first_is_list() const { return first_is_list_; }
  uint64_t num_records() const { return num_records_; }  // returned so far
  // Uncompressed bytes read so far, with framing and what was skipped.
  uint64_t num_bytes() const { return source_->stream.num_bytes(); }
  // Progress counts bytes on the disk; the size of all files is 0 if unknown.
  uint64_t stored_position() const { return source_->stream.stored_position(); }
  uint64_t stored_size() const { return stored_size_; }

 private:
  // The stream refers to the files and the options.
  struct Source {
    const std::vector<std::string> files;
    const InputOptions options;
    reader::RecordStream stream{files, options, nullptr,
                                reader::Payloads::kChecked};
  };

  RecordInput(InputOptions options, std::vector<std::string> files);
  // Reads the next block into records_, which is empty after the last file.
  Status Read();

  std::unique_ptr<Source> source_;
  uint64_t stored_size_;  // unlike the stream's, 0 if one file has none
  MessageType message_;
  ReadReport report_;
  std::vector<uint64_t> region_records_;
  std::vector<Record> records_;  // of the block read last
  size_t file_ = 0;              // their file
  size_t next_ = 0;              // index in records_
  uint64_t num_records_ = 0;
  bool first_is_list_ = false;
  Status status_;
};

// Complains about `status`, with a hint if the records may not be messages at
// all.
ExitCode ComplainAboutInput(const Status& status, const RecordInput& input);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_RECORD_INPUT_H_
