#include "src/cli/verbs/overwrites_input.h"

#include <sys/stat.h>

#include <algorithm>

namespace headrace::cli {

bool IsOneOf(const std::string& output,
             const std::vector<std::string>& inputs) {
  struct stat out;
  // A device may well be both: /dev/null, a terminal.
  if (output == "-" || stat(output.c_str(), &out) != 0 ||
      !S_ISREG(out.st_mode)) {
    return false;
  }
  return std::any_of(
      inputs.begin(), inputs.end(), [&out](const std::string& input) {
        struct stat in;
        return input != "-" && stat(input.c_str(), &in) == 0 &&
               in.st_dev == out.st_dev && in.st_ino == out.st_ino;
      });
}

bool IsDeviceOrPipe(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

}  // namespace headrace::cli
