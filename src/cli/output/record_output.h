// How a verb stores the records that it writes.

#ifndef HEADRACE_SRC_CLI_OUTPUT_RECORD_OUTPUT_H_
#define HEADRACE_SRC_CLI_OUTPUT_RECORD_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "headrace/record_writer.h"
#include "headrace/types.h"
#include "src/cli/process/console.h"

namespace headrace::cli {

struct RecordOutput {
  Compression compression = Compression::kAuto;  // by the name
  std::optional<int> level = {};
  std::optional<uint64_t> block_bytes = {};
  uint64_t threads = 1;

  bool has_blocks_or_level() const { return level || block_bytes; }
  // Returns the options for a file of this name.
  RecordWriterOptions WriterOptions(const std::string& path) const;
};

// Warns on standard error of indexes beside written files that are of the
// files' earlier contents.
void WarnOfStaleIndexes(std::span<const std::string> paths,
                        const Console& console);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_RECORD_OUTPUT_H_
