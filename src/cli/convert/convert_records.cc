// headrace convert: writes JSON lines, TFRecord and WebDataset, record by
// record.

#include <memory>
#include <string>
#include <utility>

#include "headrace/feature_kinds.h"
#include "headrace/message.h"
#include "src/cli/convert/convert.h"
#include "src/cli/convert/jsonl_records.h"
#include "src/cli/output/projection.h"
#include "src/cli/output/record_output.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"

namespace headrace::cli {
namespace {

Result<std::unique_ptr<RecordSink>> OpenSink(const ConvertOptions& options,
                                             Projection* projection) {
  if (*options.to == OutputFormat::kJsonl) {
    return OpenJsonlSink(options.output, projection);
  }
  if (*options.to == OutputFormat::kWebdataset) {
    return OpenWebdatasetSink(options.output);
  }
  RecordOutput stored = options.stored;
  stored.threads = options.input.threads;
  return OpenTfrecordSink(options.outputs,
                          stored.WriterOptions(options.outputs.front()));
}

class RecordConverter {
 public:
  RecordConverter(const ConvertOptions& options, const Console& console,
                  Projection* projection, RecordSink* sink,
                  ConvertTotals* totals)
      : options_(options),
        console_(console),
        projection_(projection),
        sink_(sink),
        totals_(totals) {}

  Status ConvertTfrecord();
  Status ConvertJsonl();

 private:
  Status WriteMessage(const Message& message);
  Status WriteRecord(const InputRecord& record, const RecordInput& input,
                     bool looks_inside);
  // False if the output holds payloads and --features leaves nothing out: then
  // payloads are copied, so their bytes stay as their writer made them.
  bool WritesMessages() const {
    return !options_.writes_payloads() || !projection_->is_everything();
  }
  bool LooksInside() const {
    return WritesMessages() || options_.input.on_row_error == OnRowError::kSkip;
  }

  // A name in --features that no record has is treated as a typo, which is an
  // error.
  Status CheckSeen() const {
    return totals_->rows > 0 ? projection_->CheckSeen("record") : Status();
  }
  // Checks that the kinds of a line agree with earlier lines. Otherwise the
  // output could be a file that cannot be read.
  Status CheckKinds(const Message& message, const JsonlInput& input);

  const ConvertOptions& options_;
  const Console& console_;
  FeatureKinds kinds_;  // of the lines so far
  Projection* projection_;
  RecordSink* sink_;
  ConvertTotals* totals_;
};

Status RecordConverter::WriteRecord(const InputRecord& record,
                                    const RecordInput& input,
                                    bool looks_inside) {
  const std::string_view payload = record.record.payload;
  if (!looks_inside) return sink_->WritePayload(payload);
  if (*options_.to == OutputFormat::kJsonl) {
    return input.WithPlace(sink_->WriteRecord(payload, input.message()),
                           record);
  }
  Result<Message> message = input.Parse(record);
  if (!message) return message.status();
  if (!WritesMessages()) return sink_->WritePayload(payload);
  projection_->Apply(&*message);
  return WriteMessage(*message);
}

Status RecordConverter::WriteMessage(const Message& message) {
  const Result<std::string> payload = SerializeMessage(message);
  if (!payload) return payload.status();
  return sink_->WriteRecord(*payload, message.type);
}

Status RecordConverter::ConvertTfrecord() {
  Result<RecordInput> input = RecordInput::Open(options_.input);
  if (!input) return input.status();
  const bool looks_inside =
      LooksInside() && input->DecideMessage(console_) != MessageType::kRaw;
  Progress progress("convert", console_, options_.output);
  Status status;
  while (status.ok()) {
    auto record = input->Next();
    if (record) {
      status = WriteRecord(*record, *input, looks_inside);
      if (status.ok()) ++totals_->rows;
      if (IsRowError(status.code())) status = input->SkipRow(status);
    } else if (record.ok()) {
      if (!options_.input.dataset) status = CheckSeen();
      break;
    } else {
      status = record.status();
    }
    progress.Update(input->stored_position(), input->stored_size());
  }
  totals_->records = input->num_records();
  totals_->bytes = input->num_bytes();
  totals_->report = input->report();
  // Payloads are written unchanged, with their feature lists.
  if (!WritesMessages()) totals_->report.num_lists_left_out = 0;
  return status;
}

Status RecordConverter::CheckKinds(const Message& message,
                                   const JsonlInput& input) {
  if (options_.mixed_kinds || *options_.to != OutputFormat::kTfrecord) {
    return Status();
  }
  const Status status = kinds_.Add(message);
  if (status.ok()) return status;
  ErrorInfo info = *status.info();
  info.message += info.found == "int64" && info.expected == "float"
                      ? "; for a list of floats write 1.0 for 1"
                      : "; --mixed-kinds allows it";
  return input.WithPlace(Status(std::move(info)), input.num_records() - 1);
}

Status RecordConverter::ConvertJsonl() {
  Result<JsonlInput> input = JsonlInput::Open(options_.input, console_);
  if (!input) return input.status();
  Progress progress("convert", console_, options_.output);
  Status status;
  while (status.ok()) {
    auto message = input->Next();
    Status bad_row = message.status();
    if (message && input->message() == MessageType::kRaw) {
      status = sink_->WritePayload(input->payload());
    } else if (message) {
      projection_->Apply(&*message);
      bad_row = CheckKinds(*message, *input);
      if (bad_row.ok()) status = WriteMessage(*message);
    } else if (message.ok()) {
      status = CheckSeen();
      break;
    }
    if (!bad_row.ok()) {
      status = input->SkipRow(bad_row);
    } else if (status.ok()) {
      ++totals_->rows;
    }
    progress.Update(input->num_bytes(), input->stored_size());
  }
  totals_->records = input->num_records();
  totals_->bytes = input->num_bytes();
  totals_->report = input->report();
  return status;
}

}  // namespace

Status ConvertRecords(const ConvertOptions& options, const Console& console,
                      ConvertTotals* totals) {
  Projection projection(options.input.features);
  Result<std::unique_ptr<RecordSink>> sink = OpenSink(options, &projection);
  if (!sink) return sink.status();
  RecordConverter converter(options, console, &projection, sink->get(), totals);
  Status status = options.from == InputFormat::kJsonl
                      ? converter.ConvertJsonl()
                      : converter.ConvertTfrecord();
  return EndOutput(options, status, sink->get(), totals);
}

}  // namespace headrace::cli
