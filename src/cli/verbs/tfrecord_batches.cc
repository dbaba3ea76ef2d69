#include <algorithm>
#include <utility>

#include "src/cli/verbs/batch_source.h"

namespace headrace::cli {
namespace {

class TfrecordBatches : public BatchSource {
 public:
  explicit TfrecordBatches(Reader reader) : reader_(std::move(reader)) {}

  const Plan& plan() const override { return reader_.plan(); }
  Result<std::optional<Batch>> Next() override { return reader_.Next(); }
  const ReadReport& report() const override { return reader_.report(); }
  uint64_t num_records() const override { return reader_.num_records(); }
  uint64_t num_bytes() const override { return reader_.num_bytes(); }
  uint64_t stored_position() const override {
    return reader_.stored_position();
  }
  uint64_t stored_size() const override { return reader_.stored_size(); }
  std::vector<std::string> files() const override {
    std::vector<std::string> files = reader_.files();
    std::replace(files.begin(), files.end(), std::string("-"),
                 std::string("<stdin>"));
    return files;
  }
  Status WithPlace(Status error, const RowOrigin& origin) const override {
    ErrorInfo info = *error.info();
    info.file = files()[origin.file];
    info.record = origin.record;
    info.offset = origin.offset;
    return Status(std::move(info));
  }

 private:
  Reader reader_;
};

}  // namespace

Result<std::unique_ptr<BatchSource>> OpenTfrecordBatches(
    const ConvertOptions& options, const Console& console) {
  const InputOptions& input = options.input;
  ReadOptions read = ReadOptionsOf(input);
  read.batch_size = static_cast<size_t>(options.batch_size);
  read.sample = options.sample;
  read.sample_bytes = options.sample_bytes;
  // Where rows may be skipped, such a row is an error all the same: at the end.
  read.strict_columns =
      options.strict_columns && input.on_row_error == OnRowError::kFail;
  read.features = options.features;
  Result<Reader> reader =
      OpenReader(input.patterns, options.plan, read, console);
  if (!reader) return reader.status();
  return std::unique_ptr<BatchSource>(
      std::make_unique<TfrecordBatches>(*std::move(reader)));
}

}  // namespace headrace::cli
