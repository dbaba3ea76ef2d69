// The name of an output file says its format.

#ifndef HEADRACE_SRC_CLI_OUTPUT_NAME_H_
#define HEADRACE_SRC_CLI_OUTPUT_NAME_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "headrace/types.h"

namespace headrace::cli {

enum class OutputFormat : uint8_t {
  kArrow,
  kArrowStream,
  kJsonl,
  kCsv,
  kTfrecord,
  kParquet,
  kWebdataset,
};

// Knows .arrow, .feather, .ipc; .arrows, .stream; .jsonl, .ndjson; .csv;
// .parquet, .pq; .tar; .tfrecord, .tfrecords, .tfr, these also before an
// extension of a compression (CompressionOfName).
std::optional<OutputFormat> FormatOfName(std::string_view path);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_NAME_H_
