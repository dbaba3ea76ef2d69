// Reads the names of classes from files beside features.json (E9).

#ifndef HEADRACE_SRC_TFDS_FOLDER_LABELS_H_
#define HEADRACE_SRC_TFDS_FOLDER_LABELS_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// Returns "objects-label.labels.txt" for objects/label.
std::string LabelFileName(const std::vector<std::string>& names);

// Returns the lines that are not empty, without blanks around them.
std::vector<std::string> ParseLabels(std::string_view text);

// Fills label_names of the leaves of `info` that have a file of names. A file
// that does not fit becomes the problem of its leaf.
Status ReadLabels(const FolderOptions& options, Info* info);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_LABELS_H_
