// ParseFeatures makes a tree of nodes from features.json (rules F1 to F6).

#ifndef HEADRACE_SRC_TFDS_FOLDER_FEATURE_TREE_H_
#define HEADRACE_SRC_TFDS_FOLDER_FEATURE_TREE_H_

#include <cstddef>
#include <string_view>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// Limits on the number of features, their depth, and the bytes of their paths.
inline constexpr size_t kMaxFeatures = 100'000;
inline constexpr int kDeepestFeature = 64;
inline constexpr size_t kLongestPath = 1000;

// Returns kBadSpec if the text is not the JSON of a feature. A feature that
// cannot be read becomes a leaf with a problem, so the others stay readable.
Result<Node> ParseFeatures(std::string_view text);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_FEATURE_TREE_H_
