#ifndef HEADRACE_SRC_BASE_REGULAR_FILE_H_
#define HEADRACE_SRC_BASE_REGULAR_FILE_H_

#include <sys/stat.h>

#include <string>

namespace headrace {

// Whether the path names a regular file; follows links. Opens nothing, because
// a pipe that is opened and closed again is broken for its writer.
inline bool IsRegularFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace headrace

#endif  // HEADRACE_SRC_BASE_REGULAR_FILE_H_
