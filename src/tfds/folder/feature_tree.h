// FeatureTree makes nodes of features.json (rules F1 to F6).

#ifndef HEADRACE_SRC_TFDS_FOLDER_FEATURE_TREE_H_
#define HEADRACE_SRC_TFDS_FOLDER_FEATURE_TREE_H_

#include <cstddef>
#include <string_view>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// Features may be so many, so deep inside one another, and paths so long.
inline constexpr size_t kMaxFeatures = 100'000;
inline constexpr int kDeepestFeature = 64;
inline constexpr size_t kLongestPath = 1000;

// Fails with kBadSpec if the text is no JSON of a feature. A feature that
// cannot be read becomes a leaf with a problem, so others stay readable.
Result<Node> ParseFeatures(std::string_view text);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_FEATURE_TREE_H_
