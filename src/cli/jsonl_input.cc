#include "src/cli/jsonl_input.h"

#include <utility>

#include "src/cli/json/json_line_parser.h"

namespace headrace::cli {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

// What JSON can never begin with, and compressed files do.
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

Result<bool> JsonlInput::NextLine() {
  for (; file_ < files_.size(); ++file_, reader_.reset()) {
    if (!reader_) {
      Result<LineReader> reader = LineReader::Open(files_[file_]);
      if (!reader) return reader.status();
      reader_ = *std::move(reader);
      line_number_ = 0;
    }
    while (true) {
      Result<bool> has_line = reader_->Next(&line_);
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
  ++num_records_;
  auto message = ParseLine();
  if (message.ok()) return message;
  return WithPlace(message.status());
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

Status JsonlInput::WithPlace(const Status& error) const {
  ErrorInfo info = *error.info();
  std::string place = "line " + std::to_string(line_number_) + ": ";
  if (!info.feature.empty()) place += "feature \"" + info.feature + "\": ";
  info.file = files_[file_] == "-" ? "<stdin>" : files_[file_];
  info.message = place + info.message;
  return Status(std::move(info));
}

Status JsonlInput::SkipRow(Status error) {
  if (options_.on_row_error == OnRowError::kFail || !IsRowError(error.code())) {
    return error;
  }
  ++report_.num_rows;
  if (report_.rows.size() < options_.max_reported) {
    report_.rows.push_back(std::move(error));
  }
  return CheckBad(report_, options_.max_bad);
}

}  // namespace headrace::cli
