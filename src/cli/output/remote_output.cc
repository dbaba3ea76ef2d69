#include "src/cli/output/remote_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <random>

#include "src/cli/process/python_filter.h"
#include "src/cli/process/signals.h"

namespace headrace::cli {

bool IsUrl(std::string_view path) {
  const size_t end = path.find("://");
  if (end == std::string_view::npos || end == 0) return false;
  const std::string_view scheme = path.substr(0, end);
  const bool has_letters =
      scheme.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyz"
          "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == std::string_view::npos;
  return has_letters && scheme != "file";
}

std::string TemporaryFolder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

std::string TemporaryName(const std::string& url) {
  std::string name = TemporaryFolder() + "/headrace-";
  std::random_device random;
  for (int i = 0; i < 4; ++i) name += std::to_string(random()) + '-';
  return name + url.substr(url.rfind('/') + 1);
}

Status Send(const std::string& path, const std::string& url) {
  Descriptor file;
  {
    // The file is unlinked at once, so that it is gone however the program
    // ends. Signals are held so that none arrives in between.
    const HoldSignals held;
    file = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const int error = errno;
    unlink(path.c_str());
    if (file.fd() < 0) {
      return Status(ErrorCode::kIo, path + ": " + std::strerror(error));
    }
  }
  struct stat info;
  const uint64_t size = fstat(file.fd(), &info) == 0
                            ? static_cast<uint64_t>(info.st_size)
                            : kUnknown;
  Result<PythonFilter> filter = PythonFilter::Start(
      "A URL is written by Python", {"upload", url}, file.fd());
  if (!filter) return filter.status();
  return filter->Wait(size);
}

}  // namespace headrace::cli
