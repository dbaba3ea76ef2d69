// Reads dataset_info.json (rules D2 to D4, D8).

#ifndef HEADRACE_SRC_TFDS_FOLDER_DATASET_INFO_H_
#define HEADRACE_SRC_TFDS_FOLDER_DATASET_INFO_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// Bounds on what a few bytes of metadata can ask for.
inline constexpr size_t kMaxSplits = 10'000;
inline constexpr size_t kMaxShards = 1'000'000;  // of all splits
inline constexpr size_t kLongestFileName = 400;

// Fills all of `info` except folder and features, or returns kBadSpec.
Status ReadDatasetInfo(std::string_view text, Info* info);

// Values of the words that a template has in braces, such as {SHARD_X_OF_Y}.
struct FileNameParts {
  std::string_view dataset;
  std::string_view split;
  std::string_view file_format;
  size_t shard = 0;
  size_t num_shards = 0;
};

// Returns the name of a shard's file (D4), or kBadSpec if the template has
// another word in braces, or if the name is empty or too long.
Result<std::string> ShardFileName(std::string_view file_template,
                                  const FileNameParts& parts);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_DATASET_INFO_H_
