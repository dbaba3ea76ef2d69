// Names of classes, which lie beside features.json (E9).

#ifndef HEADRACE_SRC_TFDS_FOLDER_LABELS_H_
#define HEADRACE_SRC_TFDS_FOLDER_LABELS_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// "objects-label.labels.txt" for objects/label.
std::string LabelFileName(const std::vector<std::string>& names);

// Lines of the text without blanks around them; empty ones are left out.
std::vector<std::string> ParseLabels(std::string_view text);

// Fills label_names of all leaves of `info` whose file is there. A file that
// does not fit becomes the problem of its leaf.
Status ReadLabels(const FolderOptions& options, Info* info);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_LABELS_H_
