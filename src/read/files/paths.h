// Expands the names of inputs: files, globs, shard sets and directories.

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

// The files that patterns stand for, and the other files of folders among them.
struct FoundFiles {
  std::vector<std::string> files;
  // Sorted by path for each folder; at most 1000, the rest are only counted.
  std::vector<LeftOutFile> left_out = {};
  uint64_t num_left_out = 0;
};

// Returns the paths that the patterns stand for, in their order; Reader::Open
// has the rules.
Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns);

// Does the same, and checks that each file exists and may be read: before the
// first record instead of after hours. kNotFound or kIo, with the file's name,
// for the first file that fails; "-" never does.
Result<std::vector<std::string>> FindFiles(
    std::span<const std::string> patterns);

// Does the same as FindFiles, and lists what is left out of directories, except
// for side files (IsSideFile). Reads the first bytes of up to 100 files in each
// directory.
Result<FoundFiles> LookForFiles(std::span<const std::string> patterns);

// Returns a text for each directory and reason, in order: "left out of data/:
// a.bin, b.bin (TFRecord by ...)". It names at most five files.
std::vector<std::string> DescribeLeftOut(std::span<const LeftOutFile> left_out);

// Whether a file of this name, given without its folder, is never data: it is
// hidden (the name begins with a dot or an underscore), or the index (.hri,
// .idx) of a file of HasTfrecordName.
bool IsSideFile(std::string_view name);

// Judges a file that is not named as TFRecord by its first bytes; 4096 suffice.
// For files that only the caller can read. kOutOfMemory.
Result<LeftOutFile> JudgeLeftOut(const std::string& path,
                                 std::span<const uint8_t> first_bytes);

// Whether a glob (see ExpandPaths) matches this path of a file: for files that
// only the caller can list. kInvalidArgument if ** is not a whole part.
Result<bool> MatchesGlob(const std::string& pattern, const std::string& path);

// Returns the name of one shard: name-00002-of-00004 is shard 2 of name@4.
std::string ShardName(std::string_view name, uint64_t shard, uint64_t shards);

// Whether a file of this name, given without its folder, counts as TFRecord, in
// small or capital letters. It ends
//   - in .tfrecord, .tfrecords, .tfrec, .tfrecs, .tfr, .tf_record, .tf_records,
//     .tfexample, .tfexamples, .record or .records;
//   - in a shard's number: one of these with -00000-of-00010, -00000 or _00000
//     after it, or -00000-of-00010 with no other extension before it;
//   - as Spark and Hadoop name files without an extension: part-00000,
//     part-r-00000, part-m-00000.
// The ending of a compression (CompressionOfName) may follow, or precede the
// number. The name does not begin with a dot or an underscore.
bool HasTfrecordName(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_FILES_PATHS_H_
