#include "src/cli/convert/jsonl_records.h"

#include <algorithm>
#include <cstring>

#include "src/base/framing.h"
#include "src/base/regular_file.h"
#include "src/cli/json/json_line_parser.h"
#include "src/read/files/paths.h"

namespace headrace::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Compressed files begin like this, and JSON never does.
bool IsCompressed(std::string_view line) {
  return line.starts_with("\x1f\x8b") || line.starts_with("\x28\xb5\x2f\xfd");
}

// A varint without an end, with which no message begins.
constexpr char kNoMessage[] = "\xff";

template <class Bytes>
void Append(const Bytes& bytes, std::string* out) {
  out->append(bytes.begin(), bytes.end());
}

}  // namespace

Result<JsonlInput> JsonlInput::Open(const InputOptions& options,
                                    const Console& console) {
  Result<std::vector<std::string>> files = FindFiles(options.patterns);
  if (!files) return files.status();
  JsonlInput input(options, *std::move(files));
  Result<bool> has_line = input.NextLine();
  if (!has_line.ok()) return has_line.status();
  input.held_ = *has_line;
  if (input.message_ == MessageType::kAuto) {
    input.message_ = JsonLineType(input.line_);
    NoteMessage(input.message_, console);
  }
  return input;
}

Result<bool> JsonlInput::ReadLine() {
  line_.clear();
  bool any = false;
  while (true) {
    if (rest_.empty()) {
      auto bytes = reader_->Next();
      if (!bytes.ok()) return bytes.status();
      if (!bytes) return any;
      rest_ = *bytes;
    }
    any = true;
    const size_t feed = rest_.find('\n');
    line_.append(rest_.substr(0, feed));
    rest_.remove_prefix(feed == rest_.npos ? rest_.size() : feed + 1);
    if (feed != rest_.npos) return true;
  }
}

Result<bool> JsonlInput::NextLine() {
  for (; file_ < files_.size(); ++file_, reader_.reset()) {
    if (!reader_) {
      Result<ByteReader> reader =
          ByteReader::Open(files_[file_], {.compression = Compression::kNone});
      if (!reader) return reader.status();
      reader_ = *std::move(reader);
      rest_ = {};
      line_number_ = 0;
    }
    while (true) {
      Result<bool> has_line = ReadLine();
      if (!has_line.ok()) return has_line.status();
      if (!*has_line) break;
      ++line_number_;
      num_bytes_ += line_.size() + 1;
      if (line_number_ == 1 && line_.starts_with(kByteOrderMark)) {
        line_.erase(0, kByteOrderMark.size());
      }
      if (!IsBlank(line_)) return true;
    }
  }
  return false;
}

Result<std::optional<Message>> JsonlInput::Next() {
  if (!std::exchange(held_, false)) {
    Result<bool> has_line = NextLine();
    if (!has_line.ok()) return has_line.status();
    if (!*has_line) return std::optional<Message>();
  }
  const uint64_t record = num_records_++;
  if (runs_.empty() || runs_.back().file != file_ ||
      line_number_ - runs_.back().line != record - runs_.back().record) {
    runs_.push_back({record, file_, line_number_});
  }
  auto message = ParseLine();
  if (message.ok()) return message;
  ErrorInfo info = *message.status().info();
  if (!info.feature.empty()) {
    info.message = "feature \"" + info.feature + "\": " + info.message;
  }
  return WithPlace(Status(std::move(info)), record);
}

Result<std::optional<Message>> JsonlInput::ParseLine() {
  if (IsCompressed(line_)) {
    return Status(
        ErrorCode::kMalformed,
        "the file is compressed, and JSON lines must be text; pipe it "
        "through zcat and read standard input, -");
  }
  if (message_ == MessageType::kRaw) {
    Result<std::string> payload = ParseJsonBytes(line_);
    if (!payload) return payload.status();
    payload_ = *std::move(payload);
    return std::optional<Message>(Message{.type = MessageType::kRaw});
  }
  Result<Message> message = ParseJsonLine(line_, message_);
  if (!message) return message.status();
  return std::optional<Message>(*std::move(message));
}

Status JsonlInput::WithPlace(const Status& error, uint64_t record) const {
  const auto after = std::upper_bound(
      runs_.begin(), runs_.end(), record,
      [](uint64_t r, const Run& run) { return r < run.record; });
  const Run& run = *(after - 1);
  ErrorInfo info = *error.info();
  info.file = FileName(files_[run.file]);
  info.record = kUnknown;
  info.offset = kUnknown;
  info.message = "line " + std::to_string(run.line + record - run.record) +
                 ": " + info.message;
  return Status(std::move(info));
}

class JsonlRecords::File : public InputFile {
 public:
  explicit File(std::shared_ptr<JsonlRecords> records)
      : records_(std::move(records)) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    return records_->Read(out);
  }
  // True if the lines can be read again: a reader opens an input a second time
  // only if can_seek(). It has no reason to call Seek here.
  bool can_seek() const override { return records_->can_reopen(); }

 private:
  std::shared_ptr<JsonlRecords> records_;
};

JsonlRecords::JsonlRecords(const InputOptions& options, JsonlInput input)
    : options_(options), input_(std::move(input)) {
  options_.message = input_.message();
}

Result<std::shared_ptr<JsonlRecords>> JsonlRecords::Open(
    const InputOptions& options, const Console& console) {
  Result<JsonlInput> input = JsonlInput::Open(options, console);
  if (!input) return input.status();
  return std::shared_ptr<JsonlRecords>(
      new JsonlRecords(options, *std::move(input)));
}

OpenInput JsonlRecords::Opener(std::shared_ptr<JsonlRecords> records) {
  return [records](const std::string&) -> Result<std::unique_ptr<InputFile>> {
    if (Status status = records->Begin(); !status.ok()) return status;
    return std::unique_ptr<InputFile>(std::make_unique<File>(records));
  };
}

Status JsonlRecords::Begin() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(begun_, true)) return Status();
  // The message has already been decided, and reported.
  Result<JsonlInput> input =
      JsonlInput::Open(options_, Console(/*quiet=*/true));
  if (!input) return failure_ = input.status();
  input_ = *std::move(input);
  begin_ = record_.size();
  bad_.clear();
  failure_ = Status();
  return Status();
}

bool JsonlRecords::can_reopen() const {
  const std::lock_guard lock(mutex_);
  const std::vector<std::string>& files = input_.files();
  return std::all_of(files.begin(), files.end(), IsRegularFile);
}

Result<size_t> JsonlRecords::Read(std::span<uint8_t> out) {
  const std::lock_guard lock(mutex_);
  size_t size = 0;
  while (size < out.size() && (begin_ < record_.size() || NextRecord())) {
    const size_t count = std::min(out.size() - size, record_.size() - begin_);
    std::memcpy(out.data() + size, record_.data() + begin_, count);
    begin_ += count;
    size += count;
  }
  if (size == 0 && !failure_.ok()) return failure_;
  return size;
}

bool JsonlRecords::NextRecord() {
  if (!failure_.ok()) return false;
  auto payload = NextPayload();
  failure_ = payload.status();
  if (!payload) return false;
  record_.clear();
  begin_ = 0;
  Append(RecordHeader(payload->size()), &record_);
  Append(*payload, &record_);
  Append(RecordFooter(*payload), &record_);
  return true;
}

// Returns empty at the end.
Result<std::optional<std::string>> JsonlRecords::NextPayload() {
  while (true) {
    const uint64_t record = input_.num_records();
    auto message = input_.Next();
    if (message && message->type == MessageType::kRaw) {
      return std::optional<std::string>(input_.payload());
    }
    if (message) {
      Result<std::string> payload = SerializeMessage(*message);
      if (!payload) return input_.WithPlace(payload.status(), record);
      return std::optional<std::string>(*std::move(payload));
    }
    if (message.ok()) return std::optional<std::string>();
    if (!IsRowError(message.status().code())) return message.status();
    if (options_.message != MessageType::kRaw) {
      if (bad_.size() < options_.limits.max_reported) {
        bad_.emplace(record, message.status());
      }
      return std::optional<std::string>(kNoMessage);
    }
    Status status = input_.SkipRow(message.status());
    if (!status.ok()) return status;
  }
}

Status JsonlRecords::WithLine(const Status& error) const {
  const std::lock_guard lock(mutex_);
  if (!failure_.ok() && error.message() == failure_.message()) return failure_;
  const uint64_t record = error.info()->record;
  if (record == kUnknown) return error;
  const auto bad = bad_.find(record);
  return bad == bad_.end() ? input_.WithPlace(error, record) : bad->second;
}

}  // namespace headrace::cli
