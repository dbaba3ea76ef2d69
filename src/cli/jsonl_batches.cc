// Columns from JSON lines: each line becomes a message again, which the library
// decodes like any other.

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

#include "headrace/census.h"
#include "headrace/decoder.h"
#include "headrace/message.h"
#include "src/cli/batch_source.h"
#include "src/cli/jsonl_input.h"

namespace headrace::cli {
namespace {

// A line of the sample, or of the batch being made.
struct Row {
  std::string payload;
  Status place;  // an error that says file and line, to be given a reason
  std::vector<ColumnField> features;
};

class JsonlBatches : public BatchSource {
 public:
  JsonlBatches(const ConvertOptions& options, JsonlInput input)
      : options_(options), input_(std::move(input)) {}

  // Finds the columns from the sample.
  Status Open();

  const std::vector<ColumnField>& columns() const override {
    return plan_->columns();
  }
  Result<std::optional<Batch>> Next() override;
  const ReadReport& report() const override { return report_; }
  uint64_t num_records() const override { return input_.num_records(); }
  uint64_t num_bytes() const override { return input_.num_bytes(); }
  Status WithPlace(Status error, const RowOrigin& origin) const override;

 private:
  // Empty at the end. Bad lines are skipped, or are the error.
  Result<std::optional<Row>> NextRow();
  Result<std::vector<ColumnField>> Select(
      const std::vector<ColumnField>& found) const;
  void CollectLate(const Row& row);
  // Takes the next rows to batch_, and sets status_ or ended_ where they end.
  void FillBatch();
  // Leaves out of batch_ what contradicts the columns.
  Status DropWrongKinds();

  ConvertOptions options_;
  JsonlInput input_;
  std::deque<Row> sample_;
  std::optional<Plan> plan_;
  std::map<std::string, Kind> kinds_;  // of the columns
  std::vector<Row> batch_;             // of the batch given last
  ReadReport report_;
  std::map<std::string, LateFeature> late_;
  Status status_;  // what ends the stream after this batch
  bool ended_ = false;
};

Result<std::optional<Row>> JsonlBatches::NextRow() {
  while (true) {
    auto message = input_.Next();
    if (!message.ok()) {
      Status status = input_.SkipRow(message.status());
      if (!status.ok()) return status;
      continue;
    }
    if (!message) return std::optional<Row>();
    Result<std::string> payload = SerializeMessage(**message);
    if (!payload) return input_.WithPlace(payload.status());
    Row row;
    row.payload = *std::move(payload);
    row.place = input_.WithPlace(Status(ErrorCode::kWrongKind, ""));
    for (const auto& [key, feature] : message->features) {
      row.features.push_back({key, feature.kind});
    }
    return std::optional<Row>(std::move(row));
  }
}

Result<std::vector<ColumnField>> JsonlBatches::Select(
    const std::vector<ColumnField>& found) const {
  if (options_.features.empty()) return found;
  std::vector<ColumnField> selected;
  for (const std::string& name : options_.features) {
    const auto it =
        std::find_if(found.begin(), found.end(),
                     [&](const ColumnField& c) { return c.name == name; });
    if (it == found.end()) {
      return Status(ErrorCode::kInvalidArgument,
                    "no line of the sample has a feature \"" + name + "\"");
    }
    selected.push_back(*it);
  }
  return selected;
}

Status JsonlBatches::Open() {
  if (input_.message() != MessageType::kExample) {
    return Status(ErrorCode::kInvalidArgument,
                  "columns are made of Examples; these lines are of another "
                  "--message");
  }
  FeatureCensus census;
  while (options_.sample == 0 || sample_.size() < options_.sample) {
    auto row = NextRow();
    // An error comes again when its turn has come: the input ends there.
    if (!row.ok()) status_ = row.status();
    if (!row) break;
    static_cast<void>(census.Add(row->payload, sample_.size()).ok());
    sample_.push_back(**std::move(row));
  }
  Result<std::vector<ColumnField>> selected = Select(census.columns());
  if (!selected) return selected.status();
  for (const ColumnField& column : *selected) {
    kinds_.emplace(column.name, column.kind);
  }
  Result<Plan> plan = Plan::ForColumns(*std::move(selected));
  if (!plan) return plan.status();
  plan_ = *std::move(plan);
  return Status();
}

void JsonlBatches::CollectLate(const Row& row) {
  for (const ColumnField& feature : row.features) {
    const auto column = kinds_.find(feature.name);
    const bool in_columns = column != kinds_.end();
    if (in_columns &&
        (column->second != Kind::kNull || feature.kind == Kind::kNull)) {
      continue;
    }
    // What --features leaves out is not missed.
    if (!in_columns && !options_.features.empty()) continue;
    LateFeature& late = late_[feature.name];
    late.name = feature.name;
    if (late.kind == Kind::kNull) late.kind = feature.kind;
    late.in_columns = in_columns;
    ++late.rows;
  }
}

Status JsonlBatches::DropWrongKinds() {
  std::vector<Row> good;
  Status status;
  for (Row& row : batch_) {
    const auto wrong = std::find_if(
        row.features.begin(), row.features.end(), [this](const auto& feature) {
          const auto it = kinds_.find(feature.name);
          return it != kinds_.end() && it->second != Kind::kNull &&
                 feature.kind != Kind::kNull && it->second != feature.kind;
        });
    if (wrong == row.features.end()) {
      CollectLate(row);
      good.push_back(std::move(row));
      continue;
    }
    ErrorInfo info = *row.place.info();
    info.feature = wrong->name;
    info.expected = KindName(kinds_[wrong->name]);
    info.found = KindName(wrong->kind);
    info.message += "feature \"" + wrong->name + "\": expected " +
                    info.expected + ", found " + info.found;
    status = input_.SkipRow(Status(std::move(info)));
    if (!status.ok()) break;
  }
  batch_ = std::move(good);
  return status;
}

void JsonlBatches::FillBatch() {
  batch_.clear();
  while (batch_.size() < options_.batch_size) {
    if (!sample_.empty()) {
      batch_.push_back(std::move(sample_.front()));
      sample_.pop_front();
      continue;
    }
    if (!status_.ok()) break;
    auto row = NextRow();
    if (!row) {
      ended_ = row.ok();
      status_ = row.status();
      break;
    }
    batch_.push_back(**std::move(row));
  }
  if (Status status = DropWrongKinds(); !status.ok()) {
    status_ = std::move(status);
    sample_.clear();
  }
}

Result<std::optional<Batch>> JsonlBatches::Next() {
  // All rows of a batch may be bad.
  do {
    FillBatch();
  } while (batch_.empty() && status_.ok() && !ended_);
  report_ = input_.report();
  for (const auto& entry : late_) report_.late.push_back(entry.second);
  report_.num_late = late_.size();
  if (batch_.empty()) {
    if (!status_.ok()) return status_;
    return std::optional<Batch>();
  }
  std::vector<std::string_view> payloads;
  for (const Row& row : batch_) payloads.push_back(row.payload);
  Result<Batch> batch = Decoder(*plan_).Decode(payloads);
  if (!batch) return batch.status();
  return std::optional<Batch>(*std::move(batch));
}

Status JsonlBatches::WithPlace(Status error, const RowOrigin& origin) const {
  if (origin.record >= batch_.size()) return error;
  ErrorInfo info = *batch_[static_cast<size_t>(origin.record)].place.info();
  info.code = error.code();
  info.message += error.message();
  return Status(std::move(info));
}

}  // namespace

Result<std::unique_ptr<BatchSource>> OpenJsonlBatches(
    const ConvertOptions& options, const Console& console) {
  Result<JsonlInput> input = JsonlInput::Open(options.input, console);
  if (!input) return input.status();
  auto batches = std::make_unique<JsonlBatches>(options, *std::move(input));
  if (Status status = batches->Open(); !status.ok()) return status;
  return std::unique_ptr<BatchSource>(std::move(batches));
}

}  // namespace headrace::cli
