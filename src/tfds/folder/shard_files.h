// The files of a folder: how they are listed, found and kept inside.

#ifndef HEADRACE_SRC_TFDS_FOLDER_SHARD_FILES_H_
#define HEADRACE_SRC_TFDS_FOLDER_SHARD_FILES_H_

#include <map>
#include <string>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// What a name in a folder is, as far as listing tells.
enum class EntryKind : uint8_t { kFile, kFolder, kOther };

// Names and kinds. Links are kOther. kNotFound, kIo.
Result<std::map<std::string, EntryKind>> ListFolder(const std::string& folder);

// "folder/name"; an absolute name is the path itself.
std::string JoinPath(const std::string& folder, const std::string& name);

// Finds files that metadata name. Each folder is listed once.
class FileFinder {
 public:
  FileFinder(std::string folder, const FolderOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  // Whether there is a regular file of this name, relative to the folder.
  // kInvalidArgument if it lies outside and may not be opened. Where the name's
  // own folder is not there, the file is not there.
  Result<bool> Has(const std::string& name);

 private:
  using Listing = std::map<std::string, EntryKind>;

  Result<const Listing*> ListingOf(const std::string& subfolder);
  // A file or folder of this name may be outside by "..", from the root, or
  // through links.
  Status CheckInside(const std::string& name);

  std::string folder_;
  FolderOptions options_;
  std::string real_folder_;  // without links, once it is asked for
  std::map<std::string, Listing> listings_;
};

// Reads a text that people or TFDS write, up to `most` bytes. kNotFound, kIo;
// kBadSpec where it is larger, or no regular file.
Result<std::string> ReadSmallFile(const std::string& path, size_t most);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_SHARD_FILES_H_
