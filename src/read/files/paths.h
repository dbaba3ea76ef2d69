// Expands the names of inputs (files, globs, shard sets and directories), and
// judges files by their names and first bytes.

#ifndef HEADRACE_SRC_READ_FILES_PATHS_H_
#define HEADRACE_SRC_READ_FILES_PATHS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/reader.h"
#include "headrace/status.h"

namespace headrace {

// The files that patterns name, and the files that were left out of
// directories.
struct FoundFiles {
  std::vector<std::string> files;
  // Sorted by path within each directory. At most 1000 are listed; the rest are
  // only counted.
  std::vector<LeftOutFile> left_out = {};
  uint64_t num_left_out = 0;
};

// Returns the files that the patterns name, in the order of the patterns.
// Reader::Open documents the patterns.
Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns);

// Calls ExpandPaths, then checks that each file exists and may be read, so that
// an error comes before the first record and not after hours. kNotFound or kIo,
// with the name of the first file that fails the check; "-" never fails it.
Result<std::vector<std::string>> FindFiles(
    std::span<const std::string> patterns);

// Calls FindFiles, and also lists the files left out of directories, except
// side files (IsSideFile). To say what they are, reads the first bytes of up to
// 100 files in each directory.
Result<FoundFiles> LookForFiles(std::span<const std::string> patterns);

// Returns a text for each directory and reason, in order: "left out of data/:
// a.bin, b.bin (TFRecord by ...)". Each text names at most five files.
std::vector<std::string> DescribeLeftOut(std::span<const LeftOutFile> left_out);

// Whether a file of this name, given without its folder, is never data. It is
// hidden (the name begins with a dot or an underscore), or the index (.hri,
// .idx) of a file that HasTfrecordName accepts.
bool IsSideFile(std::string_view name);

// Says what kind of file this is, judged by its first bytes; 4096 suffice for
// most files. For files that only the caller can read, and that HasTfrecordName
// does not accept. kOutOfMemory.
Result<LeftOutFile> JudgeLeftOut(const std::string& path,
                                 std::span<const uint8_t> first_bytes);

// Whether a glob (see ExpandPaths) matches the path of a file. For files that
// only the caller can list. kInvalidArgument if ** is only a part of a name.
Result<bool> MatchesGlob(const std::string& pattern, const std::string& path);

// Returns the name of one shard: name-00002-of-00004 is shard 2 of name@4.
std::string ShardName(std::string_view name, uint64_t shard, uint64_t shards);

// Whether a file of this name, given without its folder, counts as TFRecord.
// Case does not matter. The name must end
//   - in .tfrecord, .tfrecords, .tfrec, .tfrecs, .tfr, .tf_record, .tf_records,
//     .tfexample, .tfexamples, .record or .records;
//   - in one of these endings and the number of a shard: -00000-of-00010,
//     -00000 or _00000;
//   - in -00000-of-00010 without any extension before it;
//   - or as Spark and Hadoop name files without an extension: part-00000,
//     part-r-00000, part-m-00000.
// The ending of a compression (CompressionOfName) may come last, or before the
// number. The name must not begin with a dot or an underscore.
bool HasTfrecordName(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_FILES_PATHS_H_
