// The name of an output file says its format.

#ifndef HEADRACE_SRC_CLI_OUTPUT_OUTPUT_NAME_H_
#define HEADRACE_SRC_CLI_OUTPUT_OUTPUT_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"
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

// Returns the format of .arrow, .feather, .ipc; .arrows, .stream; .jsonl,
// .ndjson; .csv; .parquet, .pq; .tar; of names that HasTfrecordName accepts,
// and of a shard set (name@4.gz) of such names.
std::optional<OutputFormat> FormatOfName(std::string_view path);

// Returns the TFRecord files that OUT stands for. With `shards`, name.gz is
// name-00000-of-00004.gz and so on: the extension of a compression comes last.
// Without (0), name@4 is name-00000-of-00004 and so on, and name@4.gz puts the
// extension after each; any other name is one file. kInvalidArgument for no
// shards or more than `most`, and for both ways together.
Result<std::vector<std::string>> OutputPaths(const std::string& output,
                                             uint64_t shards, uint64_t most);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_OUTPUT_NAME_H_
