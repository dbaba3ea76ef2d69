// The file names by which indexes are found.

#ifndef HEADRACE_SRC_BASE_INDEX_NAMES_H_
#define HEADRACE_SRC_BASE_INDEX_NAMES_H_

#include <string>
#include <vector>

namespace headrace {

// Returns the names that an index of the file may have, in the order they are
// tried: headrace's own, then DALI's.
inline std::vector<std::string> IndexNames(const std::string& path) {
  if (path.empty()) return {};
  std::vector<std::string> names = {path + ".hri", path + ".idx"};
  const size_t dot = path.rfind('.');
  if (dot != std::string::npos && dot > path.rfind('/') + 1) {
    names.push_back(path.substr(0, dot) + ".idx");
  }
  return names;
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_INDEX_NAMES_H_
