// Handles TFDS folders that are passed as FILE: turns their splits into files
// and ranges of records, and finds the paths and labels of their features.

#ifndef HEADRACE_SRC_CLI_FOLDERS_H_
#define HEADRACE_SRC_CLI_FOLDERS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/message.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/tfds.h"
#include "src/cli/input_options.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {

// Replaces folders in options->patterns by their files, and sets record_ranges.
// If a folder is the only FILE, options->dataset is its description. Other FILE
// arguments become the files that they name.
Status FindFolders(InputOptions* options);
// Does the same, and then returns what FindInputs returns.
Result<std::vector<std::string>> FindFoldersAndFiles(InputOptions* options);

// Returns kInvalidArgument if the folders' slices are empty: columns and
// statistics need a file.
Status CheckHasFiles(const InputOptions& options);

// Returns the plan of the leaves of options.dataset that match `patterns`.
Result<Plan> PlanOfFolder(const InputOptions& options,
                          const std::vector<std::string>& patterns);

// Returns the keys on the wire that a plan reads.
std::vector<std::string> KeysOf(const Plan& plan);

// Replaces paths and patterns of a dataset in options->features by the keys
// that hold them. Without a dataset they stay unchanged.
Status ReplaceByKeys(InputOptions* options);

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

// Shows keys that are paths as a tree. Pass keys in the order in which they are
// shown, with a common path next to one another.
class PathTree {
 public:
  // Adds a row for each folder of the key that the previous key does not share.
  // Returns the last part of the key, indented, for the next row.
  std::string AddFolders(std::string_view key, const std::string& indentation,
                         Table* table);

 private:
  std::vector<std::string> open_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_FOLDERS_H_
