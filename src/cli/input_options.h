// Options of the verbs that read, and what follows from them: which files are
// read, how, and which bad rows are skipped.

#ifndef HEADRACE_SRC_CLI_INPUT_OPTIONS_H_
#define HEADRACE_SRC_CLI_INPUT_OPTIONS_H_

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

// What a verb reads, and how: the options of reading, which AddReading fills in
// from the table of options, and options that only the program has.
struct InputOptions : ReadOptions {
  std::vector<std::string> patterns;
  bool quiet = false;
  bool outside_files = false;  // see tfds::FolderOptions
  // True if TFDS folders were among the patterns. The patterns are then files,
  // one for each of record_ranges. `dataset` is set if a folder was the only
  // FILE.
  bool has_folders = false;
  std::shared_ptr<const tfds::Info> dataset;

  Console console() const { return Console(quiet); }
};

inline constexpr char kNoFeaturesInRaw[] =
    "raw records have no features: --message raw has no meaning here";

// Returns the files that the patterns name. Lists on standard error, once, what
// is left out of folders; under --quiet only files that may have records.
Result<std::vector<std::string>> FindAndNote(
    std::span<const std::string> patterns, const Console& console);

// Calls FindAndNote for the patterns; a range needs exactly one file.
Result<std::vector<std::string>> FindInputs(const InputOptions& options);
RecordReaderOptions ReaderOptionsOf(const ReadOptions& options);
// Opens a reader of the plan's columns or, without a plan, of columns found
// from the data. Notes which message kAuto was decided to be.
Result<Reader> OpenReader(const std::vector<std::string>& paths,
                          const std::optional<Plan>& plan,
                          const ReadOptions& options, const Console& console);

// Returns "example", "sequence_example", "elwc", "raw" or "auto".
std::string_view MessageTypeName(MessageType type);

// Notes on standard error what kAuto was decided to be, unless that is
// kExample.
void NoteMessage(MessageType decided, const Console& console);

// Returns the size on disk in bytes; 0 if the size of a file is not known.
uint64_t StoredSize(const std::vector<std::string>& files);

// Returns a file's name in messages: "<stdin>" for "-".
std::string FileName(const std::string& path);

// Under OnRowError::kSkip adds the bad row to the report, and returns
// kTooManyBad if there are now too many; otherwise returns the error. `others`
// counts what another part of the work skipped, which is not listed.
Status SkipRow(const ReadOptions& options, Status error, ReadReport* report,
               const ReadReport* others = nullptr);
// Adds the skipped rows of another part of the work.
void AddRows(const ReadReport& more, ReadReport* report);

// Returns `error`, which has only a place within the message, with the place of
// the record.
Status WithPlace(const Status& error, const std::string& file,
                 const Record& record);

// Returns kTooManyBad if the report has more than `max_bad` bad rows and
// regions together; the text names the first of them.
Status CheckBad(const ReadReport& report, uint64_t max_bad);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_INPUT_OPTIONS_H_
