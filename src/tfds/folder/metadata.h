// Functions that read the texts of a folder of TFDS and expressions of splits.
// docs/formats/tfds.md has the rules that the comments name.

#ifndef HEADRACE_SRC_TFDS_FOLDER_METADATA_H_
#define HEADRACE_SRC_TFDS_FOLDER_METADATA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// Reads dataset_info.json (rules D2 to D4, D8): fills all of `info` except
// folder and features, or returns kBadSpec.
Status ReadDatasetInfo(std::string_view text, Info* info);

// Limits on the number of features, their depth, and the bytes of their paths.
inline constexpr size_t kMaxFeatures = 100'000;
inline constexpr int kDeepestFeature = 64;
inline constexpr size_t kLongestPath = 1000;

// Makes a tree of nodes from features.json (rules F1 to F6). Returns kBadSpec
// if the text is not the JSON of a feature. A feature that cannot be read
// becomes a leaf with a problem, so the others stay readable.
Result<Node> ParseFeatures(std::string_view text);

// Returns "objects-label.labels.txt" for objects/label.
std::string LabelFileName(const std::vector<std::string>& names);

// Returns the names in a file of labels: the lines that are not empty, without
// blanks around them.
std::vector<std::string> ParseLabels(std::string_view text);

// Reads the names of classes from files beside features.json (E9): fills
// label_names of each leaf of `info` that has such a file. If the file does not
// fit the leaf, the leaf gets a problem.
Status ReadLabels(const FolderOptions& options, Info* info);

// Records [begin, end) of a split.
struct SplitRange {
  size_t split = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Parses an expression of splits and slices (rules S1 to S5). Returns
// kInvalidArgument if it is not valid.
Result<std::vector<SplitRange>> ParseSplits(std::string_view expression,
                                            std::span<const Split> splits);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_METADATA_H_
