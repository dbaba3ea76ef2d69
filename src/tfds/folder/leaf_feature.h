// FeatureOf makes the feature of a spec that reads a leaf (rules E1 to E8, X3).

#ifndef HEADRACE_SRC_TFDS_FOLDER_LEAF_FEATURE_H_
#define HEADRACE_SRC_TFDS_FOLDER_LEAF_FEATURE_H_

#include <string>

#include "headrace/feature_spec.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// Fills `feature` for a leaf without a problem. Returns why the leaf cannot be
// read; empty if it can.
std::string FeatureOf(const Leaf& leaf, FeatureConfig* feature);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_LEAF_FEATURE_H_
