#include "src/tfds/folder/shard_files.h"

#include <dirent.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "src/base/system_error.h"
#include "src/base/text/quote.h"
#include "src/input/source/file_stream.h"

namespace headrace::tfds {
namespace {

struct ListingCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

Status Outside(const std::string& name, const std::string& real) {
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "the metadata name a file outside of the folder, in " +
                 Quote(real) +
                 "; it is read only if that is allowed (outside_files) (D4)",
      .file = name});
}

// Returns the path without links; empty if it does not exist.
std::string RealPath(const std::string& path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) == nullptr ? "" : real;
}

// Whether an entry that is not listed as a file is a link to one. A folder is
// not; a link to nothing, or a pipe, is an error, because it exists but cannot
// be read.
Result<bool> IsFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return SystemError("cannot read", errno, path);
  }
  if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) {
    return S_ISREG(info.st_mode);
  }
  return Status(ErrorInfo{.code = ErrorCode::kIo,
                          .message = "must be a regular file, not a pipe or a "
                                     "device",
                          .file = path});
}

}  // namespace

std::string JoinPath(const std::string& folder, const std::string& name) {
  if (folder.empty() || name.starts_with('/')) return name;
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

Result<std::map<std::string, EntryKind>> ListFolder(const std::string& folder) {
  const std::unique_ptr<DIR, ListingCloser> names(opendir(folder.c_str()));
  if (!names) {
    if (errno == ENOMEM) return Status::OutOfMemory();
    return SystemError("cannot open the folder", errno, folder);
  }
  std::map<std::string, EntryKind> listing;
  while (const dirent* const entry = readdir(names.get())) {
    EntryKind kind = EntryKind::kOther;
    if (entry->d_type == DT_REG) kind = EntryKind::kFile;
    if (entry->d_type == DT_DIR) kind = EntryKind::kFolder;
    listing.emplace(entry->d_name, kind);
  }
  return listing;
}

Result<const FileFinder::Listing*> FileFinder::ListingOf(
    const std::string& subfolder) {
  const auto known = listings_.find(subfolder);
  if (known != listings_.end()) return &known->second;
  if (Status status = CheckInside(subfolder); !status.ok()) return status;
  Result<Listing> listing = ListFolder(JoinPath(folder_, subfolder));
  const ErrorCode code = listing.status().code();
  if (!listing && code != ErrorCode::kNotFound) return listing.status();
  if (!listing) listing = Listing();
  return &listings_.emplace(subfolder, *std::move(listing)).first->second;
}

Status FileFinder::CheckInside(const std::string& name) {
  if (options_.outside_files) return Status();
  if (real_folder_.empty()) real_folder_ = RealPath(folder_);
  // A missing file, whose real path is empty, does not count as outside.
  const std::string real = RealPath(JoinPath(folder_, name));
  if (real.empty() || real == real_folder_ || real_folder_ == "/" ||
      real.starts_with(real_folder_ + "/")) {
    return Status();
  }
  return Outside(JoinPath(folder_, name), real);
}

Result<bool> FileFinder::Has(const std::string& name) {
  const size_t slash = name.rfind('/');
  const bool is_plain = slash == std::string::npos;
  // The folder of "/x" is "/".
  const std::string subfolder =
      is_plain ? "" : name.substr(0, slash == 0 ? 1 : slash);
  Result<const Listing*> listing = ListingOf(subfolder);
  if (!listing) return listing.status();
  const auto entry = (*listing)->find(is_plain ? name : name.substr(slash + 1));
  if (entry == (*listing)->end()) return false;
  if (entry->second == EntryKind::kFile) return true;
  const Result<bool> is_file = IsFile(JoinPath(folder_, name));
  if (!is_file || !*is_file) return is_file;
  if (Status status = CheckInside(name); !status.ok()) return status;
  return true;
}

Result<std::string> ReadSmallFile(const std::string& path, size_t most) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return SystemError("cannot read", errno, path);
  }
  // Opening a pipe would wait for a writer.
  const bool is_file = S_ISREG(info.st_mode);
  if (!is_file || static_cast<uint64_t>(info.st_size) > most) {
    return Status(
        ErrorInfo{.code = ErrorCode::kBadSpec,
                  .message = is_file ? "the file has more than " +
                                           std::to_string(most >> 20) + " MiB"
                                     : "this is not a regular file",
                  .file = path});
  }
  auto file = source::FileStream::OpenRegular(path);
  if (!file) return file.status();
  std::string text(static_cast<size_t>(info.st_size), '\0');
  const Result<size_t> got = (*file)->ReadAt(
      0, {reinterpret_cast<uint8_t*>(text.data()), text.size()});
  if (!got.ok()) return got.status();
  text.resize(*got);
  return text;
}

}  // namespace headrace::tfds
