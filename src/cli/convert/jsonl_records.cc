#include "src/cli/convert/jsonl_records.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "headrace/message.h"
#include "src/base/framing.h"
#include "src/base/regular_file.h"
#include "src/cli/verbs/overwrites_input.h"

namespace headrace::cli {
namespace {

// No message begins with a varint without an end.
constexpr char kNoMessage[] = "\xff";

template <class Bytes>
void Append(const Bytes& bytes, std::string* out) {
  out->append(bytes.begin(), bytes.end());
}

}  // namespace

class JsonlRecords::File : public InputFile {
 public:
  explicit File(std::shared_ptr<JsonlRecords> records)
      : records_(std::move(records)) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    return records_->Read(out);
  }
  // True if the reader can open the lines again; it has no reason to seek.
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
      if (bad_.size() < options_.max_reported) {
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

void JsonlRecords::AddSkipped(ReadReport* report) const {
  const std::lock_guard lock(mutex_);
  AddRows(input_.report(), report);
}

uint64_t JsonlRecords::num_skipped() const {
  const std::lock_guard lock(mutex_);
  return input_.report().num_rows;
}

uint64_t JsonlRecords::num_bytes() const {
  const std::lock_guard lock(mutex_);
  return input_.num_bytes();
}

uint64_t JsonlRecords::stored_size() const {
  const std::lock_guard lock(mutex_);
  return input_.stored_size();
}

}  // namespace headrace::cli
