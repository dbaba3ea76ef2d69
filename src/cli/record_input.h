// RecordInput: the records of all files of a command line, under its policies.
// What the verbs that look at single records share; columns come from Reader.

#ifndef HEADRACE_SRC_CLI_RECORD_INPUT_H_
#define HEADRACE_SRC_CLI_RECORD_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/cli/console.h"

namespace headrace::cli {

// What the options that all reading verbs share ask for.
struct InputOptions {
  std::vector<std::string> patterns;
  MessageType message = MessageType::kAuto;
  Compression compression = Compression::kAuto;
  OnCorrupt on_corrupt = OnCorrupt::kFail;
  OnRowError on_row_error = OnRowError::kFail;
  uint64_t max_bad = ~uint64_t{0};
  bool no_payload_crc = false;
  bool mmap = false;
  uint64_t threads = 1;
  bool quiet = false;
  // Regions and rows that the report lists; more are only counted.
  size_t max_reported = Limits().max_reported;
};

RecordReaderOptions ReaderOptionsOf(const InputOptions& options);
// For Reader; how the rows are cut into batches is left to the verb.
ReadOptions ReadOptionsOf(const InputOptions& options);
// With the columns of the plan, or found from the data; says which message was
// taken for kAuto.
Result<Reader> OpenReader(const std::vector<std::string>& paths,
                          const std::optional<Plan>& plan,
                          const ReadOptions& options, const Console& console);

// "example", "sequence_example", "raw", "auto".
std::string_view MessageTypeName(MessageType type);

// On standard error, what kAuto was decided to be, where that is not what
// records mostly are.
void NoteMessage(MessageType decided, const Console& console);

// Bytes that the files have on the disk, 0 where that is not known of all.
uint64_t StoredSize(const std::vector<std::string>& files);

// Messages call a file by this name: "<stdin>" for "-".
std::string FileName(const std::string& path);

// Under OnRowError::kSkip adds the bad row to the report, which is success
// unless it is one too many; otherwise gives the error back.
Status SkipRow(const InputOptions& options, Status error, ReadReport* report);
// Adds the skipped rows of another part of the work.
void AddRows(const ReadReport& more, ReadReport* report);

struct InputRecord {
  Record record;    // the payload lives until the next call of Next
  size_t file = 0;  // index into files()
  // Damaged regions that lie before this record, in all files.
  uint64_t regions_before = 0;
};

class RecordInput {
 public:
  static Result<RecordInput> Open(const InputOptions& options);

  // Looks at the first records where the options say kAuto, and says on
  // standard error where they are SequenceExamples. kRaw is never found. Errors
  // are left to Next, which gives the records before them first.
  MessageType DecideMessage(const Console& console);

  // Empty at the end of the last file. An error is final, but for NextFile.
  Result<std::optional<InputRecord>> Next();
  // After an error: leaves the rest of the file and goes on with the next.
  void NextFile();
  // After an error that says where the good bytes of the file end: as NextFile,
  // and the rest is reported as a region, which may be one too many.
  Status DropRest(const Status& error);
  // The record given last as a message of the type decided on. A failure has
  // the place in it and goes to SkipRow.
  Result<Message> Parse(const InputRecord& input) const;
  // Notes or gives back what a bad row is, as the policy says.
  Status SkipRow(Status error) {
    return cli::SkipRow(options_, std::move(error), &report_);
  }

  MessageType message() const { return message_; }
  const std::vector<std::string>& files() const { return files_; }
  const ReadReport& report() const { return report_; }
  // For each region listed in the report: the number that the record there
  // would have in its file.
  const std::vector<uint64_t>& region_records() const {
    return region_records_;
  }
  // Given by Next so far; bytes with framing and what was skipped.
  uint64_t num_records() const { return num_records_; }
  uint64_t num_bytes() const;
  // On the disk, for progress: read so far, and of all files (0 if unknown).
  uint64_t stored_position() const;
  uint64_t stored_size() const { return stored_size_; }
  // Records taken for Examples, by the look of those before them, whose feature
  // lists are left out.
  uint64_t num_without_lists() const { return num_without_lists_; }

 private:
  struct Held {
    std::string payload;
    InputRecord input;
  };

  RecordInput(const InputOptions& options, std::vector<std::string> files);
  Result<std::optional<InputRecord>> Pull();
  Result<std::optional<InputRecord>> Take();
  void CollectRegions();

  InputOptions options_;
  std::vector<std::string> files_;
  MessageType message_;
  ReadReport report_;
  std::optional<RecordReader> reader_;  // of file_; empty: not open yet
  size_t file_ = 0;
  uint64_t regions_seen_ = 0;  // of reader_
  uint64_t next_record_ = 0;   // of reader_
  std::vector<uint64_t> region_records_;
  uint64_t bytes_before_ = 0;  // of the files before file_
  uint64_t num_records_ = 0;
  uint64_t stored_before_ = 0;  // of the files before file_
  uint64_t stored_size_ = 0;
  uint64_t num_without_lists_ = 0;
  bool took_for_examples_ = false;  // kAuto, and no record said otherwise
  std::deque<Held> held_;           // looked at, not given yet
  std::string given_;               // the payload given last, if it was held
  Status status_;
};

// `error` of a message, which knows its place in the message only, with the
// place of the record.
Status WithPlace(const Status& error, const std::string& file,
                 const Record& record);

// kTooManyBad when the report holds more than the policy allows; the text names
// the first of them.
Status CheckBad(const ReadReport& report, uint64_t max_bad);

// What was left out of the records of `input`, on standard error.
void ListLosses(const RecordInput& input, const Console& console);

// Says, if any, of how many records the feature lists were left out.
void WarnOfLists(uint64_t num_records, const Console& console);

// Complains about an error of `input`, with a hint where the records may be
// no messages at all.
ExitCode ComplainAboutInput(const Status& status, const RecordInput& input);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_RECORD_INPUT_H_
