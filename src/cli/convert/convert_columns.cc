// headrace convert: writes Arrow, Parquet and CSV, which are made of columns.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "headrace/arrow.h"
#include "headrace/output_file.h"
#include "src/cli/convert/batch_source.h"
#include "src/cli/convert/convert.h"
#include "src/cli/convert/csv.h"
#include "src/cli/process/python_filter.h"
#include "src/cli/process/signals.h"
#include "src/cli/progress.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

class BatchSink {
 public:
  virtual ~BatchSink() = default;
  // Adds the number of rows written to `rows`.
  virtual Status Write(const Batch& batch, uint64_t* rows) = 0;
  virtual Status Close() = 0;
  // After a failure, hands complete batches to standard output.
  virtual Status Flush() = 0;
  virtual uint64_t num_bytes() const = 0;
};

class ArrowSink : public BatchSink {
 public:
  ArrowSink(ArrowWriter writer, const BatchSource* source)
      : writer_(std::move(writer)), source_(source) {}

  Status Write(const Batch& batch, uint64_t* rows) override;
  Status Close() override { return writer_.Close(); }
  Status Flush() override { return writer_.Close(); }
  uint64_t num_bytes() const override { return writer_.num_bytes(); }

 private:
  ArrowWriter writer_;
  const BatchSource* source_;
};

Status ArrowSink::Write(const Batch& batch, uint64_t* rows) {
  Status status = writer_.Write(batch);
  if (status.ok()) *rows += batch.num_rows();
  if (status.code() != ErrorCode::kInvalidArgument) return status;
  // For the library this is a bad request, but that a value is not UTF-8 is a
  // fact about the data.
  ErrorInfo info = *status.info();
  info.code = ErrorCode::kWrongKind;
  status = Status(info);
  if (!info.file.empty()) return status;
  return source_->WithPlace(status, {.record = info.record});
}

class ParquetSink : public BatchSink {
 public:
  // The writer owns the file.
  ParquetSink(FilteredSink* file, ArrowWriter writer, const BatchSource* source)
      : file_(file), arrow_(std::move(writer), source) {}

  Status Write(const Batch& batch, uint64_t* rows) override {
    rows_ += batch.num_rows();
    return arrow_.Write(batch, rows);
  }
  Status Close() override {
    file_->ExpectRows(rows_);
    return arrow_.Close();
  }
  // A Parquet file without its end is worthless.
  Status Flush() override { return Status(); }
  uint64_t num_bytes() const override { return file_->num_bytes(); }

 private:
  FilteredSink* file_;
  ArrowSink arrow_;
  uint64_t rows_ = 0;
};

Result<std::unique_ptr<BatchSink>> OpenParquet(const ConvertOptions& options,
                                               const BatchSource& source,
                                               const ArrowOptions& arrow) {
  std::vector<std::string> arguments = {
      "parquet", options.parquet.compression,
      std::to_string(options.parquet.row_group_size),
      options.parquet.scalars ? "scalars" : "lists"};
  arguments.insert(arguments.end(), options.parquet.text.begin(),
                   options.parquet.text.end());
  auto file = FilteredSink::Open(
      options.output, "Parquet is written by Python's pyarrow", arguments);
  if (!file) return file.status();
  FilteredSink* const sink = file->get();
  Result<ArrowWriter> writer =
      ArrowWriter::ToSink(*std::move(file), options.output,
                          ArrowFormat::kStream, source.plan(), arrow);
  if (!writer) return writer.status();
  return std::unique_ptr<BatchSink>(
      std::make_unique<ParquetSink>(sink, *std::move(writer), &source));
}

class CsvSink : public BatchSink {
 public:
  CsvSink(OutputFile out, const BatchSource* source,
          const ConvertOptions& options, ReadReport* report)
      : out_(std::move(out)),
        source_(source),
        options_(options.input),
        to_terminal_(IsTerminal(options.output)),
        report_(report) {}

  Status WriteHeader(std::span<const ColumnField> columns) {
    text_.clear();
    AppendCsvHeader(columns, &text_);
    MakeShowable(0);
    return out_.Write(text_);
  }
  Status Write(const Batch& batch, uint64_t* rows) override;
  Status Close() override { return out_.Close(); }
  Status Flush() override { return out_.Flush(); }
  uint64_t num_bytes() const override { return out_.size(); }

 private:
  Status SkipRow(Status error);
  // Makes the line of text_ that begins here safe for a terminal.
  void MakeShowable(size_t begin);

  OutputFile out_;
  const BatchSource* source_;
  const InputOptions& options_;
  bool to_terminal_;
  ReadReport* report_;  // rows that only CSV cannot hold
  std::string text_;
};

Status CsvSink::SkipRow(Status error) {
  if (options_.on_row_error == OnRowError::kFail) return error;
  ++report_->num_rows;
  if (report_->rows.size() < options_.max_reported) {
    report_->rows.push_back(std::move(error));
  }
  ReadReport both = source_->counts();
  both.num_rows += report_->num_rows;
  return CheckBad(both, options_.max_bad);
}

void CsvSink::MakeShowable(size_t begin) {
  if (!to_terminal_) return;
  const std::string_view line = std::string_view(text_).substr(begin);
  const std::string shown = Printable(line.substr(0, line.rfind("\r\n")));
  text_.resize(begin);
  text_ += shown + "\n";
}

Status CsvSink::Write(const Batch& batch, uint64_t* rows) {
  text_.clear();
  Status status;
  for (size_t row = 0; row < batch.num_rows() && status.ok(); ++row) {
    const size_t begin = text_.size();
    status = AppendCsvRow(batch, row, &text_);
    if (status.ok()) {
      MakeShowable(begin);
      ++*rows;
    } else {
      status = SkipRow(source_->WithPlace(status, batch.origins()[row]));
    }
  }
  // Rows before an error are written first.
  const Status written = out_.Write(text_);
  return written.ok() ? status : written;
}

Result<std::unique_ptr<BatchSink>> OpenSink(const ConvertOptions& options,
                                            const BatchSource& source,
                                            ReadReport* report) {
  if (*options.to == OutputFormat::kCsv) {
    if (source.plan().has_sequence_struct()) {
      return Status(ErrorCode::kInvalidArgument,
                    IsListOfExamples(source.plan().message())
                        ? "a cell of CSV cannot hold a list of Examples; "
                          "--features selects features of the context"
                        : "a cell of CSV cannot hold a feature list; "
                          "--message example reads the context alone, "
                          "--features the features named");
    }
    OutputFileOptions file;
    file.temporaries = Temporaries();
    Result<OutputFile> out = OutputFile::Open(options.output, file);
    if (!out) return out.status();
    auto sink =
        std::make_unique<CsvSink>(*std::move(out), &source, options, report);
    Status status = sink->WriteHeader(source.plan().columns());
    if (!status.ok()) return status;
    return std::unique_ptr<BatchSink>(std::move(sink));
  }
  ArrowOptions arrow;
  arrow.bytes_as = options.bytes_as.value_or(BytesAs::kBinary);
  arrow.files = source.files();
  arrow.temporaries = Temporaries();
  if (*options.to == OutputFormat::kParquet) {
    return OpenParquet(options, source, arrow);
  }
  Result<ArrowWriter> writer = ArrowWriter::Open(
      options.output,
      *options.to == OutputFormat::kArrow ? ArrowFormat::kFile
                                          : ArrowFormat::kStream,
      source.plan(), arrow);
  if (!writer) return writer.status();
  return std::unique_ptr<BatchSink>(
      std::make_unique<ArrowSink>(*std::move(writer), &source));
}

Status CopyBatches(const ConvertOptions& options, const Console& console,
                   BatchSource* source, BatchSink* sink, uint64_t* rows) {
  Progress progress("convert", console, options.output);
  while (true) {
    auto batch = source->Next();
    if (!batch.ok()) return batch.status();
    if (!batch) return Status();
    Status status = sink->Write(*batch, rows);
    if (!status.ok()) return status;
    progress.Update(source->stored_position(), source->stored_size());
  }
}

void WarnOfBits(const Plan& plan, const Console& console) {
  for (const TensorField& field : plan.tensors()) {
    if (field.feature.config.as != DType::kBfloat16) continue;
    console.Warn(
        "feature \"" + std::string(field.feature.name) +
        "\" is bfloat16, which Arrow does not have: the output has the "
        "16 bits of each number as uint16");
  }
}

// Makes late columns an error under --strict-columns.
Status CheckLate(const ConvertOptions& options, const ReadReport& report) {
  if (!options.strict_columns || report.num_late == 0) return Status();
  return Status(ErrorCode::kMissingFeature,
                "the sample did not show all columns, and --strict-columns "
                "was given");
}

}  // namespace

Status ConvertToColumns(const ConvertOptions& options, const Console& console,
                        ConvertTotals* totals) {
  Result<BatchSource> source = BatchSource::Open(options, console);
  if (!source) return source.status();
  WarnOfBits(source->plan(), console);
  ReadReport unwritable;
  Result<std::unique_ptr<BatchSink>> sink =
      OpenSink(options, *source, &unwritable);
  if (!sink) return sink.status();
  Status status =
      CopyBatches(options, console, &*source, sink->get(), &totals->rows);
  totals->records = source->num_records();
  totals->bytes = source->num_bytes();
  totals->report = source->report();
  AddRows(unwritable, &totals->report);
  if (status.ok()) status = CheckLate(options, totals->report);
  return EndOutput(options, status, sink->get(), totals);
}

}  // namespace headrace::cli
