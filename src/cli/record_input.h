// RecordInput gives the records of all files of a command line, under its
// policies, to the verbs that look at single records; columns come from Reader.

#ifndef HEADRACE_SRC_CLI_RECORD_INPUT_H_
#define HEADRACE_SRC_CLI_RECORD_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
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
#include "headrace/tfds.h"
#include "headrace/types.h"
#include "src/cli/process/console.h"

namespace headrace::cli {

// All reading verbs share the options that ask for these.
struct InputOptions {
  std::vector<std::string> patterns;
  MessageType message = MessageType::kAuto;
  Compression compression = Compression::kAuto;
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  OnRowError on_row_error = OnRowError::kFail;
  OnAbsent on_absent = OnAbsent::kWarn;
  uint64_t max_bad = ~uint64_t{0};
  bool no_payload_crc = false;
  bool mmap = false;
  ByteRange range = {};
  // Folders of TFDS were among the patterns, which are now files: one for each
  // of these ranges. `dataset` is set if a folder was the only FILE.
  bool has_folders = false;
  bool outside_files = false;  // see tfds::FolderOptions
  std::vector<RecordRange> record_ranges = {};
  std::shared_ptr<const tfds::Info> dataset = {};
  uint64_t threads = 1;
  IndexUse index = IndexUse::kAuto;
  bool write_index = false;
  bool quiet = false;
  // The report lists so many regions and rows; more are only counted.
  size_t max_reported = Limits().max_reported;
  uint64_t max_batch_bytes = Limits().max_batch_bytes;
};

// The files that these name. Says on standard error, once, what is left out of
// folders: under `quiet` only what may have records.
Result<std::vector<std::string>> FindAndNote(
    std::span<const std::string> patterns, const Console& console);

// FindAndNote of the patterns: exactly one where a range is asked for.
Result<std::vector<std::string>> FindInputs(const InputOptions& options);
RecordReaderOptions ReaderOptionsOf(const InputOptions& options);
// The verb decides how rows are cut into batches.
ReadOptions ReadOptionsOf(const InputOptions& options);
// Columns are the plan's, or found from the data; then it says which message
// kAuto stands for.
Result<Reader> OpenReader(const std::vector<std::string>& paths,
                          const std::optional<Plan>& plan,
                          const ReadOptions& options, const Console& console);

// These are "example", "sequence_example", "elwc", "raw", "auto".
std::string_view MessageTypeName(MessageType type);

// Says on standard error what kAuto was decided to be, unless that is what
// records mostly are.
void NoteMessage(MessageType decided, const Console& console);

// Counts bytes on the disk; 0 where a file's are not known.
uint64_t StoredSize(const std::vector<std::string>& files);

// Messages call a file by this name: "<stdin>" for "-".
std::string FileName(const std::string& path);

// Under OnRowError::kSkip adds the bad row to the report, which is success
// unless it is one too many; otherwise gives the error back.
Status SkipRow(const InputOptions& options, Status error, ReadReport* report);
// Adds the skipped rows of another part of the work.
void AddRows(const ReadReport& more, ReadReport* report);

struct InputRecord {
  Record record;    // its payload lives until the next call of Next
  size_t file = 0;  // index into files()
  // So many damaged regions, in all files, lie before this record.
  uint64_t regions_before = 0;
};

// An InputBlock has records of one file, with no damaged region between them.
struct InputBlock {
  // Valid until the next call of NextBlock; empty behind the last file.
  std::span<const Record> records;
  size_t file = 0;
  uint64_t regions_before = 0;
};

class RecordInput {
 public:
  static Result<RecordInput> Open(const InputOptions& options);

  // Looks at the first records. For kAuto says on standard error if they are
  // not Examples; kRaw is never found. The report gets a notice if they hold
  // another message. Errors are left to Next, which gives the records before
  // them first.
  MessageType DecideMessage(const Console& console);

  // Empty at the end of the last file. After an error only NextFile helps.
  Result<std::optional<InputRecord>> Next();
  // The same by blocks, which cost less. The caller counts the records that it
  // uses, before the next call.
  Result<InputBlock> NextBlock();
  void Count(const Record& record);
  // After an error: leaves the rest of the file and goes on with the next.
  void NextFile();
  // Parses the record given last as the type decided on. A failure has the
  // place in it and goes to SkipRow.
  Result<Message> Parse(const InputRecord& input) const;
  // Adds the record's place to an error that its bytes caused.
  Status WithPlace(const Status& error, const InputRecord& input) const;
  // The policy decides whether a bad row is noted or its error given back.
  Status SkipRow(Status error) {
    return cli::SkipRow(options_, std::move(error), &report_);
  }

  MessageType message() const { return message_; }
  const std::vector<std::string>& files() const { return files_; }
  const ReadReport& report() const { return report_; }
  // For each region listed in the report, this is the number that the record
  // there would have in its file; kUnknown in a range of bytes.
  const std::vector<uint64_t>& region_records() const {
    return region_records_;
  }
  // Whether the record given first looks like a list of Examples.
  bool first_is_list() const { return first_is_list_; }
  // So much was given; bytes include framing and what was skipped.
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const;
  // Progress counts bytes on the disk; the size of all files is 0 if unknown.
  uint64_t stored_position() const;
  uint64_t stored_size() const { return stored_size_; }

 private:
  // A copy of a record.
  struct Held {
    explicit Held(const InputRecord& record);
    InputRecord Give() const;

    InputRecord input;  // its payload is not valid
    size_t size;
    std::string padded;
  };

  RecordInput(const InputOptions& options, std::vector<std::string> files);
  Result<std::optional<InputRecord>> Pull();
  Result<std::optional<InputRecord>> Take();
  InputBlock TakeHeldBlock();
  bool OpenFile();
  bool HasRead(const Status& status, const Record* last);
  void CollectRegions();
  // What is read of the open file: all of it where no ranges are given.
  RecordRange range() const {
    return options_.record_ranges.empty() ? RecordRange()
                                          : options_.record_ranges[file_];
  }
  // Whether nothing of the file is left to give, or to look at.
  bool IsBehindRange() const;
  std::span<const Record> InRange(std::span<const Record> records) const;
  // The file has ended, or goes on behind its last record.
  Status CheckRecordCount(bool has_ended) const;

  InputOptions options_;
  std::vector<std::string> files_;
  MessageType message_;
  ReadReport report_;
  std::optional<RecordReader> reader_;  // of file_; empty: not open yet
  size_t file_ = 0;
  uint64_t regions_seen_ = 0;  // in reader_
  uint64_t next_record_ = 0;   // in reader_
  std::vector<uint64_t> region_records_;
  uint64_t bytes_before_ = 0;  // in files before file_
  uint64_t num_records_ = 0;
  uint64_t stored_before_ = 0;  // in files before file_
  uint64_t stored_size_ = 0;
  bool first_is_list_ = false;
  std::deque<Held> held_;   // looked at, still to be given
  std::deque<Held> given_;  // those given last, if they were held
  std::vector<Record> given_records_;
  Status status_;
};

// `error` knows its place in the message; this adds that of the record.
Status WithPlace(const Status& error, const std::string& file,
                 const Record& record);

// Fails with kTooManyBad when the report holds more than the policy allows; the
// text names the first of them.
Status CheckBad(const ReadReport& report, uint64_t max_bad);

// Adds a hint where the records may be no messages at all.
ExitCode ComplainAboutInput(const Status& status, const RecordInput& input);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_RECORD_INPUT_H_
