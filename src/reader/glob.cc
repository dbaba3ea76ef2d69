#include "src/reader/glob.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace headrace::reader {
namespace {

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

// The part has no wildcard, so a backslash only marks the next character.
std::string WithoutBackslashes(const std::string& part) {
  std::string name;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\\' && i + 1 < part.size()) ++i;
    name += part[i];
  }
  return name;
}

// `folder` is empty or ends in a slash.
Status AddMatches(const std::string& folder, const std::string& part,
                  std::vector<std::string>* found) {
  const std::unique_ptr<DIR, FolderCloser> names(
      opendir(folder.empty() ? "." : folder.c_str()));
  if (!names) return errno == ENOMEM ? Status::OutOfMemory() : Status();
  while (const dirent* const entry = readdir(names.get())) {
    errno = 0;
    if (fnmatch(part.c_str(), entry->d_name, FNM_PERIOD) == 0) {
      found->push_back(folder + entry->d_name);
    } else if (errno == ENOMEM) {
      return Status::OutOfMemory();
    }
  }
  return Status();
}

bool IsMissing(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) != 0;
}

}  // namespace

bool IsGlob(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos;
}

Result<std::vector<std::string>> Glob(const std::string& pattern) {
  // After each part, `found` has what matches the pattern up to there.
  std::vector<std::string> found = {""};
  size_t begin = 0;
  while (begin <= pattern.size()) {
    const size_t end = std::min(pattern.find('/', begin), pattern.size());
    const std::string part = pattern.substr(begin, end - begin);
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      if (IsGlob(part)) {
        Status status = AddMatches(folder, part, &next);
        if (!status.ok()) return status;
      } else {
        next.push_back(folder + WithoutBackslashes(part));
      }
    }
    if (end < pattern.size()) {
      for (std::string& path : next) path += '/';
    }
    found = std::move(next);
    begin = end + 1;
  }
  std::erase_if(found, IsMissing);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace headrace::reader
