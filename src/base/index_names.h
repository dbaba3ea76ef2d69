// How indexes are found and recognised, and what errors say about bad ones.

#ifndef HEADRACE_SRC_BASE_INDEX_NAMES_H_
#define HEADRACE_SRC_BASE_INDEX_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/status.h"

namespace headrace {

// The first bytes of headrace's indexes (docs/formats/index.md).
inline constexpr std::string_view kIndexMagic = "HRI1";

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

// Returns kBadIndex with the reason why an index cannot be used. `file` is the
// index, or the TFRecord file that the index does not fit.
inline Status BadIndex(const std::string& why, const std::string& file = {}) {
  return Status(
      ErrorInfo{.code = ErrorCode::kBadIndex,
                .message = why + "; write the index again (headrace index)",
                .file = file});
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_INDEX_NAMES_H_
