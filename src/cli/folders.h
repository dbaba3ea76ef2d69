// TFDS folders among FILE...: turns their splits into files and ranges of
// records, and finds the paths and labels of their features.

#ifndef HEADRACE_SRC_CLI_FOLDERS_H_
#define HEADRACE_SRC_CLI_FOLDERS_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/tfds.h"
#include "src/cli/input_options.h"

namespace headrace::cli {

// A FILE that is a TFDS folder, or a TFDS folder followed by ":" and a split. A
// path that exists is never split. `folder` is empty for any other FILE.
struct FolderArgument {
  std::string folder = {};
  std::string split = "all";
};
FolderArgument ParseFolder(const std::string& argument);

// Replaces folders in options->patterns by their files, and sets record_ranges.
// If a folder is the only FILE, options->dataset is its description. Other
// FILEs become the files that they name.
Status FindFolders(InputOptions* options);

// Returns kInvalidArgument if the folders' slices are empty: columns and
// statistics need a file.
Status CheckHasFiles(const InputOptions& options);

// Returns the plan of the leaves of options.dataset that `patterns` choose.
Result<Plan> PlanOfFolder(const InputOptions& options,
                          const std::vector<std::string>& patterns);

// Returns the keys on the wire that a plan reads.
std::vector<std::string> KeysOf(const Plan& plan);

// Replaces paths and patterns of a dataset by the keys that hold them. Without
// a dataset, the names of --features stay unchanged.
Status ReplaceByKeys(const InputOptions& options,
                     std::vector<std::string>* names);

// The names of classes, by the key of the labels.
class LabelNames {
 public:
  LabelNames() = default;
  explicit LabelNames(const tfds::Info& info);

  // Returns null if the values of this key are not labels, or have no names.
  const std::vector<std::string>* Find(std::string_view key) const;

  // Returns the labels of a feature as `2 "dog"`; empty if none have names.
  std::string Describe(std::string_view key, const Feature& feature,
                       size_t width) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> names_;
};

// Shows keys that are paths as a tree. Keys are passed in their order; for
// each, Lines returns the names that it does not share with the key before,
// each with its indentation.
class PathTree {
 public:
  std::vector<std::string> Lines(std::string_view key);

 private:
  std::vector<std::string> open_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_FOLDERS_H_
