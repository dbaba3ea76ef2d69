// RecordInput gives the records of all files of a command line, under its
// policies, to the verbs that look at single records; columns come from Reader.
//
// It reads the same stream as a Reader. A batch would not do: it does not say
// where damage lies between its rows, and a verb may leave a bad file for the
// next one.

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

namespace headrace::cli {

struct InputRecord {
  Record record;    // its payload lives until the next call of Next
  size_t file = 0;  // index into files()
};

// An InputBlock has records of one file, with no damaged region between them.
struct InputBlock {
  // Valid until the next call of NextBlock; empty after the last file.
  std::span<const Record> records;
  size_t file = 0;
};

class RecordInput {
 public:
  static Result<RecordInput> Open(const InputOptions& options);
  RecordInput(RecordInput&&) noexcept;
  ~RecordInput();

  // Looks at the first records. For kAuto says on standard error if they are
  // not Examples; kRaw is never found. The report gets a notice if they hold
  // another message. Errors are left to Next, which gives the records before
  // them first.
  MessageType DecideMessage(const Console& console);

  // Empty at the end of the last file. After an error only NextFile helps.
  Result<std::optional<InputRecord>> Next();
  // The same by blocks, which cost less; call one of the two. The caller counts
  // the records that it uses, before the next call. The report has the damaged
  // regions before the block, and none after it.
  Result<InputBlock> NextBlock();
  void Count(const Record& record);
  // After an error: leaves the rest of the file and goes on with the next.
  void NextFile();
  // Parses the record given last as the type decided on. A failure has the
  // place in it and goes to SkipRow.
  Result<Message> Parse(const InputRecord& input) const;
  // Adds the record's place to an error that its bytes caused.
  Status WithPlace(const Status& error, const InputRecord& input) const;
  // Notes a bad row, or returns its error, as the policy says.
  Status SkipRow(Status error) {
    return cli::SkipRow(options_, std::move(error), &report_);
  }

  MessageType message() const { return message_; }
  const std::vector<std::string>& files() const;
  const ReadReport& report() const { return report_; }
  // For each region listed in the report, this is the number that the record
  // there would have in its file; kUnknown in a range of bytes.
  const std::vector<uint64_t>& region_records() const {
    return region_records_;
  }
  // Whether the record given first looks like a list of Examples.
  bool first_is_list() const { return first_is_list_; }
  uint64_t num_records() const { return num_records_; }  // given so far
  // Uncompressed bytes read so far, with framing and what was skipped.
  uint64_t num_bytes() const;
  // Progress counts bytes on the disk; the size of all files is 0 if unknown.
  uint64_t stored_position() const;
  uint64_t stored_size() const { return stored_size_; }

 private:
  struct Source;

  RecordInput(const InputOptions& options, std::vector<std::string> files);
  // Reads the next block into records_, which is empty after the last file.
  Status Read();

  InputOptions options_;
  std::unique_ptr<Source> source_;
  MessageType message_;
  ReadReport report_;
  std::vector<uint64_t> region_records_;
  uint64_t stored_size_;
  std::vector<Record> records_;  // of the block read last
  size_t file_ = 0;              // their file
  size_t next_ = 0;              // index in records_
  uint64_t num_records_ = 0;
  bool first_is_list_ = false;
  Status status_;
};

// Adds a hint where the records may be no messages at all.
ExitCode ComplainAboutInput(const Status& status, const RecordInput& input);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_RECORD_INPUT_H_
