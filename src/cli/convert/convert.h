// The options of headrace convert, and the parts that it consists of: finding
// the input, and writing columns or single records.

#ifndef HEADRACE_SRC_CLI_CONVERT_CONVERT_H_
#define HEADRACE_SRC_CLI_CONVERT_CONVERT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/input_options.h"
#include "src/cli/output/output_name.h"
#include "src/cli/output/record_output.h"
#include "src/cli/plan_file.h"
#include "src/cli/process/console.h"
#include "src/cli/process/python_filter.h"

namespace headrace::cli {

enum class InputFormat : uint8_t { kAuto, kTfrecord, kJsonl, kParquet };

// How Parquet is written; see headrace.to_parquet of the Python package.
struct ParquetOutput {
  std::string compression = "snappy";
  uint64_t row_group_size = 0;  // 0: by the bytes of rows
  bool scalars = false;
  std::vector<std::string> text = {};
};

struct ConvertOptions {
  InputOptions input;
  std::string output;
  std::vector<std::string> outputs = {};  // the files that `output` means
  InputFormat from = InputFormat::kAuto;
  std::optional<OutputFormat> to;
  PlanFile plan_file;        // not given: columns are found from the data
  std::optional<Plan> plan;  // from plan_file
  std::optional<BytesAs> bytes_as;
  // How a TFRecord output is stored. For other outputs, `stored.compression` is
  // the compression of the input.
  RecordOutput stored;
  ParquetOutput parquet;
  // Makes records of Parquet, which are then read from standard input.
  std::shared_ptr<PythonFilter> input_filter;
  uint64_t shards = 0;
  bool repair = false;
  bool mixed_kinds = false;
  bool json = false;

  bool writes_columns() const {
    return to_arrow() || *to == OutputFormat::kCsv;
  }
  // True for outputs that have Arrow types.
  bool to_arrow() const {
    return *to == OutputFormat::kArrow || *to == OutputFormat::kArrowStream ||
           *to == OutputFormat::kParquet;
  }
  // True for outputs that hold payloads, which are written unchanged if nothing
  // is left out of the records.
  bool writes_payloads() const {
    return *to == OutputFormat::kTfrecord || *to == OutputFormat::kWebdataset;
  }
};

// The report is filled in even if the conversion failed.
struct ConvertTotals {
  uint64_t records = 0;  // read
  uint64_t rows = 0;     // written
  uint64_t bytes = 0;    // read, uncompressed
  uint64_t output_bytes = 0;
  ReadReport report;
};

// Closes a complete output. After a failure, in `status` or of the input
// filter, returns the failure; standard output keeps the complete part.
template <class Sink>
Status EndOutput(const ConvertOptions& options, Status status, Sink* sink,
                 ConvertTotals* totals) {
  if (options.input_filter && (status.ok() || IsDamage(status.code()))) {
    // Damage may be due to a failure of the filter, which is then the error to
    // report. A skipped region may hold records, so after one their number is
    // unknown.
    const bool is_whole = status.ok() && totals->report.num_regions == 0;
    Status filtered =
        options.input_filter->Wait(is_whole ? totals->records : kUnknown);
    if (!filtered.ok()) status = std::move(filtered);
  }
  if (status.ok()) {
    status = sink->Close();
  } else if (options.output == "-") {
    // The first error is the one to report.
    static_cast<void>(sink->Flush().ok());
  }
  totals->output_bytes = sink->num_bytes();
  return status;
}

// These write a complete output, or leave none; after a failure standard output
// keeps the complete part. Arrow, Parquet and CSV are made of columns:
Status ConvertToColumns(const ConvertOptions& options, const Console& console,
                        ConvertTotals* totals);
// JSON lines, TFRecord and WebDataset are made record by record:
Status ConvertRecords(const ConvertOptions& options, const Console& console,
                      ConvertTotals* totals);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONVERT_CONVERT_H_
