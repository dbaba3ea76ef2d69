#include "tests/support/temporary_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace headrace::testing {

TemporaryFile::TemporaryFile(std::string_view bytes, std::string_view suffix) {
  path_ = (std::filesystem::temp_directory_path() / "headrace-test-XXXXXX")
              .string()
              .append(suffix);
  const int fd = mkstemps(path_.data(), static_cast<int>(suffix.size()));
  if (fd < 0) throw std::runtime_error("cannot create " + path_);
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written <= 0) {
      close(fd);
      throw std::runtime_error("cannot write " + path_);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  close(fd);
}

TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }

TemporaryFolder::TemporaryFolder()
    : path_(std::filesystem::temp_directory_path() / "headrace-test-XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("cannot create " + path_);
  }
}

TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(path_); }

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace headrace::testing
