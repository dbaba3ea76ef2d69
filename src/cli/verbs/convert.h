// What the parts of `headrace convert` share.

#ifndef HEADRACE_SRC_CLI_VERBS_CONVERT_H_
#define HEADRACE_SRC_CLI_VERBS_CONVERT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/console.h"
#include "src/cli/output_name.h"
#include "src/cli/plan_file.h"
#include "src/cli/record_input.h"

namespace headrace::cli {

enum class InputFormat : uint8_t { kAuto, kTfrecord, kJsonl };

struct ConvertOptions {
  InputOptions input;
  std::string output;
  InputFormat from = InputFormat::kAuto;
  std::optional<OutputFormat> to;
  PlanFile plan_file;          // not given: the columns are found
  std::optional<Plan> plan;    // of the file
  uint64_t sample = kUnknown;  // the default of ReadOptions
  uint64_t sample_bytes = kUnknown;
  bool strict_columns = false;
  std::vector<std::string> features;
  uint64_t batch_size = 1024;
  std::optional<BytesAs> bytes_as;
  // As given: of the output where that is TFRecord, otherwise of the input.
  Compression compression = Compression::kAuto;
  uint64_t shards = 0;
  bool repair = false;
  bool json = false;

  bool writes_columns() const {
    return *to != OutputFormat::kJsonl && *to != OutputFormat::kTfrecord;
  }
};

// What was done. The report is filled in also when the conversion failed.
struct ConvertTotals {
  uint64_t records = 0;  // read
  uint64_t rows = 0;     // written
  uint64_t bytes = 0;    // read, uncompressed
  uint64_t output_bytes = 0;
  uint64_t without_lists = 0;  // RecordInput::num_without_lists
  ReadReport report;
};

// Closes an output that is whole. Of standard output what is complete stays
// after a failure, which `status` holds; it is returned.
template <class Sink>
Status EndOutput(const ConvertOptions& options, Status status, Sink* sink,
                 ConvertTotals* totals) {
  if (status.ok()) {
    status = sink->Close();
  } else if (options.output == "-") {
    // The first error is the one to report.
    static_cast<void>(sink->Flush().ok());
  }
  totals->output_bytes = sink->num_bytes();
  return status;
}

// Each writes the output, or leaves none: success is a complete output. Of an
// output that is standard output what is complete stays.
// To Arrow and CSV, through columns:
Status ConvertToColumns(const ConvertOptions& options, const Console& console,
                        ConvertTotals* totals);
// To JSON lines and TFRecord, record by record:
Status ConvertRecords(const ConvertOptions& options, const Console& console,
                      ConvertTotals* totals);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_CONVERT_H_
