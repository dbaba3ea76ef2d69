#include "src/reader/folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

#include "headrace/paths.h"
#include "headrace/types.h"

namespace headrace {
namespace {

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

constexpr std::string_view kTfrecord[] = {".tfrecord", ".tfrecords", ".tfr"};

bool DropTfrecord(std::string_view* name) {
  for (const std::string_view ending : kTfrecord) {
    if (!name->ends_with(ending)) continue;
    name->remove_suffix(ending.size());
    return true;
  }
  return false;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

bool DropNumber(std::string_view before, std::string_view* name) {
  const size_t size = name->size();
  while (!name->empty() && IsDigit(name->back())) name->remove_suffix(1);
  if (name->size() == size || !name->ends_with(before)) return false;
  name->remove_suffix(before.size());
  return true;
}

// TensorFlow's checkpoints are x.data-00000-of-00001, tfds has
// x.array_record-00000-of-00010; "v1.2-train" has no extension.
bool HasExtension(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return false;
  const std::string_view extension = name.substr(dot + 1);
  return std::all_of(extension.begin(), extension.end(), IsLetter);
}

bool IsRegularFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

bool HasTfrecordName(std::string_view name) {
  // Hidden files are unfinished outputs; Spark writes _SUCCESS, _temporary.
  if (name.empty() || name[0] == '.' || name[0] == '_') return false;
  if (CompressionOfName(name)) name = name.substr(0, name.rfind('.'));
  if (DropTfrecord(&name)) return true;
  if (!DropNumber("-of-", &name) || !DropNumber("-", &name)) return false;
  return DropTfrecord(&name) || !HasExtension(name);
}

namespace reader {

Result<std::vector<std::string>> TfrecordFiles(const std::string& folder) {
  const std::unique_ptr<DIR, FolderCloser> names(opendir(folder.c_str()));
  if (!names) {
    if (errno == ENOMEM) return Status::OutOfMemory();
    return Status(ErrorInfo{
        .code = ErrorCode::kIo,
        .message = "cannot open: " + std::generic_category().message(errno),
        .file = folder});
  }
  const std::string begin = folder.ends_with('/') ? folder : folder + "/";
  std::vector<std::string> found;
  while (const dirent* const entry = readdir(names.get())) {
    if (!HasTfrecordName(entry->d_name)) continue;
    std::string path = begin + entry->d_name;
    if (IsRegularFile(path)) found.push_back(std::move(path));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace reader
}  // namespace headrace
