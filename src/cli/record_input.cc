#include "src/cli/record_input.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "headrace/decoder.h"
#include "headrace/message_judge.h"
#include "headrace/notice.h"
#include "headrace/paths.h"
#include "src/cli/output/remote_output.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

// A verb may look for its files more than once.
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

// Only a spec knows of the list in an Example.
MessageType WireMessage(MessageType message) {
  return message == MessageType::kExampleInExample ? MessageType::kExample
                                                   : message;
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
                   "reads URLs, or let another program write it to a pipe, and "
                   "read -",
        .file = pattern});
  }
  auto files = FindAndNote(options.patterns, Console(options.quiet));
  if (files && options.range != ByteRange() && files->size() != 1) {
    return Status(
        ErrorCode::kInvalidArgument,
        "--range is of one file; there are " + std::to_string(files->size()));
  }
  return files;
}

RecordReaderOptions ReaderOptionsOf(const InputOptions& options) {
  RecordReaderOptions result;
  result.compression = options.compression;
  result.on_corrupt = options.on_corrupt;
  result.verify_payload = !options.no_payload_crc;
  result.mmap = options.mmap;
  result.range = options.range;
  result.limits.max_reported = options.max_reported;
  return result;
}

ReadOptions ReadOptionsOf(const InputOptions& options) {
  ReadOptions result;
  result.message = options.message;
  result.compression = options.compression;
  result.on_corrupt = options.on_corrupt;
  result.on_row_error = options.on_row_error;
  result.on_absent = options.on_absent;
  result.max_bad = options.max_bad;
  result.verify_payload = !options.no_payload_crc;
  result.mmap = options.mmap;
  result.range = options.range;
  result.record_ranges = options.record_ranges;
  result.threads = static_cast<size_t>(options.threads);
  result.index = options.index;
  result.write_index = options.write_index;
  result.limits.max_reported = options.max_reported;
  result.limits.max_batch_bytes = options.max_batch_bytes;
  return result;
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
  // A plan has been narrowed to the features.
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

RecordInput::Held::Held(const InputRecord& record)
    : input(record), size(record.record.payload.size()) {
  padded.reserve(size + kPadding);
  padded = record.record.payload;
  padded.append(kPadding, '\0');
}

InputRecord RecordInput::Held::Give() const {
  InputRecord record = input;
  record.record.payload = std::string_view(padded).substr(0, size);
  return record;
}

RecordInput::RecordInput(const InputOptions& options,
                         std::vector<std::string> files)
    : options_(options),
      files_(std::move(files)),
      message_(WireMessage(options.message)),
      stored_size_(StoredSize(files_)) {}

Result<RecordInput> RecordInput::Open(const InputOptions& options) {
  Result<std::vector<std::string>> files = FindInputs(options);
  if (!files) return files.status();
  return RecordInput(options, *std::move(files));
}

MessageType RecordInput::DecideMessage(const Console& console) {
  MessageJudge judge(message_);
  const bool is_auto = message_ == MessageType::kAuto;
  while (judge.WantsMore()) {
    auto input = Pull();
    if (!input) break;
    held_.emplace_back(*input);
    judge.Look(input->record.payload);
  }
  message_ = judge.message();
  if (is_auto) NoteMessage(message_, console);
  if (judge.HoldOther()) {
    report_.notices.push_back(OtherMessageNotice(judge));
  }
  return message_;
}

void RecordInput::Count(const Record& record) {
  if (num_records_++ == 0) first_is_list_ = LooksLikeElwc(record.payload);
  if (message_ == MessageType::kExample && HasFeatureLists(record.payload)) {
    ++report_.num_lists_left_out;
  }
}

Result<std::optional<InputRecord>> RecordInput::Next() {
  auto input = Take();
  if (input) Count(input->record);
  return input;
}

Result<std::optional<InputRecord>> RecordInput::Take() {
  if (held_.empty()) return Pull();
  given_.clear();
  given_.push_back(std::move(held_.front()));
  held_.pop_front();
  return std::optional<InputRecord>(given_.front().Give());
}

// Held records are of one block only with those of the same place.
InputBlock RecordInput::TakeHeldBlock() {
  given_.clear();
  given_records_.clear();
  const InputRecord first = held_.front().input;
  while (!held_.empty() && held_.front().input.file == first.file &&
         held_.front().input.regions_before == first.regions_before) {
    given_.push_back(std::move(held_.front()));
    held_.pop_front();
    given_records_.push_back(given_.back().Give().record);
  }
  return {given_records_, first.file, first.regions_before};
}

Result<InputBlock> RecordInput::NextBlock() {
  if (!held_.empty()) return TakeHeldBlock();
  while (OpenFile()) {
    Result<std::span<const Record>> records = reader_->NextBlock();
    const bool is_end = !records.ok() || records->empty();
    if (!HasRead(records.status(), is_end ? nullptr : &records->back())) {
      continue;
    }
    const std::span<const Record> in_range = InRange(*records);
    if (in_range.empty()) continue;
    return InputBlock{in_range, file_, report_.num_regions};
  }
  if (!status_.ok()) return status_;
  return InputBlock();
}

Result<std::optional<InputRecord>> RecordInput::Pull() {
  while (OpenFile()) {
    Result<std::optional<Record>> record = reader_->Next();
    if (!HasRead(record.status(), record ? &*record : nullptr)) continue;
    if (InRange({&*record, 1}).empty()) continue;
    return std::optional<InputRecord>(
        InputRecord{*record, file_, report_.num_regions});
  }
  if (!status_.ok()) return status_;
  return std::optional<InputRecord>();
}

// False behind the last file, and after an error.
bool RecordInput::OpenFile() {
  if (status_.ok() && reader_ && IsBehindRange()) {
    status_ = CheckRecordCount(/*has_ended=*/false);
    if (status_.ok()) NextFile();
  }
  if (!status_.ok() || file_ == files_.size()) return false;
  if (reader_) return true;
  auto reader = RecordReader::Open(files_[file_], ReaderOptionsOf(options_));
  if (!reader) {
    status_ = reader.status();
    return false;
  }
  reader_ = *std::move(reader);
  regions_seen_ = 0;
  next_record_ = 0;
  return true;
}

// Heeds what the reader says, and the last record that it gave; null at the end
// of the file. True if the caller may give these records.
bool RecordInput::HasRead(const Status& status, const Record* last) {
  CollectRegions();
  if (last) {
    next_record_ = last->number == kUnknown ? kUnknown : last->number + 1;
  }
  status_ = status.ok() ? CheckBad(report_, options_.max_bad) : status;
  if (status_.ok() && !last) {
    status_ = CheckRecordCount(/*has_ended=*/true);
    if (status_.ok()) NextFile();
  }
  return status_.ok() && last;
}

// A whole file is looked at up to its end, to see that it has no more records.
bool RecordInput::IsBehindRange() const {
  const RecordRange wanted = range();
  return next_record_ > wanted.file_records ||
         (next_record_ >= wanted.end && wanted.end != wanted.file_records);
}

std::span<const Record> RecordInput::InRange(
    std::span<const Record> records) const {
  // Records of a range of bytes have no numbers.
  if (options_.record_ranges.empty()) return records;
  const RecordRange wanted = range();
  while (!records.empty() && records.front().number < wanted.begin) {
    records = records.subspan(1);
  }
  while (!records.empty() && records.back().number >= wanted.end) {
    records = records.first(records.size() - 1);
  }
  return records;
}

Status RecordInput::CheckRecordCount(bool has_ended) const {
  const uint64_t records = range().file_records;
  const bool is_right =
      next_record_ == records || (!has_ended && next_record_ < records);
  // Records are not numbered as their writer did where framing was lost.
  if (records == kUnknown || is_right || regions_seen_ > 0) return Status();
  const std::string found = has_ended ? std::to_string(next_record_) : "more";
  return Status(ErrorInfo{
      .code = ErrorCode::kWrongRecordCount,
      .message = "the file has " + found + " records, and should have " +
                 std::to_string(records) + ": it is cut, or another file",
      .file = FileName(files_[file_]),
      .expected = std::to_string(records),
      .found = found});
}

void RecordInput::NextFile() {
  bytes_before_ = num_bytes();
  stored_before_ = stored_position();
  reader_.reset();
  ++file_;
  status_ = Status();
}

void RecordInput::CollectRegions() {
  const std::vector<SkippedRegion>& skipped = reader_->skipped();
  for (; regions_seen_ < reader_->num_skipped(); ++regions_seen_) {
    ++report_.num_regions;
    if (regions_seen_ < skipped.size() &&
        report_.regions.size() < options_.max_reported) {
      report_.regions.push_back(
          {FileName(files_[file_]), skipped[regions_seen_]});
      region_records_.push_back(next_record_);
    }
  }
}

Status SkipRow(const InputOptions& options, Status error, ReadReport* report) {
  if (options.on_row_error == OnRowError::kFail || !IsRowError(error.code())) {
    return error;
  }
  ++report->num_rows;
  if (report->rows.size() < options.max_reported) {
    report->rows.push_back(std::move(error));
  }
  return CheckBad(*report, options.max_bad);
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

Result<Message> RecordInput::Parse(const InputRecord& input) const {
  Result<Message> message = ParseMessage(input.record.payload, message_);
  if (message.ok()) return message;
  return WithPlace(message.status(), input);
}

Status RecordInput::WithPlace(const Status& error,
                              const InputRecord& input) const {
  if (!IsRowError(error.code())) return error;
  return cli::WithPlace(error, files_[input.file], input.record);
}

ExitCode ComplainAboutInput(const Status& status, const RecordInput& input) {
  const bool first_is_malformed =
      status.code() == ErrorCode::kMalformed && input.num_records() <= 1;
  if (!first_is_malformed) return Complain(status);
  return Complain(status, input.first_is_list()
                              ? "--message elwc reads lists of Examples"
                              : "the first record is not a tf.train message; "
                                "--message raw takes any bytes");
}

uint64_t RecordInput::stored_position() const {
  return stored_before_ + (reader_ ? reader_->stored_position() : 0);
}

uint64_t RecordInput::num_bytes() const {
  return bytes_before_ + (reader_ ? reader_->position() : 0);
}

}  // namespace headrace::cli
