// CutFiles finds out how many bytes of each file can be divided, and divides
// them in proportion.

#include "src/read/reader/parts.h"

#include <algorithm>

#include "src/base/interrupt.h"
#include "src/base/out_of_memory.h"
#include "src/input/index/index_beside.h"
#include "src/input/source/source.h"
#include "src/read/files/paths.h"

namespace headrace {
namespace {

// Returns the number of uncompressed bytes to divide; kUnknown for a file that
// cannot be cut.
Result<uint64_t> SizeToCut(const std::string& file, const CutOptions& options,
                           Interrupt* interrupt) {
  if (interrupt != nullptr && interrupt->Ask()) return Cancelled();
  const auto table =
      index::SeekTableBeside(file, options.index_directory, options.index,
                             {.open_input = options.open_input});
  if (!table.ok()) return table.status();
  const auto source =
      source::OpenNamed(file, options.open_input,
                        {.compression = options.compression,
                         .seek_table = *table,
                         .hops_members = options.open_input == nullptr,
                         .interrupt = interrupt});
  if (!source.ok()) return source.status();
  return (*source)->can_read_at() ? (*source)->stream_size() : kUnknown;
}

Result<std::vector<FilePart>> Cut(const std::vector<std::string>& files,
                                  uint64_t count, const CutOptions& options) {
  Interrupt interrupt(options.interrupted);
  interrupt.EnterCaller();
  std::vector<uint64_t> sizes;
  uint64_t total = 0;
  for (const std::string& file : files) {
    const auto size = SizeToCut(
        file, options, interrupt.has_function() ? &interrupt : nullptr);
    if (!size.ok()) return size.status();
    sizes.push_back(*size);
    if (*size != kUnknown) total += *size;
  }
  const uint64_t part = std::max<uint64_t>(total / count, 1);
  std::vector<FilePart> parts;
  for (size_t f = 0; f < files.size(); ++f) {
    if (sizes[f] == kUnknown) {
      parts.push_back({files[f], ByteRange()});
      continue;
    }
    const uint64_t of_file =
        files.size() == 1 ? count : std::max<uint64_t>(sizes[f] / part, 1);
    for (uint64_t i = 0; i < of_file; ++i) {
      parts.push_back({files[f], PartOf(sizes[f], i, of_file)});
    }
  }
  return parts;
}

// Maximum number of parts; a larger number is probably a typo.
constexpr uint64_t kMaxParts = uint64_t{1} << 24;

}  // namespace

Result<std::vector<FilePart>> CutFiles(const std::vector<std::string>& paths,
                                       uint64_t count,
                                       const CutOptions& options) {
  return CatchOutOfMemory([&]() -> Result<std::vector<FilePart>> {
    if (count == 0 || count > kMaxParts) {
      return Status(ErrorCode::kInvalidArgument,
                    "the number of parts must be from 1 to " +
                        std::to_string(kMaxParts) + ", not " +
                        std::to_string(count));
    }
    if (options.open_input) return Cut(paths, count, options);
    const auto files = FindFiles(paths);
    if (!files.ok()) return files.status();
    return Cut(*files, count, options);
  });
}

}  // namespace headrace
