// Columns from JSON lines: each line becomes a message again, which the library
// decodes like any other.

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "headrace/census.h"
#include "headrace/decoder.h"
#include "headrace/message.h"
#include "src/cli/jsonl_input.h"
#include "src/cli/verbs/batch_source.h"

namespace headrace::cli {
namespace {

// A line of the sample, or of the batch being made.
struct Row {
  std::string payload;
  Status place;  // an error that says file and line, to be given a reason
  std::vector<ColumnField> features;
};

// What a message has, and of which kinds: of a feature list that of the first
// step that has one.
std::vector<ColumnField> FeaturesOf(const Message& message) {
  std::vector<ColumnField> features;
  for (const auto& [key, feature] : message.features) {
    features.push_back({key, feature.kind});
  }
  for (const auto& [key, steps] : message.feature_lists) {
    const auto typed =
        std::find_if(steps.begin(), steps.end(),
                     [](const Feature& f) { return f.kind != Kind::kNull; });
    features.push_back({key, typed == steps.end() ? Kind::kNull : typed->kind,
                        /*in_sequence=*/true});
  }
  return features;
}

class JsonlBatches : public BatchSource {
 public:
  JsonlBatches(const ConvertOptions& options, JsonlInput input)
      : options_(options), input_(std::move(input)) {}

  // Finds the columns from the sample.
  Status Open();

  const Plan& plan() const override { return *plan_; }
  Result<std::optional<Batch>> Next() override;
  const ReadReport& report() const override { return report_; }
  uint64_t num_records() const override { return input_.num_records(); }
  uint64_t num_bytes() const override { return input_.num_bytes(); }
  uint64_t stored_position() const override { return input_.num_bytes(); }
  uint64_t stored_size() const override { return input_.stored_size(); }
  Status WithPlace(Status error, const RowOrigin& origin) const override;

 private:
  // Empty at the end. Bad lines are skipped, or are the error.
  Status JudgeLate(const Row& row, uint64_t number) const;
  void DropWrongLate();
  Result<std::optional<Row>> NextRow();
  Result<std::vector<ColumnField>> Select(
      const std::vector<ColumnField>& found) const;
  void StartDecoder(Plan plan);
  void CollectLate(const Row& row);
  // Takes the next rows to batch_, and sets status_ or ended_ where they end.
  void FillBatch();
  // The rows of batch_ that fit the columns, the others being skipped. One
  // that may not be skipped is the end: status_.
  Result<Batch> DecodeBatch();

  ConvertOptions options_;
  JsonlInput input_;
  std::deque<Row> sample_;
  std::optional<Plan> plan_;
  std::optional<Decoder> decoder_;
  // A name, and whether it is that of a feature list.
  using Key = std::pair<bool, std::string>;
  std::map<Key, Kind> kinds_;  // of the columns
  std::vector<Row> batch_;     // of the batch given last
  ReadReport report_;
  std::map<Key, LateFeature> late_;
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
    if (input_.message() == MessageType::kRaw) {
      return std::optional<Row>(
          Row{.payload = input_.payload(),
              .place = input_.WithPlace(Status(ErrorCode::kWrongKind, "")),
              .features = {}});
    }
    Result<std::string> payload = SerializeMessage(*message);
    if (!payload) return input_.WithPlace(payload.status());
    Row row;
    row.payload = *std::move(payload);
    row.place = input_.WithPlace(Status(ErrorCode::kWrongKind, ""));
    row.features = FeaturesOf(*message);
    return std::optional<Row>(std::move(row));
  }
}

// As Reader: a name is that of a feature, of a feature list, or of both.
Result<std::vector<ColumnField>> JsonlBatches::Select(
    const std::vector<ColumnField>& found) const {
  if (options_.features.empty()) return found;
  std::vector<ColumnField> selected;
  for (const std::string& name : options_.features) {
    const size_t before = selected.size();
    std::copy_if(found.begin(), found.end(), std::back_inserter(selected),
                 [&](const ColumnField& c) { return c.name == name; });
    if (selected.size() == before) {
      return Status(ErrorCode::kInvalidArgument,
                    "no line of the sample has a feature \"" + name + "\"");
    }
  }
  std::stable_partition(selected.begin(), selected.end(),
                        [](const ColumnField& c) { return !c.in_sequence; });
  return selected;
}

Status JsonlBatches::Open() {
  if (input_.message() == MessageType::kRaw) {
    if (!options_.features.empty()) {
      return Status(ErrorCode::kInvalidArgument,
                    "raw records have no features to choose from");
    }
    StartDecoder(Plan::ForRaw());
    return Status();
  }
  FeatureCensus census(input_.message());
  uint64_t bytes = 0;
  while (options_.sample == 0 ||
         (sample_.size() < options_.sample &&
          (sample_.empty() || bytes < options_.sample_bytes))) {
    auto row = NextRow();
    // An error comes again when its turn has come: the input ends there.
    if (!row.ok()) status_ = row.status();
    if (!row) break;
    bytes += row->payload.size() + kRecordOverhead;
    static_cast<void>(census.Add(row->payload, sample_.size()).ok());
    sample_.push_back(*std::move(row));
  }
  Result<std::vector<ColumnField>> selected = Select(census.columns());
  if (!selected) return selected.status();
  for (const ColumnField& column : *selected) {
    kinds_.emplace(Key(column.in_sequence, column.name), column.kind);
  }
  Result<Plan> plan =
      Plan::ForColumns(*std::move(selected), input_.message(),
                       census.has_feature_lists() && options_.features.empty());
  if (!plan) return plan.status();
  StartDecoder(*std::move(plan));
  return Status();
}

void JsonlBatches::StartDecoder(Plan plan) {
  plan_ = std::move(plan);
  DecodeOptions decode;
  decode.on_row_error = OnRowError::kSkip;
  decode.limits.max_reported = options_.batch_size;  // all of them
  decoder_.emplace(*plan_, decode);
}

void JsonlBatches::CollectLate(const Row& row) {
  for (const ColumnField& feature : row.features) {
    const Key key(feature.in_sequence, feature.name);
    const auto column = kinds_.find(key);
    const bool in_columns = column != kinds_.end();
    if (in_columns &&
        (column->second != Kind::kNull || feature.kind == Kind::kNull)) {
      continue;
    }
    // What --features leaves out is not missed.
    if (!in_columns && !options_.features.empty()) continue;
    LateFeature& late = late_[key];
    late.name = feature.name;
    if (late.kind == Kind::kNull) late.kind = feature.kind;
    late.in_columns = in_columns;
    late.in_sequence = feature.in_sequence;
    ++late.rows;
    ++report_.num_late;
  }
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
    batch_.push_back(*std::move(row));
  }
}

// A feature list whose steps are of several kinds is an error also where it has
// no typed column, unless columns were asked for (rule E5).
Status JsonlBatches::JudgeLate(const Row& row, uint64_t number) const {
  FeatureCensus alone(input_.message());
  const Status status = alone.Add(row.payload, 0);
  if (status.code() != ErrorCode::kWrongKind) return Status();
  ErrorInfo info = *status.info();
  const auto column = kinds_.find(Key(true, info.feature));
  if (column != kinds_.end() && column->second != Kind::kNull) return Status();
  info.message = "the steps of a list are of several kinds: expected " +
                 info.expected + ", found " + info.found;
  return WithPlace(Status(std::move(info)), {.record = number});
}

void JsonlBatches::DropWrongLate() {
  if (!options_.features.empty() || plan_->message() != MessageType::kSequence)
    return;
  for (size_t i = 0; i < batch_.size();) {
    Status wrong = JudgeLate(batch_[i], i);
    if (wrong.ok()) {
      ++i;
      continue;
    }
    wrong = input_.SkipRow(std::move(wrong));
    if (wrong.ok()) {
      batch_.erase(batch_.begin() + static_cast<ptrdiff_t>(i));
    } else {
      status_ = std::move(wrong);
      sample_.clear();
      batch_.erase(batch_.begin() + static_cast<ptrdiff_t>(i), batch_.end());
    }
  }
}

Result<Batch> JsonlBatches::DecodeBatch() {
  DropWrongLate();
  std::vector<std::string_view> payloads;
  for (const Row& row : batch_) payloads.push_back(row.payload);
  Result<Batch> batch = decoder_->Decode(payloads);
  if (!batch) return batch;
  const std::vector<Status> misfits = decoder_->skipped();
  for (const Status& misfit : misfits) {
    const uint64_t row = misfit.info()->record;
    Status status = input_.SkipRow(WithPlace(misfit, {.record = row}));
    if (status.ok()) continue;
    status_ = std::move(status);
    sample_.clear();
    payloads.resize(static_cast<size_t>(row));
    batch = decoder_->Decode(payloads);
    break;
  }
  if (!batch) return batch;
  for (const RowOrigin& origin : batch->origins()) {
    CollectLate(batch_[static_cast<size_t>(origin.record)]);
  }
  return batch;
}

Result<std::optional<Batch>> JsonlBatches::Next() {
  Batch batch;
  // All rows of a batch may be bad.
  do {
    FillBatch();
    Result<Batch> decoded = DecodeBatch();
    if (!decoded) return decoded.status();
    batch = *std::move(decoded);
  } while (batch.num_rows() == 0 && status_.ok() && !ended_);
  const uint64_t num_late = report_.num_late;
  report_ = input_.report();
  report_.num_late = num_late;
  for (const auto& entry : late_) report_.late.push_back(entry.second);
  if (batch.num_rows() > 0) return std::optional<Batch>(std::move(batch));
  if (!status_.ok()) return status_;
  return std::optional<Batch>();
}

Status JsonlBatches::WithPlace(Status error, const RowOrigin& origin) const {
  if (origin.record >= batch_.size()) return error;
  const Status& place = batch_[static_cast<size_t>(origin.record)].place;
  ErrorInfo info = *error.info();
  info.file = place.info()->file;
  // These were the place in the batch.
  info.record = kUnknown;
  info.offset = kUnknown;
  info.message = place.info()->message + info.message;
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
