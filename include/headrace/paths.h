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

// A file or folder that lies in a folder named as input, and that is not read.
struct LeftOutFile {
  std::string path;
  // "TFRecord by the first bytes, but not by the name"
  std::string reason = {};
  // False if what it begins with shows that nothing is lost: text, an image, an
  // event file of TensorBoard.
  bool may_have_records = true;
};

// What patterns stand for, and what the folders among them have besides.
struct FoundFiles {
  std::vector<std::string> files;
  // Sorted by path for each folder; at most 1000, the others are only counted.
  std::vector<LeftOutFile> left_out = {};
  uint64_t num_left_out = 0;
};

// Returns the paths that the patterns stand for, in their order. A pattern is
//   - a path; one that exists is taken as it is, whatever characters it has;
//   - a glob with *, ? or [..], sorted by name; kNotFound if nothing matches. A
//     part ** stands for any number of folders. Indexes (.hri, .idx) of other
//     files do not match, unless the pattern has that ending;
//   - a shard set: name@4 is name-00000-of-00004 and so on, and name@4.gz puts
//     the extension after each;
//   - a directory, for its files of HasTfrecordName, sorted by name; kNotFound
//     if it has none. LookForFiles says which others it has;
//   - "-", standard input, at most once.
// A file of a directory or glob that is a link to nothing is kNotFound; a pipe
// or a socket among them, which would have to be named to be read, is kIo.
HEADRACE_EXPORT Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns);

// Does the same, and checks that each file exists and may be read, before the
// first record instead of after hours. kNotFound or kIo, with the file's name,
// for the first that cannot be found; "-" always can.
HEADRACE_EXPORT Result<std::vector<std::string>> FindFiles(
    std::span<const std::string> patterns);

// Does the same as FindFiles, and says what is left out of directories, for
// which it looks at the first bytes of up to 100 files each. Those of
// IsSideFile are not listed.
HEADRACE_EXPORT Result<FoundFiles> LookForFiles(
    std::span<const std::string> patterns);

// Returns a text for each directory and reason, in order: "left out of data/:
// a.bin, b.bin (TFRecord by ...)". It names at most five files.
HEADRACE_EXPORT std::vector<std::string> DescribeLeftOut(
    std::span<const LeftOutFile> left_out);

// Whether a file of this name, given without its folder, is never data: it is
// hidden (the name begins with a dot or an underscore), or the index (.hri,
// .idx) of a file of HasTfrecordName.
HEADRACE_EXPORT bool IsSideFile(std::string_view name);

// Judges a file that is not named as TFRecord by its first bytes; 4096 suffice.
// It is for files that only the caller can read. kOutOfMemory.
HEADRACE_EXPORT Result<LeftOutFile> JudgeLeftOut(
    const std::string& path, std::span<const uint8_t> first_bytes);

// Whether a glob (see ExpandPaths) matches this path of a file: for files that
// only the caller can list. kInvalidArgument where ** is not a whole part.
HEADRACE_EXPORT Result<bool> MatchesGlob(const std::string& pattern,
                                         const std::string& path);

// Returns the name of one shard: name-00002-of-00004 is shard 2 of name@4.
HEADRACE_EXPORT std::string ShardName(std::string_view name, uint64_t shard,
                                      uint64_t shards);

// Whether a file of this name, given without its folder, is taken for TFRecord,
// in small or capital letters. It ends
//   - in .tfrecord, .tfrecords, .tfrec, .tfrecs, .tfr, .tf_record, .tf_records,
//     .tfexample, .tfexamples, .record or .records;
//   - in a shard's number: one of these with -00000-of-00010, -00000 or _00000
//     after it, or -00000-of-00010 with no other extension before it;
//   - as Spark and Hadoop name files without an extension: part-00000,
//     part-r-00000, part-m-00000.
// The ending of a compression may follow (CompressionOfName), also before the
// number. It does not begin with a dot or an underscore.
HEADRACE_EXPORT bool HasTfrecordName(std::string_view name);

}  // namespace headrace

#endif  // HEADRACE_PATHS_H_
