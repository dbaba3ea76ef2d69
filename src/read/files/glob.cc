#include "src/read/files/glob.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <utility>

#include "src/read/files/folder.h"

namespace headrace::reader {
namespace {

// Maximum number of folders that ** may find. A larger number means a mistake,
// or links that form a ring.
constexpr size_t kMaxFolders = 1'000'000;
constexpr std::string_view kAnyDepth = "**";

std::vector<std::string> PartsOf(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool HasTwoStars(const std::string& part) {
  for (size_t i = 0; i + 1 < part.size(); ++i) {
    if (part[i] == '\\') {
      ++i;  // the next character is literal
    } else if (part[i] == '*' && part[i + 1] == '*') {
      return true;
    }
  }
  return false;
}

// Returns the name that a part without wildcards matches: in it, a backslash
// only escapes the next character.
std::string WithoutBackslashes(const std::string& part) {
  std::string name;
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\\' && i + 1 < part.size()) ++i;
    name += part[i];
  }
  return name;
}

// Adds the paths in `folder` whose names match `part`. `folder` is empty or
// ends in a slash. An unreadable folder has no paths.
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

// A folder that is searched for more folders.
struct Place {
  std::string path;  // empty, or ends in a slash
  size_t above = 0;  // index of the folder that contains it
  dev_t device = 0;
  ino_t number = 0;
};

// Whether this folder is places[above] or contains it. A link has then led
// back.
bool IsInItself(const std::vector<Place>& places, size_t above,
                const struct stat& info) {
  while (true) {
    const Place& place = places[above];
    if (place.device == info.st_dev && place.number == info.st_ino) return true;
    if (above == 0) return false;
    above = place.above;
  }
}

// Adds the folder and all folders below it, each with a slash at its end.
Status AddFoldersBelow(const std::string& folder,
                       std::vector<std::string>* found) {
  struct stat info;
  if (stat(folder.empty() ? "." : folder.c_str(), &info) != 0) return Status();
  std::vector<Place> places = {{folder, 0, info.st_dev, info.st_ino}};
  for (size_t i = 0; i < places.size(); ++i) {
    std::vector<std::string> names;
    Status status = AddMatches(places[i].path, "*", &names);
    if (!status.ok()) return status;
    for (std::string& name : names) {
      if (stat(name.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) continue;
      if (IsInItself(places, i, info)) continue;
      if (places.size() == kMaxFolders) {
        return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                                .message = "** finds more than a million "
                                           "folders here",
                                .file = folder});
      }
      places.push_back({std::move(name) + "/", i, info.st_dev, info.st_ino});
    }
  }
  for (Place& place : places) found->push_back(std::move(place.path));
  return Status();
}

// Adds the paths that one part of the pattern matches in one folder.
Status Follow(const std::string& folder, const std::string& part, bool is_last,
              std::vector<std::string>* next) {
  if (part == kAnyDepth) {
    std::vector<std::string> folders;
    Status status = AddFoldersBelow(folder, &folders);
    if (!status.ok()) return status;
    if (!is_last) {
      std::ranges::move(folders, std::back_inserter(*next));
      return Status();
    }
    for (const std::string& each : folders) {
      status = AddMatches(each, "*", next);
      if (!status.ok()) return status;
    }
    return Status();
  }
  const size_t begin = next->size();
  if (IsGlob(part)) {
    Status status = AddMatches(folder, part, next);
    if (!status.ok()) return status;
  } else {
    next->push_back(folder + WithoutBackslashes(part));
  }
  if (is_last) return Status();
  for (std::string& path : std::span(*next).subspan(begin)) path += '/';
  return Status();
}

bool HasEnding(std::string_view name, std::string_view ending) {
  return name.size() > ending.size() && name.ends_with(ending);
}

// A pattern like data/* is not meant to match indexes.
bool IsStrayIndex(const std::string& pattern, const std::string& path) {
  for (const std::string_view ending : {".hri", ".idx"}) {
    if (!HasEnding(path, ending)) continue;
    return !pattern.ends_with(ending) &&
           IsIndexName(std::string_view(path).substr(path.rfind('/') + 1));
  }
  return false;
}

bool Matches(std::span<const std::string> parts,
             std::span<const std::string> names) {
  if (parts.empty() || names.empty()) return parts.empty() == names.empty();
  const auto matches = [](const std::string& part, const std::string& name) {
    return fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0;
  };
  if (parts[0] != kAnyDepth) {
    return matches(parts[0], names[0]) &&
           Matches(parts.subspan(1), names.subspan(1));
  }
  // If ** is the last part, it matches any file below.
  const auto rest = parts.size() == 1 ? std::span(parts) : parts.subspan(1);
  if (parts.size() == 1 && names.size() == 1) return matches("*", names[0]);
  if (parts.size() > 1 && Matches(rest, names)) return true;
  return matches("*", names[0]) && Matches(parts, names.subspan(1));
}

}  // namespace

bool IsGlob(std::string_view path) {
  return path.find_first_of("*?[") != std::string_view::npos;
}

Status CheckGlob(const std::string& pattern) {
  for (const std::string& part : PartsOf(pattern)) {
    if (part == kAnyDepth || !HasTwoStars(part)) continue;
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = "** stands for folders, as a whole part "
                                       "of a path: data/**/*.tfrecord",
                            .file = pattern});
  }
  return Status();
}

Result<std::vector<std::string>> Glob(const std::string& pattern) {
  if (Status status = CheckGlob(pattern); !status.ok()) return status;
  const std::vector<std::string> parts = PartsOf(pattern);
  // After each part, `found` has the paths that match all parts so far.
  std::vector<std::string> found = {""};
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<std::string> next;
    for (const std::string& folder : found) {
      Status status = Follow(folder, parts[i], i + 1 == parts.size(), &next);
      if (!status.ok()) return status;
    }
    found = std::move(next);
  }
  const bool is_deep = std::ranges::find(parts, kAnyDepth) != parts.end();
  std::erase_if(found, [&](const std::string& path) {
    return IsMissing(path) || IsStrayIndex(pattern, path) ||
           (is_deep && IsFolder(path));
  });
  // A pattern that has ** twice can find the same file twice.
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool IsMatch(const std::string& pattern, const std::string& path) {
  if (IsStrayIndex(pattern, path)) return false;
  return Matches(PartsOf(pattern), PartsOf(path));
}

}  // namespace headrace::reader
