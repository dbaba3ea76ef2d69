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

// Returns the files to read, and the files left out of directories. Each path
// is one file if there are ranges or `open_input` is set; otherwise expands
// globs and so on. There must be one range for each path, or no ranges at all.
// kInvalidArgument for impossible ranges, kNotFound for a missing local file of
// which records should be read.
Result<FoundFiles> FilesOf(const std::vector<std::string>& paths,
                           std::span<const RecordRange> ranges,
                           const OpenInput& open_input);

inline bool IsEmpty(const RecordRange& range) {
  return range.begin == range.end;
}

// Returns the ranges. A range to the end of the file gets the number of records
// in the file as its end, if that number is known.
std::vector<RecordRange> Ended(std::vector<RecordRange> ranges);
// Whether the end of each range is known.
bool HaveEnds(std::span<const RecordRange> ranges);

// Returns the part of the ranges that one shard reads: one range, possibly
// empty, for each given one. The given ranges must have ends. The numbers of
// records of two shards differ by at most one.
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
