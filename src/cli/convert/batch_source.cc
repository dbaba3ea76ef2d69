#include "src/cli/convert/batch_source.h"

namespace headrace::cli {

Result<BatchSource> BatchSource::Open(const ConvertOptions& options,
                                      const Console& console) {
  const InputOptions& input = options.input;
  ReadOptions read = input;
  // If rows may be skipped, a late feature is not an error here: CheckLate
  // makes it an error at the end.
  read.strict_columns &= input.on_row_error == OnRowError::kFail;
  std::vector<std::string> paths = input.patterns;
  std::shared_ptr<JsonlRecords> lines;
  if (options.from == InputFormat::kJsonl) {
    auto opened = JsonlRecords::Open(input, console);
    if (!opened) return opened.status();
    lines = *opened;
    paths = {"JSON lines"};
    read.message = lines->message();
    read.compression = Compression::kNone;
    read.open_input = JsonlRecords::Opener(lines);
  }
  Result<Reader> reader = OpenReader(paths, options.plan, read, console);
  if (reader) return BatchSource(lines, *std::move(reader), input.max_bad);
  return lines ? lines->WithLine(reader.status()) : reader.status();
}

Result<std::optional<Batch>> BatchSource::Next() {
  auto batch = reader_.Next();
  if (!lines_ || batch.ok()) return batch;
  if (batch.status().code() == ErrorCode::kTooManyBad) {
    // The reader's own text names a record, not a line.
    const Status too_bad = CheckBad(report(), max_bad_);
    if (!too_bad.ok()) return too_bad;
  }
  return lines_->WithLine(batch.status());
}

ReadReport BatchSource::report() const {
  ReadReport report = reader_.report();
  if (!lines_) return report;
  for (Status& row : report.rows) row = lines_->WithLine(row);
  lines_->AddSkipped(&report);
  return report;
}

ReadReport BatchSource::counts() const {
  ReadReport counts;
  counts.num_regions = reader_.report().num_regions;
  counts.num_rows = reader_.report().num_rows;
  if (lines_) counts.num_rows += lines_->num_skipped();
  return counts;
}

std::vector<std::string> BatchSource::files() const {
  std::vector<std::string> files;
  if (lines_) return files;
  for (const std::string& file : reader_.files()) {
    files.push_back(FileName(file));
  }
  return files;
}

Status BatchSource::WithPlace(const Status& error,
                              const RowOrigin& origin) const {
  ErrorInfo info = *error.info();
  info.record = origin.record;
  info.offset = origin.offset;
  if (lines_) return lines_->WithLine(Status(std::move(info)));
  info.file = FileName(reader_.files()[origin.file]);
  return Status(std::move(info));
}

}  // namespace headrace::cli
