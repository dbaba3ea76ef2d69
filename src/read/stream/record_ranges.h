// Checks the record ranges of ReadOptions and DatasetOptions, and divides them
// among shards.

#ifndef HEADRACE_SRC_READ_STREAM_RECORD_RANGES_H_
#define HEADRACE_SRC_READ_STREAM_RECORD_RANGES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "headrace/input_file.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/read/files/paths.h"

namespace headrace::reader {

// Returns the files that paths name, and what folders have besides. Without
// ranges, globs and so on are expanded; with ranges, the paths are the files,
// one for each range. kInvalidArgument for impossible ranges, kNotFound for a
// missing local file that should have records to read.
Result<FoundFiles> FilesOf(const std::vector<std::string>& paths,
                           std::span<const RecordRange> ranges,
                           const OpenInput& open_input);

inline bool IsEmpty(const RecordRange& range) {
  return range.begin == range.end;
}

// Returns ranges, which FilesOf has checked, with an end for each that goes to
// the end of a file whose number of records is known.
std::vector<RecordRange> Ended(std::vector<RecordRange> ranges);
// Whether the end of each range is known.
bool HaveEnds(std::span<const RecordRange> ranges);

// Returns the part of ranges with ends that one shard reads: a range for each
// of the given ones, most of them empty. The shards' numbers of records differ
// by at most one.
std::vector<RecordRange> ShardOf(std::vector<RecordRange> ranges,
                                 const Shard& shard,
                                 std::span<const Shard> subshards);

// Returns kWrongRecordCount if a file of `count` records contradicts the range.
Status CheckCount(const std::string& file, const RecordRange& range,
                  uint64_t count);
// Returns the error of a file that has more records than the range says.
Status HasMoreRecords(const std::string& file, const RecordRange& range);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_RECORD_RANGES_H_
