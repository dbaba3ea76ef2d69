// Lists folders, finds the files that the metadata name, and refuses files
// outside the folder of the dataset.

#ifndef HEADRACE_SRC_TFDS_FOLDER_SHARD_FILES_H_
#define HEADRACE_SRC_TFDS_FOLDER_SHARD_FILES_H_

#include <map>
#include <string>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// The kind of an entry of a folder, as far as a listing reports it.
enum class EntryKind : uint8_t { kFile, kFolder, kOther };

// Returns the kind of each entry by its name. Links, pipes and the like are
// kOther. Errors: kNotFound, kIo.
Result<std::map<std::string, EntryKind>> ListFolder(const std::string& folder);

// Returns "folder/name", or the name itself if it is absolute.
std::string JoinPath(const std::string& folder, const std::string& name);

// Finds the files that the metadata name. Lists each folder only once.
class FileFinder {
 public:
  FileFinder(std::string folder, const FolderOptions& options)
      : folder_(std::move(folder)), options_(options) {}

  // Whether there is a regular file of this name, which is relative to the
  // folder. Returns kInvalidArgument if the file is outside the folder and
  // FolderOptions::outside_files does not allow that. A file whose own folder
  // is missing is missing, too.
  Result<bool> Has(const std::string& name);

 private:
  using Listing = std::map<std::string, EntryKind>;

  Result<const Listing*> ListingOf(const std::string& subfolder);
  // Refuses names that lead out of the folder: by "..", because they begin at
  // the root, or through links.
  Status CheckInside(const std::string& name);

  std::string folder_;
  FolderOptions options_;
  std::string real_folder_;  // without links; empty until it is needed
  std::map<std::string, Listing> listings_;
};

// Reads a text of at most `most` bytes, written by people or by TFDS. Errors:
// kNotFound, kIo; kBadSpec if the file is larger, or not a regular file.
Result<std::string> ReadSmallFile(const std::string& path, size_t most);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_SHARD_FILES_H_
