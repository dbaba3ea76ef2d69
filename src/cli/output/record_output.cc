#include "src/cli/output/record_output.h"

#include <cstddef>

#include "src/cli/process/signals.h"

namespace headrace::cli {

RecordWriterOptions RecordOutput::WriterOptions(const std::string& path) const {
  RecordWriterOptions options;
  options.compression =
      compression == Compression::kAuto
          ? CompressionOfName(path).value_or(Compression::kNone)
          : compression;
  options.level = level;
  if (block_bytes) options.block_bytes = *block_bytes;
  options.threads = static_cast<size_t>(threads);
  options.temporaries = Temporaries();
  return options;
}

void WarnOfStaleIndexes(std::span<const std::string> paths,
                        const Console& console) {
  for (const std::string& path : paths) {
    if (path == "-") continue;
    for (const std::string& index : RemoveStaleIndexes(path)) {
      console.Warn("warning: " + index + " is an index of the old content of " +
                   path + "; write it again or remove it");
    }
  }
}

}  // namespace headrace::cli
