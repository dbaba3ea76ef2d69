// These files and folders go away with the object.

#ifndef HEADRACE_TESTS_SUPPORT_TEMPORARY_FILE_H_
#define HEADRACE_TESTS_SUPPORT_TEMPORARY_FILE_H_

#include <string>
#include <string_view>

namespace headrace::testing {

class TemporaryFile {
 public:
  // The name ends in `suffix`, for code that looks at extensions. Throws
  // std::runtime_error when the file cannot be written.
  explicit TemporaryFile(std::string_view bytes, std::string_view suffix = {});
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The folder is empty at first and goes away with all that is in it. Throws
// std::runtime_error when it cannot be made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Nothing where there is no such file.
std::string ContentOf(const std::string& path);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_TEMPORARY_FILE_H_
