// Names of output files: which format and which shards they mean, and whether
// one of them is an input.

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

// Returns the TFRecord files that OUT means. With `shards`, name.gz is
// name-00000-of-00004.gz and so on: the extension of a compression comes last.
// If `shards` is 0, name@4 is name-00000-of-00004 and so on, and name@4.gz puts
// the extension after each; any other name is one file. Returns
// kInvalidArgument for name@0, for more than `most` shards, and for name@4
// together with `shards`.
Result<std::vector<std::string>> OutputPaths(const std::string& output,
                                             uint64_t shards, uint64_t most);

// Returns whether `output` is a file of `inputs`, perhaps under another name.
// "-" is not a file.
bool IsOneOf(const std::string& output, const std::vector<std::string>& inputs);

// Returns whether the path exists and is neither a file nor a folder, such as a
// device or a pipe.
bool IsDeviceOrPipe(const std::string& path);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_OUTPUT_NAME_H_
