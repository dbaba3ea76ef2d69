// Options of the verbs that read, and what follows from them: which files are
// read, how, and which bad rows are skipped.

#ifndef HEADRACE_SRC_CLI_INPUT_OPTIONS_H_
#define HEADRACE_SRC_CLI_INPUT_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
// unless it is one too many; otherwise returns the error.
Status SkipRow(const InputOptions& options, Status error, ReadReport* report);
// Adds the skipped rows of another part of the work.
void AddRows(const ReadReport& more, ReadReport* report);

// `error` knows its place in the message; this adds that of the record.
Status WithPlace(const Status& error, const std::string& file,
                 const Record& record);

// Fails with kTooManyBad when the report holds more than the policy allows; the
// text names the first of them.
Status CheckBad(const ReadReport& report, uint64_t max_bad);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_INPUT_OPTIONS_H_
