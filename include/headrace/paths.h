// Names of inputs: files, globs, shard sets and directories.

#ifndef HEADRACE_PATHS_H_
#define HEADRACE_PATHS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/export.h"
#include "headrace/status.h"

namespace headrace {

// Returns the paths that the patterns stand for, in their order. A pattern is
//   - a path; one that exists is taken as it is, whatever characters it has;
//   - a glob with *, ? or [..], sorted by name; kNotFound if nothing matches;
//   - a shard set: name@4 is name-00000-of-00004 and so on, and name@4.gz puts
//     the extension behind each;
//   - a directory, for its files of HasTfrecordName, sorted by name; kNotFound
//     if it has none. Its directories and what is no regular file do not count;
//   - "-", standard input, at most once.
HEADRACE_EXPORT Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns);

// Does the same, and checks that each file exists, before the first record
// instead of after hours. kNotFound or kIo, with the file's name, for the first
// that cannot be found; "-" always can.
HEADRACE_EXPORT Result<std::vector<std::string>> FindFiles(
    std::span<const std::string> patterns);

// Returns the name of one shard: name-00002-of-00004 is shard 2 of name@4.
HEADRACE_EXPORT std::string ShardName(std::string_view name, uint64_t shard,
                                      uint64_t shards);

// Whether a file of this name, given without its folder, is taken for TFRecord.
// It ends in .tfrecord, .tfrecords or .tfr, or in a shard's number
// (-00000-of-00010) with no other extension before it; the ending of a
// compression may follow (CompressionOfName). It does not begin with a dot or
// an underscore.
HEADRACE_EXPORT bool HasTfrecordName(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_PATHS_H_
