// headrace convert: writes Arrow, Parquet and CSV, which are made of columns.

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "headrace/arrow.h"
#include "headrace/message.h"
#include "headrace/output_file.h"
#include "src/base/json/json_text.h"
#include "src/cli/convert/batch_source.h"
#include "src/cli/convert/convert.h"
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

// Writes Arrow or, through a filter, Parquet.
class ArrowSink : public BatchSink {
 public:
  // The writer owns `filter`, which is null for Arrow.
  ArrowSink(ArrowWriter writer, FilteredSink* filter, const BatchSource* source)
      : writer_(std::move(writer)), filter_(filter), source_(source) {}

  Status Write(const Batch& batch, uint64_t* rows) override;
  Status Close() override {
    if (filter_) filter_->ExpectRows(rows_);
    return writer_.Close();
  }
  // A Parquet file without its end is worthless.
  Status Flush() override { return filter_ ? Status() : writer_.Close(); }
  uint64_t num_bytes() const override {
    return filter_ ? filter_->num_bytes() : writer_.num_bytes();
  }

 private:
  ArrowWriter writer_;
  FilteredSink* filter_;
  const BatchSource* source_;
  uint64_t rows_ = 0;
};

Status ArrowSink::Write(const Batch& batch, uint64_t* rows) {
  rows_ += batch.num_rows();
  Status status = writer_.Write(batch);
  if (status.ok()) *rows += batch.num_rows();
  if (status.code() != ErrorCode::kInvalidArgument) return status;
  // For the library this is a bad request; for the program, a value that is not
  // UTF-8 is bad data.
  ErrorInfo info = *status.info();
  info.code = ErrorCode::kWrongKind;
  status = Status(info);
  if (!info.file.empty()) return status;
  return source_->WithPlace(status, {.record = info.record});
}

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
  return std::make_unique<ArrowSink>(*std::move(writer), sink, &source);
}

// CSV (RFC 4180) has no lists, so it can hold only columns of at most one value
// per row.
constexpr std::string_view kLineEnd = "\r\n";

void AppendCsvText(std::string_view text, std::string* out) {
  const bool quoted =
      text.empty() || text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (!quoted) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

void AppendCsvFloat(float value, std::string* out) {
  // Names have no quotes, unlike in JSON, and all NaNs have the same name.
  if (std::isnan(value)) {
    out->append("NaN");
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "Infinity" : "-Infinity");
  } else {
    AppendJsonFloat(value, out);
  }
}

void AppendCsvValue(const Column& column, size_t i, std::string* out) {
  switch (column.kind) {
    case Kind::kInt64:
      out->append(std::to_string(column.int64s()[i]));
      break;
    case Kind::kFloat:
      AppendCsvFloat(column.floats()[i], out);
      break;
    case Kind::kBytes: {
      const std::string_view value = column.bytes()[i];
      if (IsUtf8(value)) {
        AppendCsvText(value, out);
      } else {
        out->append("b64:");
        AppendBase64(value, out);
      }
      break;
    }
    case Kind::kNull:
      break;
  }
}

// Appends the first line, which has the names.
void AppendCsvHeader(std::span<const ColumnField> columns, std::string* out) {
  for (const ColumnField& column : columns) {
    if (&column != &columns.front()) out->push_back(',');
    AppendCsvText(column.name, out);
  }
  out->append(kLineEnd);
}

// Appends a row. A null and an empty list are an empty cell; an empty string is
// "". Bytes that are not UTF-8 are "b64:" and their base64. Returns
// kWrongCount, and appends nothing, for a list of more than one value.
Status AppendCsvRow(const Batch& batch, size_t row, std::string* out) {
  const size_t start = out->size();
  bool first = true;
  for (const Column& column : batch.columns()) {
    if (!first) out->push_back(',');
    first = false;
    if (column.IsNull(row)) continue;
    const auto begin = static_cast<size_t>(column.offsets[row]);
    const auto end = static_cast<size_t>(column.offsets[row + 1]);
    if (end - begin > 1) {
      out->resize(start);
      const std::string name(column.name);
      const std::string found = std::to_string(end - begin) + " values";
      return Status(ErrorInfo{
          .code = ErrorCode::kWrongCount,
          .message = "feature \"" + name + "\": " + found +
                     ", and a cell of CSV holds one; --features can leave "
                     "the column out",
          .feature = name,
          .expected = "at most 1 value",
          .found = found});
    }
    if (begin < end) AppendCsvValue(column, begin, out);
  }
  out->append(kLineEnd);
  return Status();
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
  // Makes the line of text_ that begins here safe for a terminal.
  void MakeShowable(size_t begin);

  OutputFile out_;
  const BatchSource* source_;
  const InputOptions& options_;
  bool to_terminal_;
  ReadReport* report_;  // only of rows that CSV cannot hold
  std::string text_;
};

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
      const ReadReport others = source_->counts();
      status =
          SkipRow(options_, source_->WithPlace(status, batch.origins()[row]),
                  report_, &others);
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
                          "--message example reads only the context, "
                          "--features only the features named");
    }
    Result<OutputFile> out = OpenOutput(options.output);
    if (!out) return out.status();
    auto sink =
        std::make_unique<CsvSink>(*std::move(out), &source, options, report);
    Status status = sink->WriteHeader(source.plan().columns());
    if (!status.ok()) return status;
    return sink;
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
  return std::make_unique<ArrowSink>(*std::move(writer), nullptr, &source);
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
  if (!options.input.strict_columns || report.num_late == 0) return Status();
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
