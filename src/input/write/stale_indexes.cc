// Removes the indexes that headrace has written for a file that is replaced.

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include "headrace/record_writer.h"
#include "src/base/index_names.h"

namespace headrace {
namespace {

// False for a link, which may lead to an index that others use.
bool IsIndexOfHeadrace(const std::string& path) {
  const int fd = open(
      path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  struct stat info;
  char magic[kIndexMagic.size()];
  const bool is_index =
      fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
      pread(fd, magic, sizeof(magic), 0) == ssize_t{sizeof(magic)} &&
      std::memcmp(magic, kIndexMagic.data(), sizeof(magic)) == 0;
  close(fd);
  return is_index;
}

}  // namespace

std::vector<std::string> RemoveStaleIndexes(const std::string& path) {
  std::vector<std::string> names = IndexNames(path);
  // A link's target is replaced, and may be read by its own name, too.
  struct stat link;
  const bool is_link = lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  const std::unique_ptr<char, decltype(&free)> real(
      is_link ? realpath(path.c_str(), nullptr) : nullptr, &free);
  if (real) {
    std::ranges::move(IndexNames(real.get()), std::back_inserter(names));
  }
  std::vector<std::string> left;
  for (std::string& name : names) {
    struct stat info;
    if (lstat(name.c_str(), &info) != 0) continue;
    if (name.ends_with(".hri") && IsIndexOfHeadrace(name) &&
        unlink(name.c_str()) == 0) {
      continue;
    }
    left.push_back(std::move(name));
  }
  return left;
}

}  // namespace headrace
