// The ranges of records of ReadOptions and DatasetOptions: what is wrong with
// them, and which part of them a shard has.

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

// The files that paths name, and what folders have besides: globs and so on
// where there are no ranges, otherwise the paths themselves, one for each
// range. kInvalidArgument for ranges that cannot be, kNotFound for a local file
// that is not there and has records to read.
Result<FoundFiles> FilesOf(const std::vector<std::string>& paths,
                           std::span<const RecordRange> ranges,
                           const OpenInput& open_input);

inline bool IsEmpty(const RecordRange& range) {
  return range.begin == range.end;
}

// The same ranges, which FilesOf has checked: those that go to the end of a
// file whose records are known end there.
std::vector<RecordRange> Ended(std::vector<RecordRange> ranges);
// Whether it is known where each of these ends.
bool HaveEnds(std::span<const RecordRange> ranges);

// The part of ranges with ends that one shard reads, so divided that all shards
// have equally many records, but for one: a range for each of the given ones,
// most of them empty.
std::vector<RecordRange> ShardOf(std::vector<RecordRange> ranges,
                                 const Shard& shard,
                                 std::span<const Shard> subshards);

// kWrongRecordCount where a file that has so many records cannot have the
// range.
Status CheckCount(const std::string& file, const RecordRange& range,
                  uint64_t count);
// The file has more records than the range says.
Status HasMoreRecords(const std::string& file, const RecordRange& range);

}  // namespace headrace::reader

#endif  // HEADRACE_SRC_READ_STREAM_RECORD_RANGES_H_
