// Names of inputs: files, globs, shard sets.

#ifndef HEADRACE_PATHS_H_
#define HEADRACE_PATHS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"

namespace headrace {

// Each pattern is a path, a glob (*, ? and [..], sorted by name; kNotFound when
// nothing matches), `name@1024` (the shard set name-00000-of-01024 ...; an
// extension after the number, name@4.gz, goes behind each:
// name-00000-of-00004.gz), a directory, or "-" (standard input, at most once).
// A path that exists is taken as it is, whatever characters it has. Order is
// kept.
//
// A directory stands for its TFRecord files, sorted by name, byte-wise;
// kNotFound when it has none. HasTfrecordName decides, not the bytes;
// directories in the directory, and what is no regular file, are left out.
Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns);

// ExpandPaths, where each file must exist ("-" always does): a missing one is
// better found before the first record than after hours. kNotFound or kIo, with
// the file's name, for the first that cannot be found.
Result<std::vector<std::string>> FindFiles(
    std::span<const std::string> patterns);

// name-00002-of-00004, which is shard 2 of those that name@4 stands for.
std::string ShardName(std::string_view name, uint64_t shard, uint64_t shards);

// Whether a file of this name, without its folder, is taken for TFRecord: it
// ends in .tfrecord, .tfrecords or .tfr, or in a shard's number
// (-00000-of-00010) with no other extension before it; behind that may be the
// ending of a compression (CompressionOfName). Never where it begins with a dot
// or an underscore.
bool HasTfrecordName(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_PATHS_H_
