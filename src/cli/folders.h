// Folders of TFDS among FILE...: their splits become files and ranges of
// records, and their features have paths and labels.

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

// A FILE that is a folder of TFDS, or such a folder with ":" and a split behind
// it; a path that exists is never taken apart. An empty folder: it is neither.
struct FolderArgument {
  std::string folder = {};
  std::string split = "all";
};
FolderArgument ParseFolder(const std::string& argument);

// Replaces folders in options->patterns by their files, and sets record_ranges.
// If a folder is the only FILE, options->dataset is what it says of itself.
// Other FILEs then stand for the files that they name.
Status FindFolders(InputOptions* options);

// kInvalidArgument where the folders' slices are empty: columns and statistics
// of no file say nothing.
Status CheckHasFiles(const InputOptions& options);

// The plan of the leaves that `patterns` choose of options.dataset.
Result<Plan> PlanOfFolder(const InputOptions& options,
                          const std::vector<std::string>& patterns);

// The keys on the wire that a plan reads.
std::vector<std::string> KeysOf(const Plan& plan);

// Replaces paths and patterns of a dataset by the keys that hold them. What
// --features names elsewhere stays as it is.
Status ReplaceByKeys(const InputOptions& options,
                     std::vector<std::string>* names);

// Names of classes by the key of the labels.
class LabelNames {
 public:
  LabelNames() = default;
  explicit LabelNames(const tfds::Info& info);

  // Null where the values of this key are no labels, or have no names.
  const std::vector<std::string>* Find(std::string_view key) const;

  // Labels of a feature as `2 "dog"`; empty if it has none that have names.
  std::string Describe(std::string_view key, const Feature& feature,
                       size_t width) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> names_;
};

// Keys that are paths, one after another in their order, make a tree: each
// gives the names that it does not share with the one before, each with its
// indentation.
class PathTree {
 public:
  std::vector<std::string> Lines(std::string_view key);

 private:
  std::vector<std::string> open_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_FOLDERS_H_
