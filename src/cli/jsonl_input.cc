#include "src/cli/jsonl_input.h"

#include <algorithm>

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
    return Status(ErrorCode::kMalformed,
                  "the file is compressed; give JSON lines as text, for "
                  "example through zcat and -");
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

}  // namespace headrace::cli
