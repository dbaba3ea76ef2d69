#include "src/cli/input_options.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/cli/output/remote_output.h"
#include "src/cli/text/display_text.h"
#include "src/read/files/paths.h"

namespace headrace::cli {
namespace {

// Says each thing once, though a verb may look for its files more than once.
void NoteLeftOut(FoundFiles found, const Console& console) {
  static std::set<std::string> said;
  const auto first_harmless = std::stable_partition(
      found.left_out.begin(), found.left_out.end(),
      [](const LeftOutFile& file) { return file.may_have_records; });
  const std::span lost(found.left_out.begin(), first_harmless);
  const std::span harmless(first_harmless, found.left_out.end());
  for (const std::string& text : DescribeLeftOut(lost)) {
    if (said.insert(text).second) console.Warn("warning: " + text);
  }
  for (const std::string& text : DescribeLeftOut(harmless)) {
    if (said.insert(text).second) console.Note(text);
  }
  if (found.num_left_out <= found.left_out.size()) return;
  const std::string more =
      "warning: left out " +
      Counted(found.num_left_out - found.left_out.size(), "more file") +
      " of folders, which were not looked at";
  if (said.insert(more).second) console.Warn(more);
}

}  // namespace

std::string FileName(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

Result<std::vector<std::string>> FindAndNote(
    std::span<const std::string> patterns, const Console& console) {
  Result<FoundFiles> found = LookForFiles(patterns);
  if (!found) return found.status();
  NoteLeftOut(*found, console);
  return std::move(found->files);
}

Result<std::vector<std::string>> FindInputs(const InputOptions& options) {
  if (options.has_folders) return options.patterns;
  for (const std::string& pattern : options.patterns) {
    if (!IsUrl(pattern)) continue;
    return Status(ErrorInfo{
        .code = ErrorCode::kInvalidArgument,
        .message = "the program reads files and pipes; headrace.open of Python "
                   "reads URLs, or let another program write the file to a "
                   "pipe, and read -",
        .file = pattern});
  }
  auto files = FindAndNote(options.patterns, options.console());
  if (files && options.range != ByteRange() && files->size() != 1) {
    return Status(
        ErrorCode::kInvalidArgument,
        "--range is for one file; there are " + std::to_string(files->size()));
  }
  return files;
}

RecordReaderOptions ReaderOptionsOf(const ReadOptions& options) {
  return {.compression = options.compression,
          .on_corrupt = options.on_corrupt,
          .verify_payload = options.verify_payload,
          .mmap = options.mmap,
          .range = options.range,
          .limits = options.limits};
}

std::string_view MessageTypeName(MessageType type) {
  return type == MessageType::kSequence ? "sequence_example" : NameOf(type);
}

void NoteMessage(MessageType decided, const Console& console) {
  if (decided == MessageType::kElwc) {
    console.Note(
        "the records look like lists of Examples: reading them as --message "
        "elwc");
  }
  if (decided != MessageType::kSequence) return;
  console.Note("the records have feature lists: reading them as --message " +
               std::string(MessageTypeName(decided)));
}

uint64_t StoredSize(const std::vector<std::string>& files) {
  uint64_t size = 0;
  for (const std::string& file : files) {
    struct stat info;
    if (file == "-" || stat(file.c_str(), &info) != 0 ||
        !S_ISREG(info.st_mode)) {
      return 0;
    }
    size += static_cast<uint64_t>(info.st_size);
  }
  return size;
}

Result<Reader> OpenReader(const std::vector<std::string>& paths,
                          const std::optional<Plan>& plan,
                          const ReadOptions& options, const Console& console) {
  // A plan has already been narrowed to the features.
  ReadOptions beside_plan = options;
  beside_plan.features.clear();
  Result<Reader> reader = plan ? Reader::Open(paths, *plan, beside_plan)
                               : Reader::Open(paths, options);
  if (!reader) return reader;
  const bool has_columns =
      !reader->columns().empty() || reader->plan().has_sequence_struct();
  if (options.message == MessageType::kAuto && has_columns) {
    NoteMessage(reader->message(), console);
  }
  return reader;
}

Status WithPlace(const Status& error, const std::string& file,
                 const Record& record) {
  ErrorInfo info = *error.info();
  info.file = FileName(file);
  info.record = record.number;
  info.offset = record.offset;
  return Status(std::move(info));
}

Status SkipRow(const ReadOptions& options, Status error, ReadReport* report,
               const ReadReport* others) {
  if (options.on_row_error == OnRowError::kFail || !IsRowError(error.code())) {
    return error;
  }
  ++report->num_rows;
  if (report->rows.size() < options.limits.max_reported) {
    report->rows.push_back(std::move(error));
  }
  if (others == nullptr) return CheckBad(*report, options.max_bad);
  ReadReport both = *others;
  both.num_rows += report->num_rows;
  return CheckBad(both, options.max_bad);
}

void AddRows(const ReadReport& more, ReadReport* report) {
  report->num_rows += more.num_rows;
  report->rows.insert(report->rows.end(), more.rows.begin(), more.rows.end());
}

Status CheckBad(const ReadReport& report, uint64_t max_bad) {
  if (report.num_regions + report.num_rows <= max_bad) return Status();
  std::string text;
  if (report.num_regions > 0)
    text = Counted(report.num_regions, "damaged region");
  if (report.num_rows > 0) {
    text += (text.empty() ? "" : " and ") + Counted(report.num_rows, "bad row");
  }
  text += " exceed --max-bad " + std::to_string(max_bad);
  if (!report.regions.empty()) {
    text += "; first: " + DescribeRegion(report.regions.front());
  } else if (!report.rows.empty()) {
    text += "; first: " + report.rows.front().ToString();
  }
  return Status(ErrorCode::kTooManyBad, std::move(text));
}

}  // namespace headrace::cli
